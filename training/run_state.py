"""The state of a run in one file, from which it goes on in another process as if it had not stopped."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from training.atomic import atomic_write
from training.config import NetworkConfig, TrainConfig, config_from_dict, network_config_from_dict
from training.data import ImageSet, TrainingData
from training.errors import UserError, first_line
from training.models import KIND as MODEL_KIND
from training.network import build_network
from training.paths import is_endless
from training.train import RunState, TrainChange

FORMAT_VERSION = 1
KIND = "run-state"
_GENERATORS = ("order", "augmentation", "dropout")
_MOMENTS = ("exp_avg", "exp_avg_sq")


@dataclass(frozen=True, kw_only=True)
class RunFacts:
    """What a run is, besides the state that it is in."""

    model: NetworkConfig
    checkpoint: Path  # where its best epoch goes
    device: str
    threads: int  # another number of them gives other sums
    data_md5: Mapping[str, str]  # by set: train, validation
    seen: tuple[str, ...] = ()  # the sets that its starting weights had been trained on
    metrics: Mapping[str, float] = dataclasses.field(default_factory=dict)  # of the best epoch so far


def save_run_state(path: Path, state: RunState, facts: RunFacts) -> None:
    """Write all that a run needs to go on; whole or not at all.

    Raises:
        UserError: the file can't be written.
    """
    values = {
        "format_version": FORMAT_VERSION,
        "kind": KIND,
        "config": dataclasses.asdict(state.config),
        "step": state.step,
        "best_epoch": state.best_epoch,
        "best_accuracy": state.best_accuracy,
        "changes": [{"step": step, **_given(change)} for step, change in state.changes],
        **dataclasses.asdict(facts),
        "checkpoint": str(facts.checkpoint.absolute()),
    }
    content = save(_flat(state), metadata={key: json.dumps(value) for key, value in values.items()})
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)


def load_run_state(path: Path) -> tuple[RunState, RunFacts]:
    """Read the state of a run.

    Raises:
        UserError: the file is missing, foreign, a model, damaged, newer, or its arrays don't fit its description.
    """
    if is_endless(path):
        raise _foreign(path)
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # it is no mapping
    except (SafetensorError, OSError, ValueError) as error:
        raise UserError(
            "{path} can't be read as the state of a run ({reason}). Choose a .state.safetensors file of ViT Pad.",
            path=path,
            reason=first_line(error),
        ) from error
    values = _parse(metadata, path)
    try:
        facts, state = _facts(values), _state(values, arrays)
    except UserError as error:
        raise UserError("{path} describes a run that can't be: {reason}", path=path, reason=error.message) from error
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise _foreign(path) from error
    _check_fit(arrays, state.config, facts.model, path)
    return state, facts


def md5_of(data: TrainingData) -> dict[str, str]:
    """Give the md5 of each set, its labels included; the sets are on the CPU."""
    return {"train": _md5(data.train), "validation": _md5(data.validation)}


def check_data(facts: RunFacts, data_md5: Mapping[str, str]) -> None:
    """Refuse to go on with other images.

    Raises:
        UserError: a set isn't the one that the run was begun with.
    """
    for name, md5 in facts.data_md5.items():
        if data_md5.get(name) != md5:
            raise UserError(
                "The images of the {name} set are not those of the run's start (md5 {found} instead of {md5}). "
                "Bring those back, or start a new run.",
                name=name,
                found=data_md5.get(name),
                md5=md5,
            )


def _flat(state: RunState) -> dict[str, npt.NDArray[Any]]:
    groups = {
        "weights": state.weights,
        "averaged": state.averaged,
        "best": state.best,
        "optimizer": state.optimizer,
        "generators": state.generators,
    }
    arrays = {f"{group}/{name}": array for group, each in groups.items() for name, array in each.items()}
    return {**arrays, "order": state.order}


def _group(arrays: Mapping[str, npt.NDArray[Any]], group: str) -> dict[str, npt.NDArray[Any]]:
    prefix = f"{group}/"
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _parse(metadata: Mapping[str, str], path: Path) -> dict[str, Any]:
    try:
        values = {key: json.loads(value) for key, value in metadata.items()}
        version, kind = values["format_version"], values["kind"]
    except (KeyError, ValueError, RecursionError) as error:
        raise _foreign(path) from error
    if kind == MODEL_KIND:
        raise UserError(
            "{path} is a model, not the state of a run. Choose a .state.safetensors file, or start from the model.",
            path=path,
        )
    if kind != KIND or not (isinstance(version, int) and version >= 1):
        raise _foreign(path)
    if version > FORMAT_VERSION:
        raise UserError(
            "{path} was written by a newer ViT Pad (format {version}). Update ViT Pad to read it.",
            path=path,
            version=version,
        )
    return values


def _facts(values: Mapping[str, Any]) -> RunFacts:
    threads = values["threads"]
    if not (isinstance(threads, int) and threads >= 1):
        raise ValueError(threads)
    return RunFacts(
        model=network_config_from_dict(dict(values["model"])),
        checkpoint=Path(values["checkpoint"]),
        device=str(values["device"]),
        threads=threads,
        data_md5=dict(values["data_md5"]),
        seen=tuple(values["seen"]),
        metrics=dict(values["metrics"]),
    )


def _state(values: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> RunState:
    step, best_epoch, accuracy = values["step"], values["best_epoch"], values["best_accuracy"]
    if not (isinstance(step, int) and isinstance(best_epoch, int) and step >= 1 and best_epoch >= 0):
        raise ValueError(step)
    changes = [dict(each) for each in values["changes"]]
    return RunState(
        config=config_from_dict(TrainConfig, dict(values["config"])),
        step=step,
        weights=_group(arrays, "weights"),
        averaged=_group(arrays, "averaged"),
        best=_group(arrays, "best"),
        best_epoch=best_epoch,
        best_accuracy=None if accuracy is None else float(accuracy),
        optimizer=_group(arrays, "optimizer"),
        generators=_group(arrays, "generators"),
        order=arrays["order"],
        changes=tuple((int(each.pop("step")), TrainChange(**each)) for each in changes),
    )


def _given(change: TrainChange) -> dict[str, Any]:
    return {name: value for name, value in dataclasses.asdict(change).items() if value not in (None, False)}


def _check_fit(arrays: Mapping[str, npt.NDArray[Any]], config: TrainConfig, model: NetworkConfig, path: Path) -> None:
    expected = _expected_shapes(config, model)
    for name in sorted(expected.keys() | arrays.keys()):
        wanted = expected.get(name)
        found = arrays[name].shape if name in arrays else None
        is_free = wanted == () and name.startswith(("generators/", "order"))  # their lengths are not the model's
        if wanted is None or found is None or not (is_free or wanted == found):
            raise UserError(
                "The arrays in {path} don't fit its own description ({name}: {found} instead of {wanted}). "
                "Start a new run.",
                path=path,
                name=name,
                found="nothing" if found is None else found,
                wanted="nothing" if wanted is None else wanted,
            )


def _expected_shapes(config: TrainConfig, model: NetworkConfig) -> dict[str, tuple[int, ...]]:
    with torch.device("meta"):  # shapes only: a description of a huge model takes no memory
        network = build_network(model)
    shapes: dict[str, tuple[int, ...]] = {"order": (), **{f"generators/{name}": () for name in _GENERATORS}}
    for group in ("weights", "best", *(("averaged",) if config.averaging else ())):
        shapes |= {f"{group}/{name}": tuple(value.shape) for name, value in network.state_dict().items()}
    for name, parameter in network.named_parameters():
        shapes[f"optimizer/{name}.step"] = ()
        shapes |= {f"optimizer/{name}.{moment}": tuple(parameter.shape) for moment in _MOMENTS}
    return shapes


def _md5(images: ImageSet) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    for tensor in (images.images, images.labels):
        digest.update(np.ascontiguousarray(tensor.numpy()).data)
    return digest.hexdigest()


def _foreign(path: Path) -> UserError:
    return UserError("{path} is no state of a run. Choose a .state.safetensors file of ViT Pad.", path=path)
