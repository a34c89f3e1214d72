"""What is saved can be opened again, and looks to the model as it did."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from pytestqt.qtbot import QtBot

from training.errors import UserError
from training.ink import make_image
from training.pictures import Picture
from training.strokes import Stroke
from vit_pad.document import Content
from vit_pad.open_file import load_file
from vit_pad.save_file import pad_picture, save_content

SEVEN = (
    Stroke(np.array([[90.0, 90.0], [300.0, 80.0], [250.0, 200.0], [180.0, 340.0]]), 24.0),
    Stroke(np.array([[140.0, 210.0], [270.0, 205.0]]), 16.0),
)
PICTURE = Picture(np.pad(np.ones((20, 10), np.float32), 30), np.zeros((80, 70, 3), np.uint8))


@pytest.mark.parametrize("name", ["seven.jsonl", "SEVEN.JSONL", "seven.jsonl.gz"])
def test_a_drawing_file_keeps_every_point_and_width(qtbot: QtBot, tmp_path: Path, name: str) -> None:
    assert save_content(tmp_path / name, Content(SEVEN)) is None
    back = load_file(tmp_path / name).strokes
    assert [stroke.width for stroke in back] == [24.0, 16.0]
    for stroke, kept in zip(SEVEN, back, strict=True):
        np.testing.assert_array_equal(stroke.points, kept.points)


def test_a_drawing_file_says_that_the_picture_is_not_in_it(qtbot: QtBot, tmp_path: Path) -> None:
    note = save_content(tmp_path / "both.jsonl", Content(SEVEN, PICTURE))
    assert "only kept by a PNG file" in str(note)


@pytest.mark.parametrize("mode", ["like-mnist", "as-drawn"])
def test_a_png_is_read_as_the_strokes_were(qtbot: QtBot, tmp_path: Path, mode: str) -> None:
    strokes = tuple(Stroke(each.points, 24.0) for each in SEVEN)  # like MNIST, only the pad shows widths
    assert save_content(tmp_path / "seven.png", Content(strokes)) is None
    back = load_file(tmp_path / "seven.png")
    assert back.picture is not None
    drawn = make_image(strokes, None, "as-drawn" if mode == "as-drawn" else "like-mnist", 32, 1)
    read = make_image((), back.picture, "as-drawn" if mode == "as-drawn" else "like-mnist", 32, 1)
    assert drawn is not None
    assert read is not None
    likeness = np.corrcoef(drawn.image.ravel(), read.image.ravel())[0, 1]
    assert likeness > (0.97 if mode == "as-drawn" else 0.9)


def test_a_png_has_picture_and_ink(qtbot: QtBot) -> None:
    def grey(content: Content) -> npt.NDArray[np.uint8]:
        image = pad_picture(content, 400)
        return np.array(image.constBits()).reshape(400, 400, 4)[..., 0]

    both, ink, picture = grey(Content(SEVEN, PICTURE)), grey(Content(SEVEN)), grey(Content((), PICTURE))
    assert ink.max() == picture.max() == 255
    assert (ink != picture).any()
    assert (both >= np.maximum(ink, picture)).all()
    np.testing.assert_array_equal(both[picture == 0], ink[picture == 0])


@pytest.mark.parametrize("name", ["seven", "seven.bmp"])
def test_another_ending_is_a_sentence(qtbot: QtBot, tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=r"end its name in \.png"):
        save_content(tmp_path / name, Content(SEVEN))
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_gone_is_a_sentence(qtbot: QtBot, tmp_path: Path) -> None:
    for name in ("seven.png", "seven.jsonl"):
        with pytest.raises(UserError):
            save_content(tmp_path / "gone" / name, Content(SEVEN))
