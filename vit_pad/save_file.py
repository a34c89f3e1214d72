"""What lies on the pad, as a file or as a picture for other programs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QSize
from PySide6.QtGui import QColor, QImage

from training.atomic import atomic_write
from training.errors import Message, UserError
from training.strokes import PAD_SIZE, Drawing, write_drawings
from vit_pad.document import Content
from vit_pad.ink_layer import InkLayer

PICTURE_SIDE_PX = 800  # two pixels a pad unit
_DRAWING_SUFFIXES = (".jsonl", ".jsonl.gz")


def save_content(path: Path, content: Content) -> Message | None:
    """Write what is on a pad: to a name in .jsonl or .jsonl.gz its strokes, to one in .png all of it as a picture.

    Returns:
        a sentence on what the file doesn't keep; None where it keeps all.

    Raises:
        UserError: the file can't be written, or its name ends in something else.
    """
    name = path.name.lower()
    if name.endswith(_DRAWING_SUFFIXES):
        write_drawings(path, [Drawing(strokes=content.strokes)])
        if content.picture is None:
            return None
        return Message("{path} has the strokes; the picture under them is only kept by a PNG file.", path=path)
    if not name.endswith(".png"):
        raise UserError("{path} can't be saved: end its name in .png, .jsonl or .jsonl.gz.", path=path)
    data = _png(pad_picture(content))
    with atomic_write(path) as temporary:
        temporary.write_bytes(data)
    return None


def pad_picture(content: Content, side_px: int = PICTURE_SIDE_PX) -> QImage:
    """Paint what is on a pad, picture and ink, white on black as MNIST's images are."""
    layer = InkLayer(QSize(side_px, side_px), side_px / PAD_SIZE, QColor("black"), QColor("white"))
    layer.render(content.strokes, content.picture)
    return layer.image.copy()  # the layer's own pixels go with it


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # PySide's stub knows only bytes as format
    return bytes(buffer.data().data())
