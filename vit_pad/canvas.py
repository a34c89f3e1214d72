"""The pad on the screen: shows the document."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QCursor,
    QDragEnterEvent,
    QDropEvent,
    QFocusEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from training.errors import UserError
from training.facts import Box
from training.strokes import PAD_SIZE, Stroke
from vit_pad.document import PadDocument
from vit_pad.eraser import box_around
from vit_pad.hand import Hand, Tool
from vit_pad.ink_layer import InkLayer, new_ink_box
from vit_pad.keyboard_pen import KeyboardPen, cursor_area, paint_cursor
from vit_pad.look_pointer import LookPointer
from vit_pad.open_file import holds_content, item_from_mime
from vit_pad.pointer import Pointers
from vit_pad.theme import PAPERS, Paper, font

_WHEEL_STEP = 120  # of a wheel that clicks, in Qt's units


class Canvas(QWidget):
    """The square one draws on; every pixel takes ink. Widget pixels become pad units by one scale, `pad_scale`.

    What mouse, pen, fingers and keys do is the business of `Pointers`, which change the document. The ink is kept as an
    image; a new piece of a stroke costs its own pixels only.
    """

    drop_received = Signal(object)  # a pathlib.Path or a QImage
    problem = Signal(object)  # a training.errors.Message
    pointed_at = Signal(float, float)  # a place to look at, in pad units, by a click
    looked_at = Signal(float, float)  # a place that the pointer rests on, in pad units, while one looks
    look_left = Signal()  # it rests nowhere any more
    wheel_turned = Signal(int)  # steps away from the hand, negative towards it

    def __init__(self, document: PadDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self._paper: Paper = "dark"
        self._hand = Hand(document)
        self._keys = KeyboardPen(self._hand, self._show_keyboard_cursor)
        self._keyboard_cursor = QRect()  # where it was painted
        self._layer: InkLayer | None = None  # None: to be drawn anew with the next paint
        self._layer_ratio = 0.0  # device pixels a widget pixel, of the layer
        self._shown: tuple[Stroke, ...] = ()  # what the layer shows
        self._has_new_ink = False  # strokes grew or came since
        self._erased: Box | None = None  # where strokes were cut since; never together with new ink
        self._was_empty = document.is_empty
        self._wheel_rest = 0  # of a step that a smooth wheel has begun
        self._shows_focus = False
        self.setObjectName("canvas")
        self._show_accessible_words()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        self.setContextMenuPolicy(
            Qt.ContextMenuPolicy.PreventContextMenu
        )  # a pen's button, or its rest, is no wish for it
        document.changed.connect(self._show_change)
        pointers = Pointers(self, self._hand, self._keys, self.to_pad)
        pointers.pointed_at.connect(self.pointed_at)
        self._look_pointer = LookPointer(self)
        self._look_pointer.clicked.connect(lambda position: self.pointed_at.emit(*self.to_pad(position)))
        self._look_pointer.rested.connect(lambda position: self.looked_at.emit(*self.to_pad(position)))
        self._look_pointer.left.connect(self.look_left)
        self._update_cursor()

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
        return self._hand.tool

    @tool.setter
    def tool(self, tool: Tool) -> None:
        self._hand.lift()
        self._hand.tool = tool
        self._update_cursor()

    @property
    def is_looking(self) -> bool:
        """Whether pointers look at places instead of drawing."""
        return self._look_pointer.is_active

    @is_looking.setter
    def is_looking(self, is_looking: bool) -> None:
        self._hand.lift()
        self._look_pointer.is_active = is_looking
        self._update_cursor()

    @property
    def pen_width(self) -> float:
        """Width of the next stroke in pad units."""
        return self._hand.pen_width

    @pen_width.setter
    def pen_width(self, width: float) -> None:
        self._hand.pen_width = width

    @property
    def eraser_radius(self) -> float:
        """Radius of the eraser in pad units."""
        return self._hand.eraser_radius

    @eraser_radius.setter
    def eraser_radius(self, radius: float) -> None:
        self._hand.eraser_radius = radius
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

    # What comes to the pad

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = self._wheel_rest + event.angleDelta().y()
        steps = int(turned / _WHEEL_STEP)  # towards zero, both ways
        self._wheel_rest = turned - steps * _WHEEL_STEP
        if steps:
            self.wheel_turned.emit(steps)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._show_focus(False)
        super().focusOutEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._show_focus(event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason))
        super().focusInEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if holds_content(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        try:
            self.drop_received.emit(item_from_mime(event.mimeData()))
        except UserError as error:
            self.problem.emit(error.message)

    # What is seen

    def paintEvent(self, event: QPaintEvent) -> None:
        layer = self._fresh_layer()
        painter = QPainter(self)
        painter.drawImage(QPointF(), layer.image)
        if self.document.is_empty:
            painter.setPen(QColor(PAPERS[self._paper].hint))
            painter.setFont(font("title"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._hint())
        if self._shows_focus:
            painter.setPen(QPen(self.palette().highlight(), 4))
            painter.drawRect(self.rect())
        if self._keys.is_shown:
            self._paint_keyboard_cursor(painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._layer = None
        self._update_cursor()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._show_accessible_words()
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

    def _show_focus(self, is_shown: bool) -> None:
        if is_shown != self._shows_focus:
            self._shows_focus = is_shown
            self.update()

    def _show_accessible_words(self) -> None:
        self.setAccessibleName(self.tr("Drawing pad"))
        self.setAccessibleDescription(
            self.tr(
                "Draw with a mouse, a pen, a finger or keys. The arrow keys move a cursor, with Shift farther; Space "
                "puts the pen down and lifts it; Esc takes the stroke back."
            )
        )

    def _hint(self) -> str:
        if self._shows_focus:
            return self.tr("Draw a digit here\n\nArrow keys move, Space draws")
        return self.tr("Draw a digit here")

    def _show_keyboard_cursor(self) -> None:
        """Have the cursor painted where the keys moved it, or no longer; a move of the mouse takes it away."""
        self.setMouseTracking(self._keys.is_shown or self.is_looking)
        self.update(self._keyboard_cursor)
        self._keyboard_cursor = cursor_area(self._on_widget(self._keys.place)).toAlignedRect()
        self.update(self._keyboard_cursor)

    def _paint_keyboard_cursor(self, painter: QPainter) -> None:
        place, paper = self._on_widget(self._keys.place), QColor(PAPERS[self._paper].paper)
        paint_cursor(painter, place, QColor("#ff8c1a"), paper, self._keys.is_down)

    def _on_widget(self, place: tuple[float, float]) -> QPointF:
        return QPointF(*place) * self.pad_scale

    def _update_cursor(self) -> None:
        if self.is_looking:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        elif self.tool == "eraser":
            self.setCursor(_circle_cursor(self.eraser_radius * self.pad_scale, self.devicePixelRatioF()))
        else:
            self.setCursor(Qt.CursorShape.CrossCursor)


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
