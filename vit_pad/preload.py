"""Loading torch's largest library without holding up the window."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import os
import sys
from pathlib import Path

# What `import torch` loads first, in its order; the names of these symbols are then found by what comes after.
_LIBRARIES = (("libtorch_global_deps.so", "RTLD_GLOBAL"), ("libtorch_cpu.so", "RTLD_LOCAL"))


@functools.cache
def preload_torch() -> None:
    """Load torch's libraries as `import torch` is about to, but with the interpreter free for other threads meanwhile.

    Only the first call does something.

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
