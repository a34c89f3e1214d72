"""Opening, dropping and pasting."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QColor, QImage

from training.errors import UserError
from vit_pad.open_file import content_from_image, content_from_mime, holds_content, load_file

LINES = (
    'this is no drawing\n{"strokes": [[[0, 0], [100, 50]]], "canvas": [100, 50], "width": 5}\n{"strokes": [[[1, 1]]]}\n'
)


def picture_file(path: Path) -> Path:
    image = Image.new("L", (40, 20), 255)
    image.paste(0, (0, 0, 10, 20))
    image.save(path)
    return path


@pytest.mark.parametrize("name", ["seven.jsonl", "seven.jsonl.gz", "seven.txt"])
def test_the_first_drawing_that_can_be_read_is_opened_and_fitted(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = LINES if name != "seven.txt" else LINES.partition("\n")[2]
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    content = load_file(path)
    assert [stroke.points.tolist() for stroke in content.strokes] == [[[0, 100], [400, 300]]]
    assert content.strokes[0].width == 20
    assert content.picture is None


def test_a_bad_line_before_the_drawing_is_told_with_its_number_and_what_follows_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "seven.jsonl"
    path.write_text(LINES)
    assert str(load_file(path).note).startswith(f"Line 1 of {path} was left out: This is not JSON")
    path.write_text("{}\n" + LINES)
    assert str(load_file(path).note).startswith(f"2 lines of {path} were left out. Line 1: ")
    path.write_text(LINES.partition("\n")[2] + "this is no drawing\n")
    assert load_file(path).note is None


def test_a_picture_is_opened(tmp_path: Path) -> None:
    content = load_file(picture_file(tmp_path / "one.png"))
    assert content.strokes == ()
    assert content.picture is not None
    assert content.picture.ink.shape == (20, 40)
    assert content.picture.ink[:, :10].min() > 0.9
    assert content.picture.ink[:, 12:].max() < 0.1


@pytest.mark.parametrize("name", ["none.jsonl", "none.png"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=name):
        load_file(tmp_path / name)


def test_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=tmp_path.name):
        load_file(tmp_path)


def test_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Milk, bread")
    with pytest.raises(UserError, match=r"notes\.txt"):
        load_file(path)


def test_a_copied_file_is_opened(tmp_path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/a.png"), QUrl.fromLocalFile(str(picture_file(tmp_path / "one two.png")))])
    assert holds_content(mime)
    assert content_from_mime(mime).picture is not None


def test_a_copied_picture_is_opened(qapp: object) -> None:
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    for y in range(20):
        image.setPixelColor(5, y, QColor("black"))
    mime = QMimeData()
    mime.setImageData(image)
    assert holds_content(mime)
    picture = content_from_mime(mime).picture
    assert picture is not None
    assert np.flatnonzero(picture.ink.mean(axis=0) > 0.5).tolist() == [5]


def test_an_address_without_a_picture_is_refused() -> None:
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/a.png")])
    with pytest.raises(UserError, match="Only files on this machine"):
        content_from_mime(mime)


def test_text_is_refused() -> None:
    mime = QMimeData()
    mime.setText("seven")
    assert not holds_content(mime)
    with pytest.raises(UserError, match="no picture and no file"):
        content_from_mime(mime)


def test_an_empty_picture_is_refused() -> None:
    with pytest.raises(UserError, match="it is empty"):
        content_from_image(QImage())
