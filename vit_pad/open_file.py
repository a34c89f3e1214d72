"""What is opened, dropped or pasted, turned into what lies on the pad."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMimeData
from PySide6.QtGui import QImage

from training.errors import UserError
from training.strokes import on_pad, read_drawings
from vit_pad.document import Content

_GZIP_MAGIC = b"\x1f\x8b"
_DRAWING_STARTS = (b"{", b"\xef\xbb\xbf")  # an object of JSON, or the mark that some editors put before it
_DRAWING_SUFFIXES = {".jsonl", ".json", ".gz"}


def load_file(path: Path) -> Content:
    """Read a drawing file, of which the first drawing that can be read is taken, or a picture.

    Raises:
        UserError: there is no such file, or it is neither.
    """
    if _is_drawing_file(path):
        return Content(on_pad(read_drawings(path).drawings[0]).strokes)
    from training.pictures import read_picture  # loads Pillow, which most starts never need

    return Content(picture=read_picture(path))


def content_from_image(image: QImage) -> Content:
    """Take a picture that was copied or dropped.

    Raises:
        UserError: there is nothing in it.
    """
    from training.pictures import picture_from_bytes

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]  # PySide's stub knows only bytes as format
        raise UserError("The picture can't be used, because it is empty. Copy another one.")
    return Content(picture=picture_from_bytes(bytes(buffer.data().data())))


def content_from_mime(mime: QMimeData) -> Content:
    """Read what was copied or dropped.

    Raises:
        UserError: there is neither a file nor a picture in it, or it can't be read.
    """
    item = item_from_mime(mime)
    return load_file(item) if isinstance(item, Path) else content_from_image(item)


def holds_content(mime: QMimeData) -> bool:
    """Tell whether a file or a picture may be in it, without taking it out."""
    return mime.hasUrls() or mime.hasImage()


def item_from_mime(mime: QMimeData) -> Path | QImage:
    """Give the first file of this machine that was copied or dropped, or else the picture.

    Raises:
        UserError: there is neither.
    """
    for url in mime.urls():
        if url.isLocalFile():
            return Path(url.toLocalFile())
    image = mime.imageData()
    if isinstance(image, QImage) and not image.isNull():
        return image
    if mime.hasUrls():
        raise UserError("Only files on this machine can be opened. Save the picture first, then drop the file.")
    raise UserError("There is no picture and no file to paste. Copy one first.")


def _is_drawing_file(path: Path) -> bool:
    """Look at the first bytes, and where they can't be had at the name; who reads the file says what is wrong."""
    try:
        with path.open("rb") as file:
            start = file.read(64).lstrip()
    except OSError:
        start = b""
    return start.startswith((_GZIP_MAGIC, *_DRAWING_STARTS)) or path.suffix.lower() in _DRAWING_SUFFIXES
