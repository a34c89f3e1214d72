"""What a pointer does over the pad while one looks instead of drawing: rest on a place, or click it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QTabletEvent, QTouchEvent
from PySide6.QtWidgets import QWidget


class LookPointer(QObject):
    """Watches a widget; while it is active no press, move or release goes on to whoever draws.

    Pens and fingers point as the mouse does. Signals, with a place of the widget:
        rested(QPointF): the pointer is there; left(): it is no longer over the widget; clicked(QPointF).
    """

    rested = Signal(QPointF)
    left = Signal()
    clicked = Signal(QPointF)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._is_active = False

    @property
    def is_active(self) -> bool:
        """Whether one looks."""
        return self._is_active

    @is_active.setter
    def is_active(self, is_active: bool) -> None:
        if is_active == self._is_active:
            return
        self._is_active = is_active
        self._widget.setMouseTracking(is_active)
        if is_active:
            self._widget.installEventFilter(self)  # installed last, it hears of everything first
        else:
            self._widget.removeEventFilter(self)
            self.left.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self._widget:
            return False
        if isinstance(event, (QMouseEvent, QTabletEvent)):
            return self._follow(event)
        if isinstance(event, QTouchEvent):
            return self._follow_finger(event)
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Hide):
            self.left.emit()
        return False

    def _follow(self, event: QMouseEvent | QTabletEvent) -> bool:
        if event.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.TabletPress):
            if event.button() == Qt.MouseButton.LeftButton:
                self.clicked.emit(event.position())
        elif event.type() in (QEvent.Type.MouseMove, QEvent.Type.TabletMove):
            self.rested.emit(event.position())
        event.accept()
        return True

    def _follow_finger(self, event: QTouchEvent) -> bool:
        if event.type() == QEvent.Type.TouchBegin:
            self.clicked.emit(event.points()[0].position())
        event.accept()
        return True
