"""Loading torch without holding up the window, then or later."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import importlib.util
import os
import sys
from pathlib import Path

from training import load_torch

# What `import torch` loads first, in its order; the names of these symbols are then found by what comes after.
_LIBRARIES = (("libtorch_global_deps.so", "RTLD_GLOBAL"), ("libtorch_cpu.so", "RTLD_LOCAL"))


@functools.cache
def import_torch() -> None:
    """Import torch, with as few and as short stops of the other threads as can be. Only the first call does something.

    Raises:
        UserError: torch is missing or can't be loaded.
    """
    _load_libraries()
    # Torch comes with some 200,000 objects that stay till the end. The garbage collector goes through all of them
    # several times while they are made, and once more in the middle of drawing, which held the window up for 140 ms.
    gc.disable()
    try:
        load_torch()
        gc.freeze()
    finally:
        gc.enable()


def _load_libraries() -> None:
    """Load torch's libraries as `import torch` is about to, but with the interpreter free for other threads meanwhile.

    An import holds the interpreter while the system's loader works, for as long as that takes: most of half a second
    on an idle machine, in which no mouse event is handled. A call through ctypes lets go of it. What can't be loaded
    here is left to the import, which says what is wrong.
    """
    spec = importlib.util.find_spec("torch")
    if not sys.platform.startswith("linux") or spec is None or spec.origin is None:
        return
    with contextlib.suppress(AttributeError, OSError):
        dlopen = ctypes.CDLL(None).dlopen
        dlopen.argtypes, dlopen.restype = (ctypes.c_char_p, ctypes.c_int), ctypes.c_void_p
        for name, scope in _LIBRARIES:
            dlopen(os.fsencode(Path(spec.origin).parent / "lib" / name), os.RTLD_NOW | getattr(os, scope))
