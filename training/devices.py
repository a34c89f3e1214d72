"""Which devices there are, and which one a name means."""

from __future__ import annotations

import torch

from training.errors import UserError


def list_devices() -> tuple[str, ...]:
    """List the devices of this machine, the CPU first."""
    cuda = tuple(f"cuda:{index}" for index in range(torch.cuda.device_count())) if torch.cuda.is_available() else ()
    mps = ("mps",) if torch.backends.mps.is_available() else ()
    return ("cpu", *cuda, *mps)


def resolve_device(name: str) -> torch.device:
    """Give the device that `auto`, `cpu`, `cuda`, `cuda:N` or `mps` means.

    Raises:
        UserError: the device isn't there.
    """
    available = list_devices()
    if name == "auto":
        return torch.device(available[1] if len(available) > 1 else "cpu")
    wanted = "cuda:0" if name == "cuda" else name
    if wanted not in available:
        raise UserError(
            "There is no device {name!r} here; choose auto or one of {available}.",
            name=name,
            available=", ".join(available),
        )
    return torch.device(wanted)


def cpu_knows_bfloat16() -> bool:
    """Tell whether the CPU computes in bfloat16. One that only imitates it takes twenty times as long as in float32."""
    has_mkldnn: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    return has_mkldnn and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
