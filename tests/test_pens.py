"""Every way to draw but the mouse: pens with pressure and an eraser end, fingers, and keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QInputDevice, QKeySequence, QPointingDevice, QShortcut, QTabletEvent, QTouchEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.test_canvas import (
    INK,
    LEFT,
    MOVE,
    NO_BUTTON,
    PAPER,
    PRESS,
    RIGHT,
    SIDE,
    UNIT,
    PaintWatch,
    drag,
    grey_of,
    send_mouse,
)
from tests.test_canvas import canvas as canvas  # a fixture
from training.ink import make_image
from training.strokes import Stroke, line_widths, read_drawings
from vit_pad.canvas import Canvas, SquareFrame
from vit_pad.document import PadDocument
from vit_pad.eraser import erase
from vit_pad.keyboard_pen import LARGE_STEP, STEP
from vit_pad.save_file import save_content

DOWN, ON, UP = QEvent.Type.TabletPress, QEvent.Type.TabletMove, QEvent.Type.TabletRelease
SHIFT = Qt.KeyboardModifier.ShiftModifier
MIDDLE = (200.0, 200.0)
NEAR = 1.2  # pad units, less than a pixel


def tablet_pen(kind: str = "Pen", feels_pressure: bool = True) -> QPointingDevice:
    abilities = QInputDevice.Capability.Position
    if feels_pressure:
        abilities |= QInputDevice.Capability.Pressure
    pointer = QPointingDevice.PointerType[kind]
    return QPointingDevice("pen", 7, QInputDevice.DeviceType.Stylus, pointer, abilities, 1, 3)


PEN, PEN_ERASER, PLAIN_PEN = tablet_pen(), tablet_pen("Eraser"), tablet_pen(feels_pressure=False)


def send_pen(
    target: QObject,
    kind: QEvent.Type,
    place: tuple[float, float],
    pressure: float = 0.5,
    *,
    device: QPointingDevice = PEN,
    button: Qt.MouseButton = LEFT,
    held: Qt.MouseButton | None = None,
    t_ms: int = 0,
) -> bool:
    """Send one event of a tablet pen, and tell whether it was accepted."""
    changed = NO_BUTTON if kind == ON else button
    held = held if held is not None else (NO_BUTTON if kind == UP else button)
    at, keys = QPointF(*place), Qt.KeyboardModifier.NoModifier
    everywhere = target.mapToGlobal(at)  # type: ignore[attr-defined]  # a widget or a window
    event = QTabletEvent(kind, device, at, everywhere, pressure, 0, 0, 0, 0, 0, keys, changed, held)
    event.setTimestamp(5000 + t_ms)
    event.ignore()
    QApplication.sendEvent(target, event)
    return event.isAccepted()


def pen_drag(canvas: Canvas, *points: tuple[float, float, float], device: QPointingDevice = PEN) -> None:
    """Draw through places with pressures."""
    send_pen(canvas, DOWN, points[0][:2], points[0][2], device=device)
    for number, (x, y, pressure) in enumerate(points[1:], start=1):
        send_pen(canvas, ON, (x, y), pressure, device=device, t_ms=8 * number)
    send_pen(canvas, UP, points[-1][:2], 0.0, device=device)


def width_at(canvas: Canvas, x: int) -> float:
    """Give the width of the ink in a column of what is seen, in pad units."""
    shares = (grey_of(canvas)[:, x] - PAPER) / (INK - PAPER)
    return float(shares.sum()) * UNIT


# Pens


def test_a_pen_keeps_place_time_and_pressure(canvas: Canvas) -> None:
    pen_drag(canvas, (30, 60, 0.25), (60, 60, 0.5), (90.5, 75, 1.0))
    (stroke,) = canvas.document.strokes
    assert stroke.points[:, :2] == pytest.approx(np.array([[30, 60], [60, 60], [90.5, 75]]) * UNIT)
    assert stroke.points[:, 2:].tolist() == [[0, 0.25], [8, 0.5], [16, 1.0]]
    assert not canvas.document.is_stroke_growing


def test_a_pen_that_feels_no_pressure_draws_as_the_mouse_does(canvas: Canvas) -> None:
    pen_drag(canvas, (30, 60, 0.0), (60, 60, 0.0), device=PLAIN_PEN)
    assert canvas.document.strokes[0].points.shape == (2, 2)


def test_the_line_follows_the_pressure_while_drawn_and_drawn_anew(canvas: Canvas) -> None:
    canvas.pen_width = 40
    places = np.linspace(20, 280, 60)
    send_pen(canvas, DOWN, (20, 150), 0.0)
    for x in places[1:]:
        send_pen(canvas, ON, (x, 150), (x - 20) / 260)
        canvas.grab()
    while_drawn = [width_at(canvas, x) for x in (50, 150, 250)]
    by_pieces = grey_of(canvas)
    send_pen(canvas, UP, (280, 150), 0.0)
    assert while_drawn == pytest.approx([40 * (0.2 + 0.8 * (x - 20) / 260) for x in (50, 150, 250)], abs=NEAR)
    canvas.resize(SIDE + 1, SIDE + 1)
    canvas.resize(SIDE, SIDE)
    gaps = np.abs(grey_of(canvas) - by_pieces)
    assert gaps.mean() < 0.1
    assert (gaps > 64).sum() < 20


def test_one_long_step_from_light_to_strong_has_no_jump(canvas: Canvas) -> None:
    canvas.pen_width = 40
    pen_drag(canvas, (20, 150, 0.0), (280, 150, 1.0))
    widths = [width_at(canvas, x) for x in range(40, 260, 10)]
    assert widths == pytest.approx([40 * (0.2 + 0.8 * (x - 20) / 260) for x in range(40, 260, 10)], abs=NEAR)


def test_a_dot_is_as_wide_as_the_pressure(canvas: Canvas) -> None:
    canvas.pen_width = 40
    pen_drag(canvas, (150, 150, 0.5))
    assert width_at(canvas, 150) == pytest.approx(24, abs=NEAR)


def test_widths_hold_to_the_strokes_own_without_pressure_and_beyond_its_ends() -> None:
    assert line_widths(Stroke(np.zeros((2, 3)), 10)).tolist() == [10, 10]
    points = np.array([[0, 0, 0, -1], [0, 0, 0, 0.5], [0, 0, 0, 900]], np.float64)
    assert line_widths(Stroke(points, 10)) == pytest.approx([2, 6, 10])


def test_the_eraser_takes_what_it_touches_of_a_thin_line() -> None:
    line = Stroke(np.array([[0, 0, 0, 0.0], [100, 0, 9, 0.0]]), 20)  # 4 wide
    assert erase((line,), (50, 15), (50, 15), 12) == (line,)
    assert len(erase((line,), (50, 13), (50, 13), 12)) == 2


def test_a_file_keeps_the_pressure(canvas: Canvas, tmp_path: Path) -> None:
    pen_drag(canvas, (30, 60, 0.25), (60, 60, 1 / 3))
    drag(canvas, (30, 90), (60, 90))
    save_content(tmp_path / "seven.jsonl", canvas.document.content)
    (drawing,) = read_drawings(tmp_path / "seven.jsonl").drawings
    assert [each.points.tolist() for each in drawing.strokes] == [
        each.points.tolist() for each in canvas.document.strokes
    ]
    assert [each.points.shape[1] for each in drawing.strokes] == [4, 2]


def test_the_other_end_of_a_pen_erases(canvas: Canvas) -> None:
    drag(canvas, (20, 150), (280, 150))
    pen_drag(canvas, (150, 80, 0.3), (150, 190, 0.3), device=PEN_ERASER)
    assert grey_of(canvas)[150, 150] == PAPER
    pen_drag(canvas, (20, 250, 1.0), (280, 250, 1.0))  # the tool is still the pen
    assert grey_of(canvas)[250, 150] == INK
    for _ in range(2):
        canvas.document.undo_stack.undo()
    assert grey_of(canvas)[150, 150] == INK


def test_a_pens_button_erases_as_the_mouses_does_and_does_not_break_a_stroke(canvas: Canvas) -> None:
    send_pen(canvas, DOWN, (20, 150), 1.0)
    both = LEFT | RIGHT
    send_pen(canvas, DOWN, (20, 150), 1.0, button=RIGHT, held=both)
    send_pen(canvas, UP, (20, 150), 1.0, button=RIGHT, held=LEFT)
    send_pen(canvas, ON, (280, 150), 1.0)
    send_pen(canvas, UP, (280, 150), 0.0)
    (stroke,) = canvas.document.strokes
    assert len(stroke.points) == 2
    send_pen(canvas, DOWN, (150, 150), 0.5, button=RIGHT)
    send_pen(canvas, UP, (150, 150), 0.0, button=RIGHT)
    assert grey_of(canvas)[150, 150] == PAPER


def test_a_pen_whose_release_was_lost_begins_anew(canvas: Canvas) -> None:
    send_pen(canvas, DOWN, (50, 50))
    send_pen(canvas, ON, (90, 90), 0.0, held=NO_BUTTON)
    assert not canvas.document.is_stroke_growing
    send_pen(canvas, DOWN, (50, 50))
    pen_drag(canvas, (150, 150, 0.5), (160, 150, 0.5))
    assert [len(stroke.points) for stroke in canvas.document.strokes] == [1, 1, 2]


def framed_canvas(qtbot: QtBot) -> tuple[QWidget, Canvas]:
    """Show a canvas as it is in the window: under a layer that lets the mouse through."""
    window, canvas, layer = QWidget(), Canvas(PadDocument()), QWidget()
    layer.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    field, frame = QLineEdit(), SquareFrame(canvas)
    frame.add_layer(layer)
    column = QVBoxLayout(window)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(frame, 1)
    column.addWidget(field)
    qtbot.addWidget(window)
    window.resize(SIDE, 2 * SIDE)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    field.setFocus()
    return window, canvas


def test_the_pad_takes_a_pen_through_the_layer_above_so_that_no_mouse_events_follow(qtbot: QtBot) -> None:
    window, canvas = framed_canvas(qtbot)
    handle, corner = window.windowHandle(), canvas.mapTo(window, QPoint())
    places = [(corner.x() + x, corner.y() + y) for x, y in ((50, 50), (90, 50))]
    assert send_pen(handle, DOWN, places[0])
    assert send_pen(handle, ON, places[1])
    assert send_pen(handle, UP, places[1], 0.0)
    (stroke,) = canvas.document.strokes
    assert stroke.points[:, :2] == pytest.approx(np.array([[50, 50], [90, 50]]) / canvas.pad_scale)
    assert not send_pen(handle, ON, places[0], 0.0, held=NO_BUTTON)  # hovering may be a move of the mouse
    assert canvas.hasFocus()


def test_escape_takes_a_pens_stroke_back(qtbot: QtBot) -> None:
    window, canvas = framed_canvas(qtbot)
    send_pen(canvas, DOWN, (50, 50))
    send_pen(canvas, ON, (90, 50))
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Escape)  # comes to where the focus is
    send_pen(canvas, ON, (150, 50))
    assert canvas.document.is_empty


def test_a_mouse_echo_of_a_pen_does_not_draw(canvas: Canvas) -> None:
    send_pen(canvas, DOWN, (50, 50))
    drag(canvas, (200, 200), (250, 250))
    send_pen(canvas, ON, (90, 50))
    send_pen(canvas, UP, (90, 50), 0.0)
    (stroke,) = canvas.document.strokes
    assert stroke.points[:, :2] == pytest.approx(np.array([[50, 50], [90, 50]]) * UNIT)


# Fingers


@pytest.fixture(scope="module")
def touch_screen() -> QPointingDevice:
    return QTest.createTouchDevice()


def test_a_pen_takes_the_place_of_the_palm(canvas: Canvas, touch_screen: QPointingDevice) -> None:
    QTest.touchEvent(canvas, touch_screen).press(0, QPoint(250, 250), canvas).commit()
    pen_drag(canvas, (50, 50, 0.5), (90, 50, 0.5))
    QTest.touchEvent(canvas, touch_screen).move(0, QPoint(240, 240), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).release(0, QPoint(240, 240), canvas).commit()
    (stroke,) = canvas.document.strokes
    assert stroke.points[0, :2] == pytest.approx([50 * UNIT, 50 * UNIT])
    assert canvas.document.undo_stack.count() == 1


class TouchWatch(QObject):
    """Notes the touch and mouse events that reach a widget."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.kinds: list[QEvent.Type] = []
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QTouchEvent) or event.type() in (PRESS, MOVE):
            self.kinds.append(event.type())
        return False


def test_what_a_finger_does_stays_on_the_pad(qtbot: QtBot, touch_screen: QPointingDevice) -> None:
    window, canvas = framed_canvas(qtbot)
    window.setAttribute(Qt.WidgetAttribute.WA_AcceptTouchEvents)
    watch = TouchWatch(window)
    for finger in (0, 1):  # the second touches where nobody draws any more
        QTest.touchEvent(window, touch_screen).press(finger, QPoint(50, 150), window).commit()
        QTest.touchEvent(window, touch_screen).move(finger, QPoint(90, 250), window).commit()
        QTest.touchEvent(window, touch_screen).release(finger, QPoint(90, 250), window).commit()
    QApplication.processEvents()
    assert watch.kinds == []
    assert len(canvas.document.strokes) == 2


def test_a_finger_after_the_first_was_lifted_draws_a_stroke_of_its_own(
    canvas: Canvas, touch_screen: QPointingDevice
) -> None:
    QTest.touchEvent(canvas, touch_screen).press(0, QPoint(50, 50), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).stationary(0).press(1, QPoint(200, 200), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).release(0, QPoint(50, 50), canvas).stationary(1).commit()
    QTest.touchEvent(canvas, touch_screen).move(1, QPoint(210, 200), canvas).commit()  # rests since before: no line
    QTest.touchEvent(canvas, touch_screen).stationary(1).press(2, QPoint(50, 250), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).stationary(1).move(2, QPoint(90, 250), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).stationary(1).release(2, QPoint(90, 250), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).release(1, QPoint(210, 200), canvas).commit()
    places = [np.unique(stroke.points, axis=0) / UNIT for stroke in canvas.document.strokes]
    assert places[0] == pytest.approx(np.array([[50, 50]]))
    assert places[1] == pytest.approx(np.array([[50, 250], [90, 250]]))
    assert len(places) == 2


def test_a_touch_that_the_system_takes_away_leaves_no_stroke(canvas: Canvas, touch_screen: QPointingDevice) -> None:
    QTest.touchEvent(canvas, touch_screen).press(0, QPoint(50, 50), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).move(0, QPoint(90, 60), canvas).commit()
    assert canvas.document.is_stroke_growing
    QApplication.sendEvent(canvas.windowHandle(), QTouchEvent(QEvent.Type.TouchCancel, touch_screen))
    assert canvas.document.is_empty
    assert canvas.document.undo_stack.count() == 0


def test_a_touch_that_is_taken_away_leaves_the_mouses_stroke(canvas: Canvas, touch_screen: QPointingDevice) -> None:
    send_mouse(canvas, PRESS, 50, 50)
    QApplication.sendEvent(canvas, QTouchEvent(QEvent.Type.TouchCancel, touch_screen))
    assert canvas.document.is_stroke_growing


# Keys


def type_keys(canvas: Canvas, *keys: Qt.Key, shift: bool = False) -> None:
    for key in keys:
        QTest.keyClick(canvas, key, SHIFT if shift else Qt.KeyboardModifier.NoModifier)


def test_space_and_arrows_draw(canvas: Canvas) -> None:
    type_keys(
        canvas, Qt.Key.Key_Up, Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Space, Qt.Key.Key_Left
    )
    (stroke,) = canvas.document.strokes
    x, y = MIDDLE
    assert stroke.points.tolist() == [[x, y - STEP], [x + STEP, y - STEP], [x + STEP, y]]
    assert canvas.document.undo_stack.count() == 1


def test_shift_goes_farther_and_the_pad_has_an_edge(canvas: Canvas) -> None:
    type_keys(canvas, Qt.Key.Key_Space)
    type_keys(canvas, Qt.Key.Key_Left, Qt.Key.Key_PageUp, *[Qt.Key.Key_Up] * 20, shift=True)
    points = canvas.document.strokes[0].points
    x, y = MIDDLE
    assert points[1].tolist() == [x - LARGE_STEP, y]
    assert points[2].tolist() == [x, y - LARGE_STEP]
    assert points[-1].tolist() == [x, 0]
    type_keys(canvas, Qt.Key.Key_Down)  # the cursor, too, stayed at the edge
    assert canvas.document.strokes[0].points[-1].tolist() == [x, STEP]


def test_a_held_space_is_pressed_once(canvas: Canvas) -> None:
    QTest.keyPress(canvas, Qt.Key.Key_Space)
    QTest.simulateEvent(canvas, True, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ", True)
    assert canvas.document.is_stroke_growing


def test_escape_takes_the_keys_stroke_back(canvas: Canvas) -> None:
    type_keys(canvas, Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Escape, Qt.Key.Key_Right)
    assert canvas.document.is_empty
    type_keys(canvas, Qt.Key.Key_Space, Qt.Key.Key_Right)
    assert len(canvas.document.strokes) == 1


def test_keys_erase_with_the_eraser(canvas: Canvas) -> None:
    drag(canvas, (20, 150), (280, 150))
    canvas.tool = "eraser"
    type_keys(canvas, Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Space)
    drag(canvas, (10, 10), (11, 11))  # takes the cursor away
    assert grey_of(canvas)[150, 150] == PAPER
    assert len(canvas.document.strokes) == 2


def test_after_undo_in_mid_stroke_space_begins_anew(canvas: Canvas) -> None:
    type_keys(canvas, Qt.Key.Key_Space, Qt.Key.Key_Right)
    canvas.document.undo_stack.undo()
    type_keys(canvas, Qt.Key.Key_Space)
    assert canvas.document.is_stroke_growing


def test_the_cursor_is_seen_while_keys_draw_and_goes_when_the_mouse_moves(canvas: Canvas) -> None:
    drag(canvas, (20, 20))
    without = grey_of(canvas)
    QTest.mouseMove(canvas, QPoint(30, 30))
    type_keys(canvas, Qt.Key.Key_Right)
    up = grey_of(canvas)
    rows, columns = np.nonzero(up != without)
    place = (MIDDLE[0] + STEP) / UNIT
    assert (columns.mean(), rows.mean()) == pytest.approx((place, 150), abs=1.5)
    assert 40 < len(rows) < 400
    assert max(np.ptp(rows), np.ptp(columns)) < 30
    type_keys(canvas, Qt.Key.Key_Left, Qt.Key.Key_Right)
    assert (grey_of(canvas) == up).all()  # nothing is left where it was
    QTest.mouseMove(canvas, QPoint(35, 30))
    assert (grey_of(canvas) == without).all()
    assert not canvas.hasMouseTracking()


def test_the_cursor_is_painted_where_it_came_from_and_where_it_went_only(canvas: Canvas) -> None:
    drag(canvas, (20, 20))
    type_keys(canvas, Qt.Key.Key_Right)
    QApplication.processEvents()
    watch = PaintWatch(canvas)
    type_keys(canvas, Qt.Key.Key_Down)
    QApplication.processEvents()
    (area,) = watch.areas
    start = QPoint(*(round(place / UNIT) for place in (MIDDLE[0] + STEP, MIDDLE[1])))
    assert area.contains(QRect(start - QPoint(9, 9), start + QPoint(9, 9 + round(STEP / UNIT))))
    assert max(area.width(), area.height()) < 40


def test_a_mouse_that_moves_lifts_the_keys_pen(canvas: Canvas) -> None:
    QTest.mouseMove(canvas, QPoint(30, 30))
    type_keys(canvas, Qt.Key.Key_Space, Qt.Key.Key_Right)
    QTest.mouseMove(canvas, QPoint(35, 30))
    assert not canvas.document.is_stroke_growing
    assert len(canvas.document.strokes) == 1


@pytest.mark.parametrize("by", ["mouse", "pen"])
def test_another_pointer_takes_over_from_the_keys(canvas: Canvas, by: str) -> None:
    type_keys(canvas, Qt.Key.Key_Space, Qt.Key.Key_Right)
    if by == "mouse":
        drag(canvas, (50, 50), (90, 50))
    else:
        pen_drag(canvas, (50, 50, 0.5), (90, 50, 0.5))
    assert [len(stroke.points) for stroke in canvas.document.strokes] == [2, 2]


def test_keys_do_nothing_while_the_mouse_draws(canvas: Canvas) -> None:
    send_mouse(canvas, PRESS, 50, 50)
    type_keys(canvas, Qt.Key.Key_Space, Qt.Key.Key_Right)
    send_mouse(canvas, MOVE, 90, 50)
    (stroke,) = canvas.document.strokes
    assert stroke.points == pytest.approx(np.array([[50, 50], [90, 50]]) * UNIT)


def test_the_keys_pen_is_lifted_and_its_cursor_gone_when_the_focus_goes(qtbot: QtBot) -> None:
    window, canvas = framed_canvas(qtbot)
    drag(canvas, (10, 10))
    without = grey_of(canvas)
    canvas.setFocus()
    type_keys(canvas, Qt.Key.Key_Space, Qt.Key.Key_Right)
    window.findChildren(QLineEdit)[0].setFocus()
    assert not canvas.document.is_stroke_growing
    canvas.document.undo_stack.undo()
    assert (grey_of(canvas) == without).all()


def test_keys_with_the_focus_on_the_pad_are_no_shortcuts(qtbot: QtBot) -> None:
    window, canvas = framed_canvas(qtbot)
    heard: list[str] = []
    for name in ("Space", "Right", "Esc", "Ctrl+Right"):
        QShortcut(QKeySequence(name), window).activated.connect(lambda name=name: heard.append(name))
    canvas.setFocus()
    type_keys(canvas, Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Escape)
    assert heard == []
    type_keys(canvas, Qt.Key.Key_Escape)  # with nothing to take back
    QTest.keyClick(canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert heard == ["Esc", "Ctrl+Right"]


def test_the_pad_says_how_to_draw_with_keys(canvas: Canvas) -> None:
    for word in ("arrow keys", "Shift", "Space", "Esc"):
        assert word in canvas.accessibleDescription()
    by_mouse = grey_of(canvas)
    canvas.activateWindow()
    canvas.clearFocus()
    canvas.setFocus(Qt.FocusReason.TabFocusReason)
    by_tab = grey_of(canvas)
    assert (by_mouse[20:280, 20:280] != by_tab[20:280, 20:280]).any()  # the hint says it, too


def test_pressure_shows_as_drawn_and_not_like_mnist() -> None:
    places = np.stack([np.linspace(50, 350, 31), np.full(31, 200.0)], axis=1)
    harder = np.column_stack([places, np.zeros(31), np.linspace(0, 1, 31)])
    pressed, even = Stroke(harder, 40), Stroke(places, 40)
    like = [make_image((each,), None, "like-mnist", 32, 1) for each in (pressed, even)]
    assert like[0] is not None
    assert like[1] is not None
    np.testing.assert_array_equal(like[0].image, like[1].image)
    drawn = make_image((pressed,), None, "as-drawn", 32, 1)
    assert drawn is not None
    columns = drawn.image[0].sum(axis=0)
    assert columns[24] > 1.5 * columns[8]
