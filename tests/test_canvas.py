"""The pad on the screen, used by real mouse, touch, key and drop events."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QImage,
    QMouseEvent,
    QPaintEvent,
    QPointingDevice,
    QWheelEvent,
    qGray,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from training.errors import Message
from vit_pad.canvas import Canvas, SquareFrame
from vit_pad.document import PadDocument
from vit_pad.open_file import load_file
from vit_pad.theme import PAPERS

SIDE = 300  # widget pixels of the pad in most tests
UNIT = 400 / SIDE  # pad units a widget pixel
LEFT, RIGHT, NO_BUTTON = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.NoButton
PRESS, MOVE, RELEASE = QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.MouseButtonRelease

Grey = npt.NDArray[np.int16]


@pytest.fixture
def canvas(qtbot: QtBot) -> Canvas:
    return shown_canvas(qtbot)


def shown_canvas(qtbot: QtBot, kind: type[Canvas] = Canvas) -> Canvas:
    canvas = kind(PadDocument())
    qtbot.addWidget(canvas)
    canvas.resize(SIDE, SIDE)
    with qtbot.waitExposed(canvas):
        canvas.show()
    return canvas


def send_mouse(
    canvas: Canvas,
    kind: QEvent.Type,
    x: float,
    y: float,
    button: Qt.MouseButton = LEFT,
    source: Qt.MouseEventSource = Qt.MouseEventSource.MouseEventNotSynthesized,
) -> None:
    """Send one mouse event at a fraction of a pixel, which QTest can't."""
    local = QPointF(x, y)
    held = NO_BUTTON if kind == RELEASE else button
    changed = NO_BUTTON if kind == MOVE else button
    modifiers = Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(kind, local, local, canvas.mapToGlobal(local), changed, held, modifiers, source)
    QApplication.sendEvent(canvas, event)


def turn_wheel(canvas: Canvas, turned: int) -> None:
    """Turn the wheel over the middle of the pad, away from the hand; 120 is one click."""
    middle = QPointF(canvas.rect().center())
    phase, modifiers = Qt.ScrollPhase.NoScrollPhase, Qt.KeyboardModifier.NoModifier
    everywhere = canvas.mapToGlobal(middle)
    event = QWheelEvent(middle, everywhere, QPoint(), QPoint(0, turned), NO_BUTTON, modifiers, phase, False)
    QApplication.sendEvent(canvas, event)


def drag(canvas: Canvas, *places: tuple[float, float], paints: bool = False) -> None:
    """Press, move and release; with `paints` the canvas is painted after every event."""
    send_mouse(canvas, PRESS, *places[0])
    for place in places[1:]:
        if paints:
            canvas.grab()
        send_mouse(canvas, MOVE, *place)
    send_mouse(canvas, RELEASE, *places[-1])


def grey_of(canvas: Canvas) -> Grey:
    """Give what is seen as grey levels: (height, width) in device pixels."""
    image = canvas.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width()].astype(np.int16)


def level_of(color: str) -> int:
    return qGray(QColor(color).rgb())


INK, PAPER = level_of(PAPERS["dark"].ink), level_of(PAPERS["dark"].paper)


def test_the_mouse_draws_in_pad_units_and_every_move_is_kept(canvas: Canvas) -> None:
    places = [(30.25 + step * 0.5, 60 + step * 0.25) for step in range(400)]
    drag(canvas, *places)
    (stroke,) = canvas.document.strokes
    assert stroke.points == pytest.approx(np.array(places) * UNIT)
    assert canvas.document.undo_stack.count() == 1


def test_a_stroke_that_leaves_the_pad_goes_on_along_its_edge_and_comes_back(canvas: Canvas) -> None:
    drag(canvas, (150, 150), (-60, 150), (-60, 500), (150, 200))
    (stroke,) = canvas.document.strokes
    assert stroke.points == pytest.approx(np.array([[150, 150], [0, 150], [0, SIDE], [150, 200]]) * UNIT)
    grey = grey_of(canvas)
    assert grey[150, 0:150].min() == INK
    assert grey[150:300, 0].min() == INK  # what is read is seen


def test_a_click_leaves_a_round_dot_of_the_pen_width(canvas: Canvas) -> None:
    canvas.pen_width = 40
    QTest.mouseClick(canvas, LEFT, pos=QPoint(150, 150))
    is_ink = grey_of(canvas) > (INK + PAPER) / 2
    assert is_ink.sum() == pytest.approx(np.pi * (20 / UNIT) ** 2, rel=0.03)
    assert is_ink[150, 150]


def test_two_quick_clicks_leave_two_dots(canvas: Canvas) -> None:
    drag(canvas, (50, 50))
    send_mouse(canvas, QEvent.Type.MouseButtonDblClick, 52, 50)
    send_mouse(canvas, RELEASE, 52, 50)
    first, second = canvas.document.strokes
    assert first.points == pytest.approx(np.array([[50, 50]]) * UNIT)
    assert second.points == pytest.approx(np.array([[52, 50]]) * UNIT)


def test_fast_strokes_have_no_gaps(canvas: Canvas) -> None:
    drag(canvas, (10, 20), (290, 20), (20, 250), (280, 280))
    grey = grey_of(canvas)
    for start, end in (((10, 20), (290, 20)), ((290, 20), (20, 250)), ((20, 250), (280, 280))):
        steps = np.rint(np.linspace(start, end, 500)).astype(int)
        assert (grey[steps[:, 1], steps[:, 0]] == INK).all()


def test_drawn_piece_by_piece_it_looks_as_drawn_at_once(canvas: Canvas) -> None:
    angles = np.linspace(0, 5.5, 60)
    places = np.stack((150 + 90 * np.cos(angles), 150 + 120 * np.sin(angles)), axis=1).tolist()
    drag(canvas, *places, paints=True)
    by_pieces = grey_of(canvas)
    canvas.resize(SIDE + 1, SIDE + 1)
    canvas.resize(SIDE, SIDE)
    gaps = np.abs(grey_of(canvas) - by_pieces)
    assert gaps.mean() < 0.1
    assert (gaps > 64).sum() < 20  # an edge pixel here and there


def test_all_that_comes_between_two_paints_is_seen(canvas: Canvas) -> None:
    send_mouse(canvas, PRESS, 20, 50)
    grey_of(canvas)
    send_mouse(canvas, MOVE, 150, 50)
    send_mouse(canvas, MOVE, 280, 50)
    send_mouse(canvas, RELEASE, 280, 50)
    drag(canvas, (20, 150), (280, 150))
    drag(canvas, (20, 250), (280, 250))
    grey = grey_of(canvas)
    assert (grey[[50, 150, 250], 20:281] == INK).all()
    canvas.tool = "eraser"
    drag(canvas, (100, 30), (100, 170))
    drag(canvas, (200, 30), (200, 170))
    assert (grey_of(canvas)[[50, 150]][:, [100, 200]] == PAPER).all()
    drag(canvas, (150, 30), (150, 170))
    canvas.tool = "pen"
    drag(canvas, (20, 200), (280, 200))
    grey = grey_of(canvas)
    assert (grey[[50, 150]][:, [100, 150, 200]] == PAPER).all()
    assert (grey[200, 20:281] == INK).all()


class PaintWatch(QObject):
    """Notes the area of every paint event."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__()
        self.areas: list[QRect] = []
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.areas.append(event.region().boundingRect())
        return False


def test_a_move_paints_its_own_piece_only(canvas: Canvas) -> None:
    send_mouse(canvas, PRESS, 50, 50)
    send_mouse(canvas, MOVE, 200, 200)
    QApplication.processEvents()
    watch = PaintWatch(canvas)
    send_mouse(canvas, MOVE, 204, 203)
    QApplication.processEvents()
    (area,) = watch.areas  # one paint
    assert area.contains(QRect(195, 195, 14, 13))
    assert max(area.width(), area.height()) < 34


def test_undo_and_redo_are_seen(canvas: Canvas) -> None:
    drag(canvas, (50, 100), (250, 100))
    drag(canvas, (50, 200), (250, 200))
    canvas.document.undo_stack.undo()
    grey = grey_of(canvas)
    assert (grey[100, 150], grey[200, 150]) == (INK, PAPER)
    canvas.document.undo_stack.redo()
    assert grey_of(canvas)[200, 150] == INK


def test_undo_in_mid_stroke_ends_it(canvas: Canvas) -> None:
    drag(canvas, (50, 100), (250, 100))
    send_mouse(canvas, PRESS, 50, 200)
    send_mouse(canvas, MOVE, 150, 200)
    canvas.document.undo_stack.undo()
    send_mouse(canvas, MOVE, 250, 200)
    send_mouse(canvas, RELEASE, 250, 200)
    assert len(canvas.document.strokes) == 1
    grey = grey_of(canvas)
    assert (grey[100, 150], grey[200, 150], grey[200, 240]) == (INK, PAPER, PAPER)
    drag(canvas, (50, 250), (60, 250))
    assert len(canvas.document.strokes) == 2


def test_resizing_keeps_the_strokes_and_draws_them_sharp(canvas: Canvas) -> None:
    drag(canvas, (50, 150), (250, 150))
    assert grey_of(canvas)[150, 150] == INK
    before = canvas.document.strokes
    canvas.resize(2 * SIDE, 2 * SIDE)
    grey = grey_of(canvas)
    assert canvas.document.strokes is before
    assert (grey[300, 110:490] == INK).all()
    column = grey[:, 300]
    assert (column == INK).sum() == pytest.approx(22 / UNIT * 2, abs=2)
    assert ((column > PAPER) & (column < INK)).sum() <= 2  # an enlarged image would have wider edges
    drag(canvas, (300, 30), (300, 40))
    assert canvas.document.strokes[1].points[0] == pytest.approx([200, 20])


@pytest.mark.parametrize("paper", ["dark", "light"])
def test_the_paper_can_be_chosen(canvas: Canvas, paper: str) -> None:
    drag(canvas, (50, 150), (250, 150))
    grey_of(canvas)
    canvas.paper = "light" if paper == "light" else "dark"
    grey = grey_of(canvas)
    assert grey[150, 150] == pytest.approx(level_of(PAPERS[canvas.paper].ink), abs=1)
    assert grey[20, 20] == pytest.approx(level_of(PAPERS[canvas.paper].paper), abs=1)


def test_an_empty_pad_has_a_hint(canvas: Canvas) -> None:
    empty = grey_of(canvas)
    assert (empty[100:200] != PAPER).sum() > 100
    send_mouse(canvas, PRESS, 20, 20)
    assert (grey_of(canvas)[100:200] == PAPER).all()
    send_mouse(canvas, RELEASE, 20, 20)
    canvas.document.clear()
    assert (grey_of(canvas) == empty).all()


def test_escape_takes_the_stroke_back(canvas: Canvas) -> None:
    send_mouse(canvas, PRESS, 50, 100)
    send_mouse(canvas, MOVE, 150, 100)
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    send_mouse(canvas, MOVE, 250, 100)
    send_mouse(canvas, RELEASE, 250, 100)
    assert canvas.document.is_empty
    assert canvas.document.undo_stack.count() == 0


def test_escape_without_a_stroke_goes_to_the_window(qtbot: QtBot) -> None:
    class Window(QWidget):
        keys: list[int]

        def keyPressEvent(self, event: object) -> None:
            self.keys.append(event.key())  # type: ignore[attr-defined]  # a QKeyEvent

    window = Window()
    window.keys = []
    canvas = Canvas(PadDocument(), window)
    qtbot.addWidget(window)
    window.show()
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert window.keys == [Qt.Key.Key_Escape]


def test_a_stroke_ends_when_the_focus_goes(qtbot: QtBot) -> None:
    window = QWidget()
    layout = QVBoxLayout(window)
    canvas, field = Canvas(PadDocument()), QLineEdit()
    layout.addWidget(canvas)
    layout.addWidget(field)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    canvas.setFocus()
    send_mouse(canvas, PRESS, 50, 50)
    field.setFocus()
    send_mouse(canvas, MOVE, 60, 60)
    assert not canvas.document.is_stroke_growing
    assert canvas.document.strokes[0].points.shape == (1, 2)


def test_a_lost_release_does_not_lengthen_the_stroke(canvas: Canvas) -> None:
    send_mouse(canvas, PRESS, 50, 50)
    send_mouse(canvas, MOVE, 60, 60, RIGHT)
    send_mouse(canvas, MOVE, 70, 70)
    assert canvas.document.strokes[0].points.shape == (1, 2)
    assert not canvas.document.is_stroke_growing


def test_a_press_after_a_lost_release_begins_a_stroke(canvas: Canvas) -> None:
    send_mouse(canvas, PRESS, 50, 50)
    drag(canvas, (150, 150), (160, 150))
    assert [len(stroke.points) for stroke in canvas.document.strokes] == [1, 2]


def test_other_buttons_do_not_draw(canvas: Canvas) -> None:
    send_mouse(canvas, PRESS, 50, 50, Qt.MouseButton.MiddleButton)
    assert canvas.document.is_empty
    QTest.mousePress(canvas, LEFT, pos=QPoint(50, 50))
    QTest.mousePress(canvas, RIGHT, pos=QPoint(60, 60))  # Qt knows that the left one is still held
    QTest.mouseRelease(canvas, RIGHT, pos=QPoint(60, 60))
    send_mouse(canvas, MOVE, 90, 50)
    assert len(canvas.document.strokes) == 1
    assert canvas.document.strokes[0].points.shape == (2, 2)
    QTest.mouseRelease(canvas, LEFT, pos=QPoint(90, 50))


def test_the_right_button_erases_whatever_the_tool(canvas: Canvas) -> None:
    drag(canvas, (20, 150), (280, 150))
    for step in ((150, 80), (150, 150), (150, 190)):
        send_mouse(canvas, PRESS if step == (150, 80) else MOVE, *step, RIGHT)
    send_mouse(canvas, RELEASE, 150, 190, RIGHT)
    assert grey_of(canvas)[150, 150] == PAPER
    assert len(canvas.document.strokes) == 2
    drag(canvas, (20, 250), (280, 250))  # the pen is still the tool
    assert len(canvas.document.strokes) == 3
    for _ in range(2):
        canvas.document.undo_stack.undo()  # the stroke, then all of the erasing
    assert (grey_of(canvas)[150, 20:281] == INK).all()


def test_a_right_press_after_a_lost_left_release_erases(canvas: Canvas) -> None:
    drag(canvas, (20, 150), (280, 150))
    send_mouse(canvas, PRESS, 50, 50)
    send_mouse(canvas, PRESS, 150, 150, RIGHT)
    assert not canvas.document.is_stroke_growing
    assert grey_of(canvas)[150, 150] == PAPER


def test_the_wheel_says_whole_steps_both_ways(canvas: Canvas) -> None:
    steps: list[int] = []
    canvas.wheel_turned.connect(steps.append)
    for turned in (120, 50, 50, 50, -30, -50, -120, -240):
        turn_wheel(canvas, turned)
    assert steps == [1, 1, -1, -2]


@pytest.fixture(scope="module")
def touch_screen() -> QPointingDevice:
    return QTest.createTouchDevice()


def test_the_first_finger_draws_and_others_do_not(canvas: Canvas, touch_screen: QPointingDevice) -> None:
    QTest.touchEvent(canvas, touch_screen).press(0, QPoint(50, 50), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).stationary(0).press(1, QPoint(200, 200), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).move(0, QPoint(90, 60), canvas).move(1, QPoint(210, 220), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).release(0, QPoint(95, 60), canvas).stationary(1).commit()
    QTest.touchEvent(canvas, touch_screen).move(1, QPoint(250, 250), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).release(1, QPoint(250, 250), canvas).commit()
    (stroke,) = canvas.document.strokes
    assert np.unique(stroke.points, axis=0) == pytest.approx(np.array([[50, 50], [90, 60], [95, 60]]) * UNIT)
    assert not canvas.document.is_stroke_growing


def test_the_echo_of_a_finger_as_a_mouse_does_not_draw(canvas: Canvas, touch_screen: QPointingDevice) -> None:
    echo = Qt.MouseEventSource.MouseEventSynthesizedBySystem
    QTest.touchEvent(canvas, touch_screen).press(0, QPoint(50, 50), canvas).commit()
    send_mouse(canvas, PRESS, 50, 50, source=echo)
    send_mouse(canvas, MOVE, 150, 150, source=echo)
    send_mouse(canvas, RELEASE, 150, 150, source=echo)
    QTest.touchEvent(canvas, touch_screen).move(0, QPoint(90, 60), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).release(0, QPoint(90, 60), canvas).commit()
    (stroke,) = canvas.document.strokes
    assert np.unique(stroke.points, axis=0) == pytest.approx(np.array([[50, 50], [90, 60]]) * UNIT)


def test_a_finger_gives_no_mouse_events_of_its_own(canvas: Canvas, touch_screen: QPointingDevice) -> None:
    QTest.touchEvent(canvas, touch_screen).press(0, QPoint(50, 50), canvas).commit()
    QTest.touchEvent(canvas, touch_screen).release(0, QPoint(50, 50), canvas).commit()
    QApplication.processEvents()
    assert len(canvas.document.strokes) == 1


def test_a_stroke_ends_when_the_pad_is_hidden(qtbot: QtBot, touch_screen: QPointingDevice) -> None:
    """By touch, because a finger gives no focus that the pad could lose."""
    window = QWidget()
    window.resize(SIDE, SIDE)
    canvas = Canvas(PadDocument(), window)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    QTest.touchEvent(canvas, touch_screen).press(0, QPoint(50, 50), canvas).commit()
    assert canvas.document.is_stroke_growing
    canvas.hide()
    assert not canvas.document.is_stroke_growing
    QTest.touchEvent(canvas, touch_screen).release(0, QPoint(50, 50), canvas).commit()


def test_a_handler_that_fails_ends_nothing() -> None:
    """Run in a process of its own, which must not be ended by the exceptions; PySide hands them to the hook."""
    code = """
import sys
from PySide6.QtCore import QEvent, QPointF, QTimer, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication
from vit_pad.canvas import Canvas
from vit_pad.document import PadDocument
from vit_pad.hand import Hand

def fail(self, holder, *rest):
    raise ValueError(holder)

Hand.press = fail

sys.excepthook = lambda kind, error, trace: print(kind.__name__)
app = QApplication([])
canvas = Canvas(PadDocument())
canvas.show()
place, left, none = QPointF(50, 50), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
for _ in range(5):
    app.postEvent(canvas, QMouseEvent(QEvent.Type.MouseButtonPress, place, place, left, left, none))
QTimer.singleShot(0, app.quit)
app.exec()
"""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout.split()) == (0, ["ValueError"] * 5), run.stderr


def test_the_eraser_cuts_where_it_passes(canvas: Canvas) -> None:
    drag(canvas, (20, 150), (280, 150))
    drag(canvas, (20, 225), (280, 225))  # its ink, not its middle, lies where the canvas is painted anew
    untouched = grey_of(canvas)[200:]
    canvas.tool = "eraser"
    canvas.eraser_radius = 20
    drag(canvas, (150, 80), (150, 190))
    grey = grey_of(canvas)
    radius_px = 20 / UNIT
    assert (grey[150, int(150 - radius_px) + 1 : int(150 + radius_px)] == PAPER).all()
    assert (grey[150, [20, 280, int(148 - radius_px), int(152 + radius_px)]] == INK).all()
    assert (grey[200:] == untouched).all()
    assert len(canvas.document.strokes) == 3
    canvas.document.undo_stack.undo()
    assert grey_of(canvas)[150, 150] == INK


def test_what_the_eraser_leaves_looks_as_drawn_at_once(canvas: Canvas) -> None:
    drag(canvas, (20, 20), (280, 280), (20, 280), (280, 20))
    canvas.tool = "eraser"
    drag(canvas, (20, 150), (100, 140), (150, 150), (150, 270), paints=True)
    by_pieces = grey_of(canvas)
    canvas.resize(SIDE + 1, SIDE + 1)
    canvas.resize(SIDE, SIDE)
    gaps = np.abs(grey_of(canvas) - by_pieces)
    assert gaps.mean() < 0.1
    assert (gaps > 64).sum() < 20


def test_the_cursor_shows_the_erasers_size(canvas: Canvas) -> None:
    canvas.tool = "eraser"
    canvas.eraser_radius = 30
    cursor = canvas.cursor()
    assert cursor.pixmap().width() == pytest.approx(2 * 30 / UNIT, abs=6)
    assert cursor.hotSpot() == QPoint(cursor.pixmap().width() // 2, cursor.pixmap().height() // 2)
    canvas.tool = "pen"
    assert canvas.cursor().shape() == Qt.CursorShape.CrossCursor


def test_changing_the_tool_in_mid_stroke_ends_it(canvas: Canvas) -> None:
    send_mouse(canvas, PRESS, 50, 50)
    canvas.tool = "eraser"
    assert not canvas.document.is_stroke_growing


def test_a_picture_lies_under_the_ink_where_it_is_read(canvas: Canvas, tmp_path: Path) -> None:
    image = Image.new("L", (200, 100), 255)
    image.paste(0, (0, 0, 50, 100))
    image.save(tmp_path / "left.png")
    canvas.document.replace((), load_file(tmp_path / "left.png").picture)
    grey = grey_of(canvas)
    assert (grey[80:220, 2:72] == INK).all()  # a quarter of the width, half of the height, in the middle
    assert (grey[:73] == PAPER).all()
    assert (grey[:, 78:] == PAPER).all()
    drag(canvas, (200, 150), (250, 150))
    canvas.tool = "eraser"
    drag(canvas, (20, 150), (280, 150))
    assert (grey_of(canvas) == grey).all()


@pytest.mark.parametrize("ratio", [1.25, 1.5, 2.0])
def test_ink_is_sharp_at_any_screen_scale(ratio: float) -> None:
    """Run in a process of its own, because the scale is that of the whole application."""
    code = """
import sys
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from vit_pad.canvas import Canvas
from vit_pad.document import PadDocument
app = QApplication([])
canvas = Canvas(PadDocument())
canvas.resize(300, 300)
canvas.show()
canvas.grab()
QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(50, 150))
QTest.mouseMove(canvas, QPoint(150, 150))
QTest.mouseMove(canvas, QPoint(250, 150))
QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(250, 150))
image = canvas.grab().toImage()
levels = [image.pixelColor(image.width() // 2, y).lightness() for y in range(image.height())]
print(image.width(), levels.count(max(levels)), sum(min(levels) < each < max(levels) for each in levels))
"""
    environment = {**os.environ, "QT_SCALE_FACTOR": str(ratio), "QT_QPA_PLATFORM": "offscreen"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    width, num_ink, num_grey = map(int, run.stdout.split())
    assert width == 300 * ratio
    assert num_ink == pytest.approx(22 / UNIT * ratio, abs=2)
    assert num_grey <= 2


class MovableCanvas(Canvas):
    """A canvas whose screen can be changed."""

    ratio = 1.0

    def devicePixelRatioF(self) -> float:
        return self.ratio


def fine_grey_of(canvas: Canvas) -> Grey:
    """Give what a screen with 2 device pixels a widget pixel shows."""
    image = QImage(2 * SIDE, 2 * SIDE, QImage.Format.Format_Grayscale8)
    image.setDevicePixelRatio(2)
    canvas.render(image)
    return np.frombuffer(image.constBits(), np.uint8).reshape(2 * SIDE, 2 * SIDE).astype(np.int16)


def test_a_move_to_another_screen_draws_the_ink_anew(qtbot: QtBot) -> None:
    moved, other = shown_canvas(qtbot, MovableCanvas), shown_canvas(qtbot, MovableCanvas)
    drag(moved, (50, 150), (250, 190))
    coarse = fine_grey_of(moved)
    moved.ratio = other.ratio = 2.0  # type: ignore[attr-defined]  # shown_canvas gives any kind as a Canvas
    drag(other, (50, 150), (250, 190))
    fine = fine_grey_of(moved)
    assert (fine == fine_grey_of(other)).all()
    assert (fine != coarse).any()


@pytest.mark.parametrize("size", [(500, 320), (320, 500), (400, 400)])
def test_the_pad_stays_square_and_in_the_middle(qtbot: QtBot, size: tuple[int, int]) -> None:
    canvas, layer = Canvas(PadDocument()), QWidget()
    frame = SquareFrame(canvas)
    frame.add_layer(layer)
    qtbot.addWidget(frame)
    frame.resize(*size)
    frame.show()
    side = min(size)
    assert canvas.geometry() == layer.geometry() == QRect((size[0] - side) // 2, (size[1] - side) // 2, side, side)
    assert frame.children()[-1] is layer


def send_drop(canvas: Canvas, mime: QMimeData) -> bool:
    """Drag something over the pad and let go; tell whether the pad would take it."""
    copy, no_keys = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), copy, mime, LEFT, no_keys)
    enter.ignore()
    QApplication.sendEvent(canvas, enter)
    if enter.isAccepted():
        QApplication.sendEvent(canvas, QDropEvent(QPointF(50, 50), copy, mime, LEFT, no_keys))
    return enter.isAccepted()


def test_a_dropped_file_is_handed_on(qtbot: QtBot, canvas: Canvas, tmp_path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "seven.jsonl"))])
    with qtbot.waitSignal(canvas.drop_received) as caught:
        assert send_drop(canvas, mime)
    assert caught.args == [tmp_path / "seven.jsonl"]


def test_a_dropped_picture_is_handed_on(qtbot: QtBot, canvas: Canvas) -> None:
    image = QImage(3, 2, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    mime = QMimeData()
    mime.setImageData(image)
    with qtbot.waitSignal(canvas.drop_received) as caught:
        assert send_drop(canvas, mime)
    assert caught.args == [image]


def test_a_dropped_address_is_a_problem_with_words(qtbot: QtBot, canvas: Canvas) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/a.png")])
    with qtbot.waitSignal(canvas.problem) as caught:
        send_drop(canvas, mime)
    assert caught.args is not None
    assert isinstance(caught.args[0], Message)


def test_dropped_text_is_not_taken(canvas: Canvas) -> None:
    mime = QMimeData()
    mime.setText("seven")
    assert not send_drop(canvas, mime)


def test_the_keyboard_focus_is_seen_when_it_came_by_tab(canvas: Canvas) -> None:
    canvas.activateWindow()
    canvas.setFocus(Qt.FocusReason.MouseFocusReason)
    assert grey_of(canvas)[150, 0] == PAPER
    canvas.clearFocus()
    canvas.setFocus(Qt.FocusReason.TabFocusReason)
    assert grey_of(canvas)[150, 0] != PAPER


def test_the_canvas_loads_nothing_heavy() -> None:
    code = "import sys, vit_pad.canvas; print([name for name in ('torch', 'PIL', 'pyqtgraph') if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.strip() == "[]"
