"""Drawing with keys, for who can't hold a pen: a cursor that keys move, and a tool that Space puts down and lifts."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen

from training.strokes import PAD_SIZE
from vit_pad.eraser import Point
from vit_pad.hand import KEYS, Hand

# Pad units a key press.
STEP = 8.0
LARGE_STEP = 40.0

_WAYS: dict[int, tuple[int, int]] = {  # right, down; those between the arrows lie as on a number pad
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
    Qt.Key.Key_Home: (-1, -1),
    Qt.Key.Key_PageUp: (1, -1),
    Qt.Key.Key_End: (-1, 1),
    Qt.Key.Key_PageDown: (1, 1),
}
_PLAIN = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
_ARM_PX = 9.0
_GAP_PX = 3.5
_DOT_PX = 3.0


class KeyboardPen:
    """A cursor on the pad, seen from the first key until a mouse, a pen or a finger moves; `changed` hears of it."""

    def __init__(self, hand: Hand, changed: Callable[[], None]) -> None:
        self.place: Point = (PAD_SIZE / 2, PAD_SIZE / 2)  # pad units
        self.is_shown = False
        self._hand = hand
        self._changed = changed

    @property
    def is_down(self) -> bool:
        """Whether the keys draw or erase now."""
        return self._hand.is_at_work(KEYS)

    def takes(self, event: QKeyEvent) -> bool:
        """Tell whether a key is one of those that draw, and nobody else draws."""
        is_known = event.key() in _WAYS or event.key() == Qt.Key.Key_Space
        return is_known and not event.modifiers() & ~_PLAIN and self._hand.holder in (None, KEYS)

    def press(self, event: QKeyEvent) -> None:
        """Do what a key says that it `takes`."""
        self.is_shown = True
        if event.key() != Qt.Key.Key_Space:
            self._step(*_WAYS[event.key()], bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif not event.isAutoRepeat():
            self._toggle()
        self._changed()

    def rest(self) -> None:
        """Lift the tool if the keys hold it, and hide the cursor."""
        if self.is_shown:
            self.is_shown = False
            if self._hand.holder == KEYS:
                self._hand.lift()
            self._changed()

    def _step(self, right: int, down: int, is_large: bool) -> None:
        step = LARGE_STEP if is_large else STEP
        x, y = self.place
        self.place = min(max(x + right * step, 0.0), PAD_SIZE), min(max(y + down * step, 0.0), PAD_SIZE)
        if self.is_down:
            self._hand.move(self.place)

    def _toggle(self) -> None:
        if self.is_down:
            self._hand.lift()
        else:
            self._hand.press(KEYS, self.place)


def cursor_area(place: QPointF) -> QRectF:
    """Give the widget pixels that the cursor at a place touches."""
    reach = _ARM_PX + 3
    return QRectF(place.x() - reach, place.y() - reach, 2 * reach, 2 * reach)


def paint_cursor(painter: QPainter, place: QPointF, color: QColor, edge: QColor, is_down: bool) -> None:
    """Paint a cross, with a dot in its middle while the tool is down; `edge` sets it off from any ground."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(place)
    for each, width in ((edge, 5.0), (color, 2.0)):
        painter.setPen(QPen(each, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            painter.drawLine(QPointF(x, y) * _GAP_PX, QPointF(x, y) * _ARM_PX)
        if is_down:
            painter.drawEllipse(QPointF(), _DOT_PX - 1.5, _DOT_PX - 1.5)
    painter.restore()
