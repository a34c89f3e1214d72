"""What is opened, dropped or pasted, turned into what lies on the pad."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMimeData
from PySide6.QtGui import QImage

from training.errors import Message, UserError
from training.source import is_drawing_file
from training.strokes import LineProblem, on_pad, read_drawings
from vit_pad.document import Content


def load_file(path: Path) -> Content:
    """Read a drawing file, of which the first drawing that can be read is taken, or a picture.

    Bad lines before that drawing are told in the content's note; what comes after it isn't read.

    Raises:
        UserError: there is no such file, or it is neither.
    """
    if is_drawing_file(path):
        file = read_drawings(path, limit=1)
        return Content(on_pad(file.drawings[0]).strokes, note=_note_on(path, file.problems))
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


def _note_on(path: Path, problems: tuple[LineProblem, ...]) -> Message | None:
    if not problems:
        return None
    number, problem = problems[0]
    if len(problems) == 1:
        return Message("Line {number} of {path} was left out: {problem}", number=number, path=path, problem=problem)
    return Message(
        "{count} lines of {path} were left out. Line {number}: {problem}",
        count=len(problems),
        path=path,
        number=number,
        problem=problem,
    )
