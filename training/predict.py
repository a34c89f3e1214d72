"""Reading one drawing: from strokes to a `Prediction`."""

from __future__ import annotations

import contextlib
import time
import warnings

import torch
from torch import Tensor, nn

from training.checkpoint import load_checkpoint
from training.devices import resolve_device
from training.edits import NO_EDITS, Edits
from training.errors import Message
from training.explain import blank_each, class_relevance, logit_lens, patch_lens, residual_norms
from training.facts import Extra, FloatArray, Prediction, PredictionRequest, WeightPictures
from training.ink import InkImage, make_image
from training.model import VisionTransformer
from training.models import find_model
from training.network import Network
from training.reject import TOO_LITTLE_INK, RejectRule, reason_for_doubt
from training.train import Arrays, load_arrays
from training.weight_pictures import picture_weights

WARM_UPS = 3  # passes after which a traced model runs at full speed
_FROM_TOKENS: frozenset[Extra] = frozenset({"relevance", "patch_lens", "residual_norms", "blanked"})


class _Answer(nn.Module):
    """All that a prediction takes from the model, as one call with tensors in and out, which can be traced."""

    def __init__(self, model: Network, temperature: float) -> None:
        super().__init__()
        self.model = model
        self.temperature = temperature

    def forward(self, image: Tensor, edits: Edits = NO_EDITS) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Read one image (1, in_channels, S, S).

        Gives logits (C,), divided by the temperature, probabilities (C,), lens (depth + 1, C) and attention
        (depth, H, T, T); of a CNN the last two are (0, C) and (0, 0, 0, 0).
        """
        inspection = self.model.inspect(image, edits, with_unread=False)
        temperature = answer_temperature(self.temperature, edits)
        lens = logit_lens(self.model, inspection, temperature)[:, 0]  # (depth + 1, C)
        probabilities = lens[-1] if len(lens) else (inspection.logits[0] / temperature).softmax(dim=-1)  # (C,)
        attention = torch.cat(inspection.attention) if inspection.attention else image.new_zeros(0, 0, 0, 0)
        return inspection.logits[0] / self.temperature, probabilities, lens, attention


def answer_temperature(temperature: float, edits: Edits) -> float:
    """Give what the logits are divided by before the softmax: the model's own temperature, and the edited one."""
    return temperature * (1.0 if edits.softmax_temperature is None else edits.softmax_temperature)


class Predictor:
    """A model that answers, on the thread that made it.

    On the CPU that thread gets one torch thread: a drawing is too small to share out, and a trainer needs the rest.

    Args:
        network: the model; it is put on the device.
        name: what its answers say that they come from.
        device: as for `resolve_device`.
        temperature: divides the logits before the softmax.
        reject: when an answer is unsure; None: never.

    Raises:
        UserError: there is no such device.
    """

    def __init__(
        self,
        network: Network,
        name: str,
        device: str = "auto",
        *,
        temperature: float = 1.0,
        reject: RejectRule | None = None,
    ) -> None:
        self._device = resolve_device(device)
        self._network = network.to(self._device).eval()
        self._temperature = temperature
        self._edited = _Answer(self._network, temperature).eval()
        self._answer: nn.Module = self._edited  # until it is sped up, for what is read without edits
        self._is_sped_up = False
        self._reject = reject
        self.model_name = name
        self.device = str(self._device)
        self.config = network.config
        if self._device.type == "cpu":
            torch.set_num_threads(1)

    def use_weights(self, weights: Arrays) -> None:
        """Answer with other weights from now on, of the same shapes."""
        load_arrays(self._network, weights)

    def weight_pictures(self) -> WeightPictures:
        """Give what can be seen of the weights."""
        return picture_weights(self._network)

    @torch.inference_mode()
    def speed_up(self) -> None:
        """Spend a third of a second, once, to make every further answer faster, beside a busy thread above all.

        Written out, a pass takes and gives back Python's lock at each of some 300 operations, and waits for it each
        time while the window paints: that tripled the time of a pass. Traced, it is one call without the lock.
        """
        if self._is_sped_up or self._device.type != "cpu":
            return
        self._is_sped_up = True
        # What the tracer warns of is what changes from image to image: nothing here, where all have one shape.
        warnings.filterwarnings("ignore", message="(Using len|Iterating over|Converting) ")
        warnings.filterwarnings("ignore", message=r"`torch\.jit\.", category=FutureWarning)
        image = torch.zeros(1, self.config.in_channels, self.config.image_size, self.config.image_size)
        with contextlib.suppress(RuntimeError, AttributeError):  # a torch or a Python that can't trace goes on without
            traced = torch.jit.trace(  # type: ignore[no-untyped-call]  # torch leaves it untyped
                self._answer, (image,), check_trace=False
            )
            for _ in range(WARM_UPS):
                traced(image)
            self._answer = traced

    def predict(self, request: PredictionRequest) -> Prediction | None:
        """Read what is on the pad; None where there is nothing."""
        start_s = time.perf_counter()
        size, channels = self.config.image_size, self.config.in_channels
        ink = make_image(request.strokes, request.picture, request.placement_mode, size, channels)
        if ink is None:
            return None
        return self.read(request.revision, ink, time.perf_counter() - start_s, request.edits, request.wanted)

    @torch.inference_mode()
    def read(
        self,
        revision: int,
        ink: InkImage,
        drawing_s: float,
        edits: Edits = NO_EDITS,
        wanted: frozenset[Extra] = frozenset(),
    ) -> Prediction:
        """Read an image that was made for this model's size and channels, in `drawing_s` seconds."""
        start_s = time.perf_counter()
        edits = edits.fitted_to(self.config)
        image = torch.tensor(ink.image, device=self._device)[None]
        parts = self._answer(image) if edits.is_neutral else self._edited(image, edits)
        logits, probabilities, lens, attention = (_read_only(part) for part in parts)
        score = None if self._reject is None else self._reject.score(logits)
        reason = self._reason_for_doubt(ink, score, probabilities)
        is_compared = "unedited" in wanted and not edits.is_neutral
        return Prediction(
            revision=revision,
            class_names=self.config.class_names,
            probabilities=probabilities,
            top=self.config.class_names[int(probabilities.argmax())],
            unsure=reason is not None,
            reason=reason,
            reject_score=score,
            box=ink.box,
            attention=attention,
            lens=lens,
            image=ink.image,
            placement=ink.placement,
            grid=self.config.grid,
            model=self.model_name,
            device=self.device,
            **self._look_inside(ink, edits, wanted),
            unedited=self.read(revision, ink, drawing_s) if is_compared else None,
            elapsed_ms=1000 * (drawing_s + time.perf_counter() - start_s),
        )

    @torch.inference_mode(False)
    @torch.no_grad()
    def _look_inside(self, ink: InkImage, edits: Edits, wanted: frozenset[Extra]) -> dict[str, FloatArray]:
        """Give what is wanted of how the model came to its answer, where it has tokens to look at."""
        network, grid = self._network, self.config.grid
        if not wanted & _FROM_TOKENS or not isinstance(network, VisionTransformer):
            return {}
        temperature = answer_temperature(self._temperature, edits)
        image = torch.tensor(ink.image, device=self._device)[None]
        found = {}
        with torch.set_grad_enabled("relevance" in wanted):
            inspection = network.inspect(image, edits)
            if "relevance" in wanted:
                found["relevance"] = class_relevance(network, inspection).reshape(-1, grid, grid)  # (C, grid, grid)
        if "patch_lens" in wanted:
            lens = patch_lens(network, inspection, temperature)  # (depth + 1, 1, N, C)
            found["patch_lens"] = lens.reshape(len(lens), grid, grid, -1)  # (depth + 1, grid, grid, C)
        if "blanked" in wanted:
            probabilities = (blank_each(network, image, edits) / temperature).softmax(dim=-1)  # (N, C)
            found["blanked"] = probabilities.reshape(grid, grid, -1)
        if "residual_norms" in wanted:
            found["residual_norms"] = residual_norms(inspection)[:, 0]  # (depth + 1, T)
        return {name: _read_only(tensor) for name, tensor in found.items()}

    def _reason_for_doubt(self, ink: InkImage, score: float | None, probabilities: FloatArray) -> Message | None:
        """Say why an answer is unsure; None where it isn't."""
        if ink.is_dot:
            return TOO_LITTLE_INK
        if self._reject is None or score is None or score <= self._reject.threshold:
            return None
        return reason_for_doubt(probabilities, self.config.class_names)


def load_predictor(model: str, device: str = "auto") -> Predictor:
    """Load a model that answers: a shipped name, one of the person's own, or a checkpoint file.

    Raises:
        UserError: there is no such model or device.
    """
    resolve_device(device)  # a wrong name is told before the work
    network, info = load_checkpoint(find_model(model))
    return Predictor(network, model, device, temperature=info.temperature, reject=info.reject)


def _read_only(tensor: Tensor) -> FloatArray:
    array: FloatArray = tensor.numpy(force=True)
    array.flags.writeable = False
    return array
