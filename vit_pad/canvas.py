"""The pad on the screen: shows the document and hands it what pen, mouse and finger do."""

from __future__ import annotations

import math
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QCursor,
    QDragEnterEvent,
    QDropEvent,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPointingDevice,
    QResizeEvent,
    QTabletEvent,
    QTouchEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from training.errors import UserError
from training.facts import Box
from training.strokes import DEFAULT_WIDTH, PAD_SIZE, Stroke
from vit_pad.document import PadDocument
from vit_pad.eraser import box_around
from vit_pad.ink_layer import InkLayer, new_ink_box
from vit_pad.open_file import holds_content, item_from_mime
from vit_pad.theme import PAPERS, Paper, font

Tool = Literal["pen", "eraser"]

DEFAULT_ERASER_RADIUS = 18.0  # pad units
_MOUSE, _PEN, _KEYS = -1, -2, -3  # stand for these where a finger has its number, which is never negative
_KEY_STEP, _LONG_KEY_STEP = 8.0, 32.0  # pad units that an arrow key moves the pen
_ARROWS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, -1.0),
    Qt.Key.Key_Down: (0.0, 1.0),
}
_KEY_CURSOR = 7.0  # radius in pad units
_TOUCHES = (QEvent.Type.TouchBegin, QEvent.Type.TouchUpdate, QEvent.Type.TouchEnd, QEvent.Type.TouchCancel)
_BUTTONS: dict[Qt.MouseButton, Tool | None] = {  # None: the tool that is chosen
    Qt.MouseButton.LeftButton: None,
    Qt.MouseButton.RightButton: "eraser",
}
_OTHER_KEYS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_WHEEL_STEP = 120  # of a wheel that clicks, in Qt's units
_LOSSES = (QEvent.Type.UngrabMouse, QEvent.Type.WindowDeactivate)


class Canvas(QWidget):
    """The square one draws on; every pixel takes ink. Widget pixels become pad units by one scale, `pad_scale`.

    One pointer draws at a time: the mouse, a pen, the first finger or the arrow keys, until it is lifted, the window
    loses the focus or Esc takes the stroke back. The right mouse button, a pen's button and its other end erase,
    whatever the tool. The ink is kept as an image; a new piece of a stroke costs its own pixels only.
    """

    drop_received = Signal(object)  # a pathlib.Path or a QImage
    problem = Signal(object)  # a training.errors.Message
    wheel_turned = Signal(int)  # steps away from the hand, negative towards it

    def __init__(self, document: PadDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self._paper: Paper = "dark"
        self._tool: Tool = "pen"
        self._pen_width = DEFAULT_WIDTH
        self._eraser_radius = DEFAULT_ERASER_RADIUS
        self._layer: InkLayer | None = None  # None: to be drawn anew with the next paint
        self._layer_ratio = 0.0  # device pixels a widget pixel, of the layer
        self._shown: tuple[Stroke, ...] = ()  # what the layer shows
        self._has_new_ink = False  # strokes grew or came since
        self._erased: Box | None = None  # where strokes were cut since; never together with new ink
        self._was_empty = document.is_empty
        self._pointer: int | None = None  # what draws: mouse, pen, keys, or the number of a finger
        self._button = Qt.MouseButton.LeftButton  # that the mouse draws with
        self._gesture_tool: Tool = "pen"  # what the pointer that draws is
        self._key_place: tuple[float, float] | None = None  # of the pen that the keys move, once they do; pad units
        self._wheel_rest = 0  # of a step that a smooth wheel has begun
        self._shows_focus = False
        self.setObjectName("canvas")
        self._name()
        self.setAttribute(Qt.WidgetAttribute.WA_AcceptTouchEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        self.setContextMenuPolicy(
            Qt.ContextMenuPolicy.PreventContextMenu
        )  # a pen's button, or its rest, is no wish for it
        self._update_cursor()
        document.changed.connect(self._show_change)
        # For touch and losses. Not by overriding event(): an exception in Python code below such an override, in any of
        # the other handlers here, can end the process (PySide6 6.11).
        self.installEventFilter(self)

    @property
    def paper(self) -> Paper:
        """Whether white ink goes on dark paper, or black ink on light paper."""
        return self._paper

    @paper.setter
    def paper(self, paper: Paper) -> None:
        self._paper = paper
        if self._layer is not None:
            self._layer.set_colors(*self._layer_colors())
        self.update()

    @property
    def tool(self) -> Tool:
        """What the pointer is."""
        return self._tool

    @tool.setter
    def tool(self, tool: Tool) -> None:
        self._end_gesture()
        self._tool = tool
        self._update_cursor()

    @property
    def pen_width(self) -> float:
        """Width of the next stroke in pad units."""
        return self._pen_width

    @pen_width.setter
    def pen_width(self, width: float) -> None:
        self._pen_width = width

    @property
    def eraser_radius(self) -> float:
        """Radius of the eraser in pad units."""
        return self._eraser_radius

    @eraser_radius.setter
    def eraser_radius(self, radius: float) -> None:
        self._eraser_radius = radius
        self._update_cursor()

    @property
    def pad_scale(self) -> float:
        """Widget pixels a pad unit."""
        return max(min(self.width(), self.height()), 1) / PAD_SIZE

    def to_pad(self, position: QPointF) -> tuple[float, float]:
        """Give the pad position of a widget position; it may lie outside the pad."""
        return position.x() / self.pad_scale, position.y() / self.pad_scale

    def sizeHint(self) -> QSize:
        return QSize(560, 560)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 200)

    # What the hand does

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in _BUTTONS and (self._pointer in (None, _KEYS) or self._has_lost_release(event)):
            self._put_keys_away()
            self._button = event.button()
            self._begin(_MOUSE, event.position(), _BUTTONS[event.button()] or self._tool)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)  # the second of two quick dots

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pointer != _MOUSE:
            return  # a finger draws, and this mouse event may be an echo of it
        if event.buttons() & self._button:
            self._go_on(event.position())
        else:
            self._end_gesture()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == self._button and self._pointer == _MOUSE:
            self._end_gesture()

    def tabletEvent(self, event: QTabletEvent) -> None:
        event.accept()  # or it comes again, as a mouse event
        if event.type() == QEvent.Type.TabletPress and self._pointer in (None, _PEN, _KEYS):
            self._put_keys_away()
            is_other_end = event.pointerType() == QPointingDevice.PointerType.Eraser
            tool = "eraser" if is_other_end else _BUTTONS.get(event.button()) or self._tool
            self._begin(_PEN, event.position(), tool, event.pressure())
        elif self._pointer == _PEN and event.type() == QEvent.Type.TabletMove:
            self._go_on(event.position(), event.pressure())
        elif self._pointer == _PEN and event.type() == QEvent.Type.TabletRelease:
            self._end_gesture()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = self._wheel_rest + event.angleDelta().y()
        steps = int(turned / _WHEEL_STEP)  # towards zero, both ways
        self._wheel_rest = turned - steps * _WHEEL_STEP
        if steps:
            self.wheel_turned.emit(steps)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self:
            return False
        if event.type() in _TOUCHES and isinstance(event, QTouchEvent):
            event.accept()
            self._touch(event)
            return True
        if event.type() in _LOSSES:
            self._end_gesture()
        return False

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._end_gesture()
        self._put_keys_away()
        self._show_focus(False)
        super().focusOutEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._show_focus(event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason))
        super().focusInEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._end_gesture()
        super().hideEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape and self._pointer is not None:
            self._pointer = None
            self.document.cancel_stroke()
        elif key == Qt.Key.Key_Escape and self._key_place is not None:
            self._put_keys_away()
        elif key in _ARROWS and not event.modifiers() & _OTHER_KEYS:
            is_far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._move_by_keys(*_ARROWS[key], _LONG_KEY_STEP if is_far else _KEY_STEP)
        elif key == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._press_by_keys()
        else:
            super().keyPressEvent(event)

    def _move_by_keys(self, x: float, y: float, step: float) -> None:
        before = self._key_place or (PAD_SIZE / 2, PAD_SIZE / 2)
        self._key_place = (
            min(max(before[0] + step * x, 0.0), PAD_SIZE),
            min(max(before[1] + step * y, 0.0), PAD_SIZE),
        )
        if self._pointer == _KEYS:
            self._go_on(self._on_widget(self._key_place))
        self._update_area(box_around(_key_cursor_box(before), _key_cursor_box(self._key_place)))

    def _press_by_keys(self) -> None:
        """Put the pen down, or lift it."""
        if self._pointer == _KEYS:
            self._end_gesture()
        elif self._pointer is None:
            self._key_place = self._key_place or (PAD_SIZE / 2, PAD_SIZE / 2)
            self._begin(_KEYS, self._on_widget(self._key_place), self._tool)
        if self._key_place is not None:
            self._update_area(_key_cursor_box(self._key_place))

    def _put_keys_away(self) -> None:
        """Lift the pen of the keys, and hide where it is."""
        if self._pointer == _KEYS:
            self._end_gesture()
        if self._key_place is not None:
            self._update_area(_key_cursor_box(self._key_place))
            self._key_place = None

    def _on_widget(self, place: tuple[float, float]) -> QPointF:
        return QPointF(*place) * self.pad_scale

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if holds_content(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        try:
            self.drop_received.emit(item_from_mime(event.mimeData()))
        except UserError as error:
            self.problem.emit(error.message)

    def _touch(self, event: QTouchEvent) -> None:
        points = event.points()
        if event.type() == QEvent.Type.TouchBegin and self._pointer in (None, _KEYS):
            self._put_keys_away()
            self._begin(points[0].id(), points[0].position(), self._tool)
        elif event.type() == QEvent.Type.TouchCancel and self._pointer is not None and self._pointer >= 0:
            self._pointer = None
            self.document.cancel_stroke()
        else:
            for point in points:
                if point.id() == self._pointer and point.state() != point.State.Stationary:
                    self._go_on(point.position())
                    if point.state() == point.State.Released:
                        self._end_gesture()

    def _has_lost_release(self, event: QMouseEvent) -> bool:
        """Tell whether the mouse still draws only because the release of its button went to somebody else."""
        is_other_held = event.button() != self._button and bool(event.buttons() & self._button)
        return self._pointer == _MOUSE and not is_other_held

    def _begin(self, pointer: int, position: QPointF, tool: Tool, pressure: float | None = None) -> None:
        self._end_gesture()
        self._pointer = pointer
        self._gesture_tool = tool
        if tool == "pen":
            self.document.begin_stroke(*self.to_pad(position), self._pen_width, pressure)
        else:
            self.document.begin_erase(*self.to_pad(position), self._eraser_radius)

    def _go_on(self, position: QPointF, pressure: float | None = None) -> None:
        if self._gesture_tool == "pen":
            self.document.extend_stroke(*self.to_pad(position), pressure)
        else:
            self.document.erase_to(*self.to_pad(position), self._eraser_radius)

    def _end_gesture(self) -> None:
        if self._pointer is None:
            return
        self._pointer = None
        if self._gesture_tool == "pen":
            self.document.end_stroke()
        else:
            self.document.end_erase()

    # What is seen

    def paintEvent(self, event: QPaintEvent) -> None:
        layer = self._fresh_layer()
        painter = QPainter(self)
        painter.drawImage(QPointF(), layer.image)
        if self.document.is_empty:
            painter.setPen(QColor(PAPERS[self._paper].hint))
            painter.setFont(font("title"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.tr("Draw a digit here"))
        if self._key_place is not None:
            self._paint_key_cursor(painter, self._on_widget(self._key_place))
        if self._shows_focus:
            painter.setPen(QPen(self.palette().highlight(), 4))
            painter.drawRect(self.rect())
        painter.end()

    def _paint_key_cursor(self, painter: QPainter, place: QPointF) -> None:
        """Paint a ring where the keys have the pen, full while it is down; seen on ink and paper alike."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        radius = _KEY_CURSOR * self.pad_scale - 2
        painter.setBrush(self.palette().highlight() if self._pointer == _KEYS else Qt.BrushStyle.NoBrush)
        for color, width in ((QColor("#000000"), 4.0), (QColor("#ffffff"), 2.0)):
            painter.setPen(QPen(color, width))
            painter.drawEllipse(place, radius, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._layer = None
        self._update_cursor()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._name()
            self.update()
        super().changeEvent(event)

    def _show_change(self) -> None:
        """Ask for a paint of what changed. In it the layer catches up with all that came until then."""
        document, erased = self.document, self.document.changed_area
        if self._layer is None or document.is_empty != self._was_empty:
            self._show_all_anew()
        elif document.is_stroke_growing and self._erased is None:
            self._has_new_ink = True
            self._update_area(new_ink_box(document.strokes[-1], len(document.strokes[-1].points) - 1))
        elif erased is not None and not self._has_new_ink:
            self._erased = erased if self._erased is None else box_around(self._erased, erased)
            self._update_area(erased)
        else:
            self._show_all_anew()
        self._was_empty = document.is_empty

    def _show_all_anew(self) -> None:
        self._layer = None
        self.update()

    def _update_area(self, area: Box) -> None:
        """Have a part of the pad painted, with all widget pixels that it touches."""
        margin = 2.0  # the smooth edge
        scale = self.pad_scale
        part = QRectF(area.x * scale, area.y * scale, area.width * scale, area.height * scale)
        self.update(part.adjusted(-margin, -margin, margin, margin).intersected(QRectF(self.rect())).toAlignedRect())

    def _fresh_layer(self) -> InkLayer:
        """Give the layer, which shows the document as it is now."""
        ratio = self.devicePixelRatioF()
        if self._layer is None or ratio != self._layer_ratio:  # the window may have moved to another screen
            size = QSize(math.ceil(self.width() * ratio), math.ceil(self.height() * ratio))
            self._layer = InkLayer(size, self.pad_scale * ratio, *self._layer_colors())
            self._layer.image.setDevicePixelRatio(ratio)
            self._layer.render(self.document.strokes, self.document.picture)
            self._layer_ratio = ratio
        elif self._erased is not None:
            self._layer.redraw(self.document.strokes, self._erased)
        elif self._has_new_ink:
            self._draw_new_ink(self._layer)
        self._shown = self.document.strokes
        self._erased = None
        self._has_new_ink = False
        return self._layer

    def _draw_new_ink(self, layer: InkLayer) -> None:
        """Draw what the last stroke that is shown gained since then, and the strokes after it."""
        strokes, num_shown = self.document.strokes, len(self._shown)
        if num_shown > 0 and strokes[num_shown - 1] is not self._shown[-1]:
            layer.draw_new(strokes[num_shown - 1], len(self._shown[-1].points))
        for stroke in strokes[num_shown:]:
            layer.draw_new(stroke, 0)

    def _layer_colors(self) -> tuple[QColor, QColor]:
        colors = PAPERS[self._paper]
        return QColor(colors.paper), QColor(colors.ink)

    def _name(self) -> None:
        self.setAccessibleName(self.tr("Drawing pad"))
        self.setAccessibleDescription(
            self.tr(
                "Draw with mouse, pen or finger. With the keyboard: arrow keys move the pen, with Shift farther, Space "
                "puts it down and lifts it, Escape takes the stroke back."
            )
        )

    def _show_focus(self, is_shown: bool) -> None:
        if is_shown != self._shows_focus:
            self._shows_focus = is_shown
            self.update()

    def _update_cursor(self) -> None:
        if self._tool == "eraser":
            self.setCursor(_circle_cursor(self._eraser_radius * self.pad_scale, self.devicePixelRatioF()))
        else:
            self.setCursor(Qt.CursorShape.CrossCursor)


def _key_cursor_box(place: tuple[float, float]) -> Box:
    return Box(place[0] - _KEY_CURSOR, place[1] - _KEY_CURSOR, 2 * _KEY_CURSOR, 2 * _KEY_CURSOR)


def _circle_cursor(radius_px: float, ratio: float) -> QCursor:
    """Give a cursor that shows the eraser's reach, on dark and on light alike. The screen moves it without a paint."""
    side = 2 * math.ceil(radius_px) + 4
    pixmap = QPixmap(math.ceil(side * ratio), math.ceil(side * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for color, width in ((QColor("#000000"), 3.0), (QColor("#ffffff"), 1.2)):
        painter.setPen(QPen(color, width))
        painter.drawEllipse(QPointF(side / 2, side / 2), radius_px, radius_px)
    painter.end()
    return QCursor(pixmap, side // 2, side // 2)


class SquareFrame(QWidget):
    """Keeps the canvas, and the layers over it, as the largest square that fits, in the middle."""

    def __init__(self, canvas: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layers: list[QWidget] = []
        self.add_layer(canvas)

    def add_layer(self, widget: QWidget) -> None:
        """Lay a widget over those that are there, at the same place."""
        widget.setParent(self)
        widget.setGeometry(self.square())
        widget.raise_()
        self._layers.append(widget)

    def square(self) -> QRect:
        """Give the largest square in the middle of this widget."""
        side = min(self.width(), self.height())
        return QRect(QPoint((self.width() - side) // 2, (self.height() - side) // 2), QSize(side, side))

    def sizeHint(self) -> QSize:
        return self._layers[0].sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._layers[0].minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        for layer in self._layers:
            layer.setGeometry(self.square())
        super().resizeEvent(event)
