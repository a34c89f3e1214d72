"""Pens with pressure, their other end, and the keyboard as a pen: real events on the real canvas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QInputDevice, QPointingDevice, QPointingDeviceUniqueId, QTabletEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from training.ink import make_image
from training.strokes import Drawing, Stroke, read_drawings, write_drawings
from vit_pad.canvas import Canvas
from vit_pad.document import PadDocument

SIDE = 400  # of the canvas in these tests: a widget pixel is a pad unit


@pytest.fixture
def canvas(qtbot: QtBot) -> Canvas:
    made = Canvas(PadDocument())
    qtbot.addWidget(made)
    made.resize(SIDE, SIDE)
    with qtbot.waitExposed(made):
        made.show()
    made.setFocus()
    return made


def pen_event(
    canvas: Canvas,
    kind: QEvent.Type,
    place: tuple[float, float],
    pressure: float,
    end: QPointingDevice.PointerType = QPointingDevice.PointerType.Pen,
    button: Qt.MouseButton = Qt.MouseButton.LeftButton,
) -> bool:
    """Send one event of a pen as Qt's platform code does; tell whether it was accepted."""
    capabilities = QInputDevice.Capability.Position | QInputDevice.Capability.Pressure
    device = QPointingDevice(
        "pen", 7, QInputDevice.DeviceType.Stylus, end, capabilities, 1, 3, "", QPointingDeviceUniqueId()
    )
    position = QPointF(*place)
    is_up = kind == QEvent.Type.TabletRelease
    event = QTabletEvent(
        kind, device, position, QPointF(canvas.mapToGlobal(position)), pressure, 0, 0, 0, 0, 0,
        Qt.KeyboardModifier.NoModifier,
        Qt.MouseButton.NoButton if kind == QEvent.Type.TabletMove else button,
        Qt.MouseButton.NoButton if is_up else button,
    )  # fmt: skip
    QApplication.sendEvent(canvas, event)
    return event.isAccepted()


def draw_with_pen(
    canvas: Canvas,
    places: Sequence[tuple[float, float]],
    pressures: Sequence[float],
    end: QPointingDevice.PointerType = QPointingDevice.PointerType.Pen,
    button: Qt.MouseButton = Qt.MouseButton.LeftButton,
) -> None:
    kinds = [QEvent.Type.TabletPress, *[QEvent.Type.TabletMove] * (len(places) - 1)]
    for kind, place, pressure in zip(kinds, places, pressures, strict=True):
        assert pen_event(canvas, kind, place, pressure, end, button)
    assert pen_event(canvas, QEvent.Type.TabletRelease, places[-1], 0.0, end, button)


def seen(canvas: Canvas) -> QImage:
    return canvas.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)


def thickness(image: QImage, x: int) -> int:
    """Count the light pixels of a column."""
    return sum(QColor(image.pixel(x, y)).lightness() > 128 for y in range(image.height()))


LINE = [(50.0 + 30 * step, 200.0) for step in range(11)]
HARDER = [step / 10 for step in range(11)]


def test_a_pen_draws_one_stroke_with_time_and_pressure(canvas: Canvas) -> None:
    draw_with_pen(canvas, LINE, HARDER)
    (stroke,) = canvas.document.strokes
    assert stroke.points[:, [0, 1, 3]].tolist() == [[x, y, p] for (x, y), p in zip(LINE, HARDER, strict=True)]
    assert stroke.points[0, 2] < 1000
    assert (np.diff(stroke.points[:, 2]) >= 0).all()
    assert not canvas.document.is_stroke_growing


def test_the_line_is_as_wide_as_the_pen_presses_drawn_at_once_and_anew(canvas: Canvas) -> None:
    canvas.pen_width = 40
    for event, place, pressure in zip(
        [QEvent.Type.TabletPress, *[QEvent.Type.TabletMove] * 10], LINE, HARDER, strict=True
    ):
        pen_event(canvas, event, place, pressure)
        seen(canvas)  # each piece is drawn by itself
    first = seen(canvas)
    widths = [thickness(first, x) for x in (95, 185, 305)]
    assert widths == pytest.approx([40 * (0.4 + 1.2 * share) for share in (0.15, 0.45, 0.85)], abs=3)
    canvas.resize(SIDE + 1, SIDE + 1)
    canvas.resize(SIDE, SIDE)
    assert [thickness(seen(canvas), x) for x in (95, 185, 305)] == pytest.approx(widths, abs=1)


def test_pressure_shows_as_drawn_and_not_like_mnist(canvas: Canvas) -> None:
    draw_with_pen(canvas, LINE, HARDER)
    (pressed,) = canvas.document.strokes
    even = Stroke(pressed.points[:, :2], pressed.width)
    like = [make_image((each,), None, "like-mnist", 32, 1) for each in (pressed, even)]
    assert like[0] is not None
    assert like[1] is not None
    np.testing.assert_array_equal(like[0].image, like[1].image)
    drawn = make_image((pressed,), None, "as-drawn", 32, 1)
    assert drawn is not None
    columns = drawn.image[0].sum(axis=0)
    assert columns[24] > 1.5 * columns[8]


def test_a_drawing_file_keeps_pressure(canvas: Canvas, tmp_path: Path) -> None:
    draw_with_pen(canvas, LINE, HARDER)
    write_drawings(tmp_path / "pen.jsonl", [Drawing(strokes=canvas.document.strokes)])
    (drawing,) = read_drawings(tmp_path / "pen.jsonl").drawings
    np.testing.assert_allclose(drawing.strokes[0].points, canvas.document.strokes[0].points, atol=0.01)


@pytest.mark.parametrize(
    ("end", "button"),
    [
        (QPointingDevice.PointerType.Eraser, Qt.MouseButton.LeftButton),
        (QPointingDevice.PointerType.Pen, Qt.MouseButton.RightButton),
    ],
    ids=["other end", "button"],
)
def test_the_other_end_of_a_pen_and_its_button_erase(
    canvas: Canvas, end: QPointingDevice.PointerType, button: Qt.MouseButton
) -> None:
    draw_with_pen(canvas, LINE, HARDER)
    draw_with_pen(canvas, [(200.0, 100.0), (200.0, 300.0)], [0.5, 0.5], end, button)
    assert len(canvas.document.strokes) == 2
    assert canvas.tool == "pen"
    draw_with_pen(canvas, [(10.0, 10.0), (20.0, 10.0)], [0.5, 0.5])
    assert len(canvas.document.strokes) == 3


def test_a_pen_that_hovers_draws_nothing_and_the_mouse_waits_for_a_pen_that_draws(canvas: Canvas) -> None:
    pen_event(canvas, QEvent.Type.TabletMove, (50, 50), 0.0)
    assert canvas.document.is_empty
    pen_event(canvas, QEvent.Type.TabletPress, (50, 50), 0.3)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPointF(300, 300).toPoint())
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPointF(300, 300).toPoint())
    assert canvas.document.is_stroke_growing
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert canvas.document.is_empty


def test_strokes_without_pressure_are_as_wide_everywhere() -> None:
    plain = Stroke(np.array([[0.0, 0.0], [9.0, 0.0]]), 20)
    timed = Stroke(np.array([[0.0, 0.0, 5.0], [9.0, 0.0, 6.0]]), 20)
    for stroke in (plain, timed):
        assert stroke.widths().tolist() == [20, 20]
        assert stroke.widest == 20
    pressed = Stroke(np.array([[0, 0, 0, 0], [1, 0, 1, 0.5], [2, 0, 2, 1], [3, 0, 3, 9], [4, 0, 4, np.nan]]), 20)
    assert pressed.widths().tolist() == pytest.approx([8, 20, 32, 32, 20])
    assert pressed.widths(2).tolist() == pytest.approx([32, 32, 20])
    assert pressed.widest == 32


# The keyboard as a pen.


def press(canvas: Canvas, *keys: Qt.Key, shift: bool = False) -> None:
    modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    for key in keys:
        QTest.keyClick(canvas, key, modifier)


def test_arrow_keys_and_space_draw(canvas: Canvas) -> None:
    press(canvas, Qt.Key.Key_Left, Qt.Key.Key_Up)
    assert canvas.document.is_empty
    press(canvas, Qt.Key.Key_Space, Qt.Key.Key_Right)
    press(canvas, Qt.Key.Key_Down, shift=True)
    press(canvas, Qt.Key.Key_Space, Qt.Key.Key_Right)
    (stroke,) = canvas.document.strokes
    assert stroke.points.tolist() == [[192, 192], [200, 192], [200, 224]]
    press(canvas, Qt.Key.Key_Space)
    assert canvas.document.strokes[1].points.tolist() == [[208, 224]]


def test_escape_takes_the_stroke_of_the_keys_back_and_the_pad_has_an_edge(canvas: Canvas) -> None:
    press(canvas, Qt.Key.Key_Space, *[Qt.Key.Key_Left] * 3, Qt.Key.Key_Escape)
    assert canvas.document.is_empty
    press(canvas, *[Qt.Key.Key_Left] * 40, Qt.Key.Key_Space)
    assert canvas.document.strokes[0].points.tolist() == [[0, 200]]


def test_the_keys_erase_with_the_eraser(canvas: Canvas) -> None:
    press(canvas, Qt.Key.Key_Space, *[Qt.Key.Key_Right] * 10, Qt.Key.Key_Space)
    canvas.tool = "eraser"
    press(canvas, *[Qt.Key.Key_Left] * 5, Qt.Key.Key_Space, Qt.Key.Key_Space)
    assert len(canvas.document.strokes) == 2


def test_where_the_keys_have_the_pen_is_seen_until_the_mouse_draws(canvas: Canvas) -> None:
    canvas.document.begin_stroke(20, 20, 4)  # without the hint
    canvas.document.end_stroke()
    without = seen(canvas)
    press(canvas, Qt.Key.Key_Right)
    lifted = seen(canvas)
    assert lifted != without
    press(canvas, Qt.Key.Key_Space)
    assert seen(canvas) != lifted
    press(canvas, Qt.Key.Key_Escape)
    press(canvas, Qt.Key.Key_Escape)
    assert seen(canvas) == without
    press(canvas, Qt.Key.Key_Right)
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPointF(100, 300).toPoint())
    canvas.document.undo_stack.undo()
    assert seen(canvas) == without
