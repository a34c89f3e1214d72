"""What the window needs of the machine, looked at before Qt would abort for want of it."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

from training import paths
from training.errors import UserError

# The same as scripts/set_up.py installs; that script isn't there once the program is installed.
_APT_LINE = (
    "sudo apt-get install libegl1 libgl1 libglib2.0-0 libdbus-1-3 libfontconfig1 libx11-xcb1 libxkbcommon-x11-0 "
    "libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 "
    "libxcb-xinerama0 libxcb-xkb1 fonts-dejavu-core"
)


def check_all() -> None:
    """Check everything that the window can't start without, cheapest first.

    Raises:
        UserError: something is missing; the sentence says what, and what to do.
    """
    check_torch()
    check_folders()
    check_display()
    check_qt()


def check_torch() -> None:
    """See that PyTorch is installed, without spending the seconds of importing it."""
    if importlib.util.find_spec("torch") is None:
        raise UserError("PyTorch isn't installed. Install it: {python} -m pip install torch", python=sys.executable)


def check_folders() -> None:
    """See that the folders of choices and of the last drawing are there and can be written to."""
    for folder in (paths.config_folder(), paths.state_folder()):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise UserError(
                "The folder {folder} can't be written to. Make it writable, or set HOME to a folder that is.",
                folder=folder,
            )


def check_display() -> None:
    """See that there is a screen to open a window on; Qt would abort without one."""
    if not sys.platform.startswith("linux"):
        return
    platform = asked_platform()
    if platform is None:
        if not (_has_wayland_display() or _has_x_display()):
            raise _no_display()
    elif (platform == "xcb" and not _has_x_display()) or (platform == "wayland" and not _has_wayland_display()):
        raise _no_display()


def check_qt() -> None:
    """Load Qt and its platform plugin; Qt would abort if the plugin can't be loaded."""
    try:
        import PySide6.QtWidgets
    except ImportError as error:
        raise _qt_missing(error) from error
    if sys.platform.startswith("linux") and asked_platform() in (None, "xcb"):
        plugin = Path(PySide6.QtWidgets.__file__).parent / "Qt/plugins/platforms/libqxcb.so"
        try:
            if plugin.exists():  # a Linux distribution's own PySide6 keeps it elsewhere, with its libraries beside it
                ctypes.CDLL(str(plugin))
        except OSError as error:
            if asked_platform() == "xcb" or not _has_wayland_display():
                raise _qt_missing(error) from error


def asked_platform() -> str | None:
    """Give the Qt platform that the environment asks for, without its options; None leaves the choice to Qt."""
    words = os.environ.get("QT_QPA_PLATFORM", "").replace(";", ":").split(":")
    return words[0].split("-")[0] or None


def _has_x_display() -> bool:
    """Connect to the X server and hang up, as Qt will do."""
    if not os.environ.get("DISPLAY"):
        return False
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # which library is missing is for check_qt to say
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    for function in (xcb.xcb_connection_has_error, xcb.xcb_disconnect):
        function.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)  # never null, even where there is no server
    try:
        return not xcb.xcb_connection_has_error(connection)
    finally:
        xcb.xcb_disconnect(connection)


def _has_wayland_display() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY")
    return bool(name) and (Path(os.environ.get("XDG_RUNTIME_DIR", "")) / str(name)).exists()


def _no_display() -> UserError:
    return UserError(
        "There is no display to open a window on. Start vit-pad from a desktop session, or use it without a window: "
        "vit-pad predict FILE"
    )


def _qt_missing(error: Exception) -> UserError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    if sys.platform.startswith("linux") and ".so" in reason:
        return UserError(
            "A library that Qt needs can't be loaded ({reason}). Install it; on Debian or Ubuntu: {line}",
            reason=reason,
            line=_APT_LINE,
        )
    return UserError(
        "Qt can't be loaded ({reason}). Install it: {python} -m pip install --force-reinstall PySide6-Essentials",
        reason=reason,
        python=sys.executable,
    )
