"""What mouse, tablet pen, fingers and keys do over the pad, told to the hand that draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import (
    QEventPoint,
    QFocusEvent,
    QHideEvent,
    QInputDevice,
    QKeyEvent,
    QMouseEvent,
    QPointingDevice,
    QTabletEvent,
    QTouchEvent,
)
from PySide6.QtWidgets import QWidget

from vit_pad.eraser import Point
from vit_pad.hand import KEYS, MOUSE, TABLET, Hand, Tool
from vit_pad.keyboard_pen import KeyboardPen

_BUTTONS: dict[Qt.MouseButton, Tool | None] = {  # None: the tool that is chosen
    Qt.MouseButton.LeftButton: None,
    Qt.MouseButton.RightButton: "eraser",
}
_CLICK_PX = 6  # a mouse that moves less was clicked
_PRESSURE_DIGITS = 4  # finer than any tablet; keeps drawing files short


class Pointers(QObject):
    """Watches a widget and lets one of its pointers draw, until it is lifted or the widget loses it.

    The right mouse button erases, whatever the tool, and so does the eraser end of a pen. A pen takes the place of a
    finger, which may be the palm of the hand that holds it; nothing else takes the place of a pointer that draws.
    """

    # By an event filter, not by overriding event(): an exception in Python code below such an override, in any of the
    # other handlers of the widget, can end the process (PySide6 6.11).

    pointed_at = Signal(float, float)  # by a click with Ctrl: pad units from the left, from the top

    def __init__(self, widget: QWidget, hand: Hand, keys: KeyboardPen, to_pad: Callable[[QPointF], Point]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._hand = hand
        self._keys = keys
        self._to_pad = to_pad
        self._button = Qt.MouseButton.LeftButton  # that mouse or tablet pen draws with
        self._pointed_at: QPointF | None = None  # pressed with Ctrl there, and not moved since
        self._start_ms = 0  # of the pen's stroke
        widget.setAttribute(Qt.WidgetAttribute.WA_AcceptTouchEvents)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        answer = _ANSWERS.get(event.type())
        return answer is not None and watched is self._widget and answer(self, event)

    # The mouse

    def press_mouse(self, event: QMouseEvent) -> bool:
        """Begin, unless another pointer draws: then this may be an echo of it."""
        hand, button = self._hand, event.button()
        if button in _BUTTONS and (hand.holder in (None, KEYS) or self._has_lost_release(MOUSE, event)):
            self._keys.rest()
            self._button = button
            if button == Qt.MouseButton.LeftButton and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                hand.lift()
                self._pointed_at = event.position()
            else:
                self._press_tool(event.position())
        return True

    def _press_tool(self, position: QPointF) -> None:
        self._pointed_at = None
        self._hand.press(MOUSE, self._to_pad(position), _BUTTONS[self._button])

    def move_mouse(self, event: QMouseEvent) -> bool:
        """Go on with the button held; a move without it says that its release was lost."""
        if self._pointed_at is not None:
            self._move_from_pointed(event)
        elif self._hand.holder != MOUSE:
            self._keys.rest()
        elif event.buttons() & self._button:
            self._hand.move(self._to_pad(event.position()))
        else:
            self._hand.lift()
        return True

    def _move_from_pointed(self, event: QMouseEvent) -> None:
        """Draw from where Ctrl and the button were pressed, once the mouse has left that place."""
        start = self._pointed_at
        if not event.buttons() & self._button or self._hand.holder not in (None, KEYS):
            self._pointed_at = None
        elif start is not None and (event.position() - start).manhattanLength() >= _CLICK_PX:
            self._press_tool(start)
            self._hand.move(self._to_pad(event.position()))

    def release_mouse(self, event: QMouseEvent) -> bool:
        """Lift, with the button that began; a click with Ctrl has drawn nothing and points at something."""
        if event.button() == self._button:
            pointed_at, self._pointed_at = self._pointed_at, None
            if pointed_at is not None:
                self.pointed_at.emit(*self._to_pad(pointed_at))
            elif self._hand.holder == MOUSE:
                self._hand.lift()
        return True

    def _has_lost_release(self, holder: int, event: QMouseEvent | QTabletEvent) -> bool:
        """Tell whether a holder still draws only because the release of its button went to somebody else."""
        is_other_held = event.button() != self._button and bool(event.buttons() & self._button)
        return self._hand.holder == holder and not is_other_held

    # The tablet pen. What isn't accepted comes again as a mouse event.

    def press_pen(self, event: QTabletEvent) -> bool:
        """Begin, in the place of whatever else draws."""
        event.accept()
        hand, button = self._hand, event.button()
        if button not in _BUTTONS or (hand.holder == TABLET and not self._has_lost_release(TABLET, event)):
            return True
        self._keys.rest()
        if hand.is_finger:
            hand.cancel()
        self._widget.setFocus(Qt.FocusReason.MouseFocusReason)  # as the mouse gives it, so that Esc comes here
        is_eraser = event.pointerType() == QPointingDevice.PointerType.Eraser
        self._button = button
        self._start_ms = event.timestamp()
        place, tool = self._to_pad(event.position()), "eraser" if is_eraser else _BUTTONS[button]
        hand.press(TABLET, place, tool, _pressure(event))
        return True

    def move_pen(self, event: QTabletEvent) -> bool:
        """Go on while it touches; hovering is left to be a move of the mouse."""
        if self._hand.holder != TABLET:
            event.ignore()
            return False
        event.accept()
        if event.buttons() & self._button:
            t_ms = max(event.timestamp() - self._start_ms, 0)
            self._hand.move(self._to_pad(event.position()), _pressure(event), t_ms)
        else:
            self._hand.lift()
        return True

    def release_pen(self, event: QTabletEvent) -> bool:
        """Lift, with the button that began."""
        event.accept()
        if event.button() == self._button and self._hand.holder == TABLET:
            self._hand.lift()
        return True

    # Fingers. What isn't accepted can scroll or zoom something else, and comes again as a mouse event.

    def touch(self, event: QTouchEvent) -> bool:
        """Let the finger that comes down while nobody draws draw until it is lifted."""
        event.accept()
        for point in event.points():
            state = point.state()
            if state == QEventPoint.State.Pressed:
                if self._hand.holder in (None, KEYS):
                    self._keys.rest()
                    self._hand.press(point.id(), self._to_pad(point.position()))
            elif point.id() == self._hand.holder and state != QEventPoint.State.Stationary:
                self._hand.move(self._to_pad(point.position()))
                if state == QEventPoint.State.Released:
                    self._hand.lift()
        return True

    def cancel_touch(self, event: QTouchEvent) -> bool:
        """Take back what a finger drew that the system wants for something else."""
        event.accept()
        if self._hand.is_finger:
            self._hand.cancel()
        return True

    # Keys

    def claim_key(self, event: QKeyEvent) -> bool:
        """Have a key come here that is a shortcut elsewhere."""
        if self._is_escape(event) or self._keys.takes(event):
            event.accept()
            return True
        return False

    def press_key(self, event: QKeyEvent) -> bool:
        """Draw with the keys; Esc takes back what is under way, whoever draws."""
        if self._is_escape(event):
            self._hand.cancel()
        elif self._keys.takes(event):
            self._keys.press(event)
        else:
            return False
        return True

    def _is_escape(self, event: QKeyEvent) -> bool:
        return event.key() == Qt.Key.Key_Escape and self._hand.holder is not None

    # Losses

    def lose(self, _event: QEvent) -> bool:
        """Lift, as nothing more may come."""
        self._pointed_at = None
        self._hand.lift()
        return False

    def lose_focus(self, _event: QFocusEvent | QHideEvent) -> bool:
        """Lift, and let the keyboard's cursor go."""
        self._pointed_at = None
        self._hand.lift()
        self._keys.rest()
        return False


def _pressure(event: QTabletEvent) -> float | None:
    """Give 0 to 1, or None for a pen that doesn't feel it."""
    if event.pointingDevice().hasCapability(QInputDevice.Capability.Pressure):
        return round(event.pressure(), _PRESSURE_DIGITS)
    return None


_ANSWERS: dict[QEvent.Type, Callable[[Pointers, Any], bool]] = {
    QEvent.Type.MouseButtonPress: Pointers.press_mouse,
    QEvent.Type.MouseButtonDblClick: Pointers.press_mouse,  # the second of two quick dots
    QEvent.Type.MouseMove: Pointers.move_mouse,
    QEvent.Type.MouseButtonRelease: Pointers.release_mouse,
    QEvent.Type.TabletPress: Pointers.press_pen,
    QEvent.Type.TabletMove: Pointers.move_pen,
    QEvent.Type.TabletRelease: Pointers.release_pen,
    QEvent.Type.TouchBegin: Pointers.touch,
    QEvent.Type.TouchUpdate: Pointers.touch,
    QEvent.Type.TouchEnd: Pointers.touch,
    QEvent.Type.TouchCancel: Pointers.cancel_touch,
    QEvent.Type.ShortcutOverride: Pointers.claim_key,
    QEvent.Type.KeyPress: Pointers.press_key,
    QEvent.Type.UngrabMouse: Pointers.lose,
    QEvent.Type.WindowDeactivate: Pointers.lose,
    QEvent.Type.FocusOut: Pointers.lose_focus,
    QEvent.Type.Hide: Pointers.lose_focus,
}
