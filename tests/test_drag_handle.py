"""The drawing leaves the window by the mouse, as a picture and as a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QDrag, QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.test_save_file import PICTURE, SEVEN
from training.errors import UserError
from training.pictures import Picture
from vit_pad.document import Content, PadDocument
from vit_pad.drag_handle import DragHandle, drag_data
from vit_pad.open_file import load_file


def path_in(data: QMimeData) -> Path:
    (url,) = data.urls()
    return Path(url.toLocalFile())


@pytest.fixture
def document(qtbot: QtBot) -> PadDocument:
    return PadDocument()


@pytest.fixture
def handle(document: PadDocument, qtbot: QtBot) -> DragHandle:
    if QGuiApplication.platformName() != "offscreen":
        pytest.skip("only the offscreen platform ends a drag at once")
    handle = DragHandle(document)
    qtbot.addWidget(handle)
    with qtbot.waitExposed(handle):
        handle.show()
    return handle


def pull(handle: DragHandle, distance: int) -> QDrag | None:
    """Press, move so many pixels, and give the drag that came of it."""
    middle = handle.rect().center()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(handle, middle + QPoint(distance, 0))
    drag = handle.findChild(QDrag)
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=middle)
    return drag if isinstance(drag, QDrag) else None


def test_pulling_takes_the_drawing_along(handle: DragHandle, document: PadDocument) -> None:
    document.replace(SEVEN)
    drag = pull(handle, 40)
    assert drag is not None
    assert drag.mimeData().hasImage()
    assert not drag.pixmap().isNull()
    assert [stroke.width for stroke in load_file(path_in(drag.mimeData())).strokes] == [24.0, 16.0]
    assert document.strokes == SEVEN  # a copy went


def test_a_click_and_an_empty_pad_drag_nothing(handle: DragHandle, document: PadDocument) -> None:
    assert pull(handle, 40) is None
    document.replace(SEVEN)
    assert pull(handle, 1) is None


@pytest.mark.parametrize(("picture", "suffix"), [(None, ".jsonl"), (PICTURE, ".png")])
def test_the_file_keeps_what_is_seen(qtbot: QtBot, tmp_path: Path, picture: Picture | None, suffix: str) -> None:
    data = drag_data(Content(SEVEN, picture), tmp_path)
    image = data.imageData()
    assert isinstance(image, QImage)
    assert image.width() == image.height() == 800
    path = path_in(data)
    assert path.suffix == suffix
    back = load_file(path)
    if picture is None:
        np.testing.assert_array_equal(back.strokes[0].points, SEVEN[0].points)
    else:
        assert back.picture is not None


def test_every_drag_has_a_file_of_its_own(qtbot: QtBot, tmp_path: Path) -> None:
    first, second = (path_in(drag_data(Content(SEVEN), tmp_path)) for _ in range(2))
    assert first != second
    assert first.exists()


def test_a_folder_that_is_gone_is_a_sentence(qtbot: QtBot, tmp_path: Path) -> None:
    with pytest.raises(UserError):
        drag_data(Content(SEVEN), tmp_path / "gone")


def test_there_is_nothing_to_drag_off_an_empty_pad(qtbot: QtBot) -> None:
    document = PadDocument()
    handle = DragHandle(document)
    qtbot.addWidget(handle)
    assert not handle.isEnabled()
    document.replace(SEVEN)
    assert handle.isEnabled()
    document.clear()
    assert not handle.isEnabled()
