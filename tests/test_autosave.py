"""The last drawing on the disk: one broken file is no reason to lose the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from training.pictures import Picture, read_picture
from training.strokes import Drawing, Stroke
from vit_pad.autosave import DRAWING_NAME, PICTURE_NAME, LastDrawing

DRAWING = Drawing(strokes=(Stroke(np.array([[10.0, 20.0], [30.0, 40.0]])),))


@pytest.fixture
def picture(tmp_path: Path) -> Picture:
    path = tmp_path / "some.png"
    Image.new("L", (4, 3), 255).save(path)
    return read_picture(path)


def test_strokes_and_picture_come_back(tmp_path: Path, picture: Picture) -> None:
    LastDrawing(tmp_path).save(DRAWING, picture)
    strokes, loaded = LastDrawing(tmp_path).load()
    assert [stroke.points.tolist() for stroke in strokes] == [[[10, 20], [30, 40]]]
    assert loaded is not None
    assert (loaded.rgb == picture.rgb).all()


def test_a_broken_drawing_leaves_the_picture_also_when_it_is_saved_again(tmp_path: Path, picture: Picture) -> None:
    LastDrawing(tmp_path).save(DRAWING, picture)
    (tmp_path / DRAWING_NAME).write_text("{")
    last = LastDrawing(tmp_path)
    strokes, loaded = last.load()
    assert strokes == ()
    assert loaded is not None
    last.save(DRAWING, loaded)
    assert (tmp_path / PICTURE_NAME).exists()


def test_a_broken_picture_leaves_the_strokes(tmp_path: Path, picture: Picture) -> None:
    LastDrawing(tmp_path).save(DRAWING, picture)
    (tmp_path / PICTURE_NAME).write_text("{")
    strokes, loaded = LastDrawing(tmp_path).load()
    assert len(strokes) == 1
    assert loaded is None
