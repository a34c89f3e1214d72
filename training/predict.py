"""Reading one drawing: from strokes to a `Prediction`."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from training.checkpoint import load_checkpoint
from training.devices import resolve_device
from training.explain import logit_lens
from training.facts import Prediction, PredictionRequest
from training.ink import InkImage, make_image
from training.models import find_model


class Predictor:
    """A model that answers, on the thread that made it.

    On the CPU that thread gets one torch thread: a drawing is too small to share out, and a trainer needs the rest.

    Args:
        model: a shipped name, one of the person's own, or a checkpoint file.
        device: as for `resolve_device`.

    Raises:
        UserError: there is no such model or device.
    """

    def __init__(self, model: str, device: str = "auto") -> None:
        self._device = resolve_device(device)
        self._model, self._info = load_checkpoint(find_model(model), self._device)
        self.model_name = model
        self.device = str(self._device)
        self.config = self._info.model
        if self._device.type == "cpu":
            torch.set_num_threads(1)

    def predict(self, request: PredictionRequest) -> Prediction | None:
        """Read what is on the pad; None where there is nothing."""
        start_s = time.perf_counter()
        ink = make_image(
            request.strokes,
            request.picture,
            request.placement_mode,
            self.config.image_size,
            self.config.in_channels,
        )
        return None if ink is None else self._answer(request.revision, ink, start_s)

    @torch.inference_mode()
    def _answer(self, revision: int, ink: InkImage, start_s: float) -> Prediction:
        image = torch.tensor(ink.image, device=self._device)[None]  # (1, in_channels, S, S)
        inspection = self._model.inspect(image)
        lens = logit_lens(self._model, inspection, self._info.temperature)[:, 0]  # (depth + 1, C)
        probabilities = _read_only(lens[-1])
        return Prediction(
            revision=revision,
            class_names=self.config.class_names,
            probabilities=probabilities,
            top=self.config.class_names[int(probabilities.argmax())],
            unsure=False,
            box=ink.box,
            attention=_read_only(torch.cat(inspection.attention)),
            lens=_read_only(lens),
            image=ink.image,
            placement=ink.placement,
            grid=self.config.grid,
            model=self.model_name,
            device=self.device,
            elapsed_ms=1000 * (time.perf_counter() - start_s),
        )


def _read_only(tensor: Tensor) -> npt.NDArray[np.float32]:
    array = tensor.float().cpu().numpy()
    array.flags.writeable = False
    return array
