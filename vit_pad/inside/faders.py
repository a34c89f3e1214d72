"""The faders of the mixing desk, one a head, in a grid that shows and moves them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from vit_pad.choosers import name_widget
from vit_pad.inside.mix import HIGHEST, NEUTRAL, PATHS, BlockMix, Fader, Mix, PathName, snapped
from vit_pad.theme import UNIT, Theme, font, theme_of

STEP = 0.1  # of a key, or of a notch of the wheel
LEAST_TRAVEL_PX = 10.0 * UNIT  # of a drag from one end to the other, however small the fader is
_NOTCH = 120  # of the wheel, in eighths of a degree
_LEAST_ROW_PX, _USUAL_ROW_PX, _LARGEST_ROW_PX = 20.0, 34.0, 44.0
_LEAST_COLUMN_PX, _LARGEST_COLUMN_PX = 18.0, 40.0
_GAP_PX = 1.5 * UNIT  # between heads, their common fader and the switches
_WIDEST_FADER_PX = 24.0
_THUMB_PX = 4.0
_SWITCH_PX = 14.0
_RING_PX = 2.0
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


class Cell(NamedTuple):
    """A place in the grid."""

    block: int
    column: int  # the heads, their common fader, the switches


class Room(NamedTuple):
    """What words take, in widget pixels."""

    row_name_px: float
    column_name_px: float  # from top to bottom
    switch_px: float  # a column of switches, as wide as its name


class Layout(NamedTuple):
    """Where everything is, in widget pixels."""

    cells: dict[Cell, QRectF]
    row_names: list[QRectF]
    column_names: list[QRectF]


def lay_out_grid(width: float, height: float, depth: int, num_heads: int, room: Room) -> Layout:
    """Share the widget out: rows and columns of faders grow up to a limit, and never get too small to be hit."""
    row_px = _even(min(max((height - room.column_name_px) / max(depth, 1), _LEAST_ROW_PX), _LARGEST_ROW_PX))
    rest_px = width - room.row_name_px - 2 * _GAP_PX - len(PATHS) * room.switch_px
    fader_px = _even(min(max(rest_px / (num_heads + 1), _LEAST_COLUMN_PX), _LARGEST_COLUMN_PX))
    lefts = [room.row_name_px + head * fader_px for head in range(num_heads)]
    lefts.append(room.row_name_px + num_heads * fader_px + _GAP_PX)
    lefts += [lefts[-1] + fader_px + _GAP_PX + index * room.switch_px for index in range(len(PATHS))]
    columns = list(zip(lefts, [fader_px] * (num_heads + 1) + [room.switch_px] * len(PATHS), strict=True))
    tops = [room.column_name_px + block * row_px for block in range(depth)]
    return Layout(
        cells={
            Cell(block, column): QRectF(left, top, across, row_px)
            for block, top in enumerate(tops)
            for column, (left, across) in enumerate(columns)
        },
        row_names=[QRectF(0, top, room.row_name_px, row_px) for top in tops],
        column_names=[QRectF(left, 0, across, room.column_name_px) for left, across in columns],
    )


def _even(length_px: float) -> float:
    """Give the even number of pixels that fits: what lies in the middle comes out sharp."""
    return 2.0 * int(length_px / 2)


def track_of(cell: QRectF) -> QRectF:
    """Give the track of a fader in its cell."""
    track = QRectF(0, 0, min(cell.width() - 6, _WIDEST_FADER_PX), cell.height() - 6)
    track.moveCenter(cell.center())
    return track


def thumb_of(track: QRectF, scale: float) -> QRectF:
    """Give the thumb of a fader: at the lower end for 0, in the middle for 1."""
    share = min(max(scale, 0.0), HIGHEST) / HIGHEST
    top = track.bottom() - _THUMB_PX - share * (track.height() - _THUMB_PX)
    return QRectF(track.left(), top, track.width(), _THUMB_PX)


def letter_box(track: QRectF, size: QSizeF, scale: float) -> QRectF:
    """Give the place of a letter on a track, at the end that the thumb is farther from."""
    box = QRectF(0, 0, min(size.width() + 2, track.width()), min(size.height(), track.height()))
    box.moveCenter(track.center())
    if scale > 1:
        box.moveBottom(track.bottom())
    else:
        box.moveTop(track.top())
    return box


class _Drag(NamedTuple):
    """A fader that is held: where and at what it was taken."""

    y: float
    scale: float


class FaderGrid(QWidget):
    """All faders and switches of a model. One of them is framed: the keys are for it.

    Signals:
        mixed: a person moved or switched something; `mix` says what came of it.
        framed: something else is framed, or what is framed says something else.
    """

    mixed = Signal()
    framed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        name_widget(self, "faderGrid", self.tr("Heads and paths"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._mix: Mix = ()
        self._cell = Cell(0, 0)
        self._drag: _Drag | None = None
        self._turned = 0  # the wheel, short of a notch
        self.installEventFilter(self)

    @property
    def mix(self) -> Mix:
        """What faders and switches say."""
        return self._mix

    @property
    def num_heads(self) -> int:
        """Heads of each block."""
        return self._mix[0].num_heads if self._mix else 0

    @property
    def cell(self) -> Cell:
        """What is framed."""
        return self._cell

    @property
    def row(self) -> BlockMix | None:
        """The row of what is framed; None where there is nothing."""
        return self._mix[self._cell.block] if self._mix else None

    def show_mix(self, mix: Mix) -> None:
        """Show what faders and switches say, without `mixed`."""
        is_reshaped = [row.num_heads for row in self._mix] != [row.num_heads for row in mix]
        self._mix = mix
        if is_reshaped:
            self._drag = None
            self._fit()
        self.frame(self._cell)

    def frame(self, cell: Cell) -> None:
        """Frame a cell, or the nearest there is."""
        block = max(min(cell.block, len(self._mix) - 1), 0)
        self._cell = Cell(block, max(min(cell.column, self.num_heads + len(PATHS)), 0))
        self.setAccessibleDescription(self.describe(self._cell))
        self.update()
        self.framed.emit()

    def toggle(self) -> None:
        """Mute the fader that is framed, or turn the switch."""
        if self.row is not None:
            self._change(self.row.toggled(self._cell.column))

    def solo(self) -> None:
        """Let the head that is framed be heard alone in its block, or end that."""
        if self.row is not None and self._cell.column < self.num_heads:
            self._change(self.row.solo_toggled(self._cell.column))

    def describe(self, cell: Cell) -> str:
        """Say what a cell is and how it stands."""
        if not self._mix:
            return self.tr("This model has no attention.")
        row, block = self._mix[cell.block], cell.block + 1
        fader = row.fader(cell.column)
        if fader is None:
            path = row.path(cell.column)
            state = self.tr("left out") if path in row.skipped else self.tr("on")
            words = self.tr("{name} of block {block}: {state}")
            return words.format(name=self._path_names()[path][1], block=block, state=state)
        state = self._state(fader)
        if cell.column == self.num_heads:
            return self.tr("All heads of block {block}: {state}").format(block=block, state=state)
        if row.soloed == cell.column:
            state = self.tr("{state}, solo").format(state=state)
        if row.whole != NEUTRAL:
            state = self.tr("{state}; all heads: {whole}").format(state=state, whole=self._state(row.whole))
        words = self.tr("Head {head} of block {block}: {state}")
        return words.format(head=cell.column + 1, block=block, state=state)

    def cell_at(self, position: QPointF) -> Cell | None:
        """Give what is at a place in the widget."""
        return next((cell for cell, rect in self._lay_out().cells.items() if rect.contains(position)), None)

    def sizeHint(self) -> QSize:
        return self._size(_USUAL_ROW_PX, 3.5 * UNIT)

    def minimumSizeHint(self) -> QSize:
        return self._size(_LEAST_ROW_PX, _LEAST_COLUMN_PX)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._fit()
        super().changeEvent(event)

    def _fit(self) -> None:
        self.setMaximumHeight(self._size(_LARGEST_ROW_PX, 0).height())
        self.updateGeometry()

    # What a person does.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or cell is None:
            super().mousePressEvent(event)
            return
        self.frame(cell)
        fader = self._mix[cell.block].fader(cell.column)
        if fader is None:
            self.toggle()
        else:
            self._drag = _Drag(event.position().y(), fader.scale)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        is_left, cell = event.button() == Qt.MouseButton.LeftButton, self.cell_at(event.position())
        if is_left and cell == self._cell and self.row is not None and self.row.fader(cell.column) is not None:
            self._rest()
        else:
            self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            track = track_of(self._lay_out().cells[self._cell])
            travel_px = max(track.height() - _THUMB_PX, LEAST_TRAVEL_PX)
            self._move_to(self._drag.scale + HIGHEST * (self._drag.y - event.position().y()) / travel_px)
            return
        # Not by overriding event(): an exception in anything below such an override can end the process (PySide6 6.11).
        cell = self.cell_at(event.position())
        if cell is None:
            self.unsetCursor()
        else:
            is_fader = self._mix[cell.block].fader(cell.column) is not None
            self.setCursor(Qt.CursorShape.SizeVerCursor if is_fader else Qt.CursorShape.PointingHandCursor)
        words = "" if cell is None else f"{self.describe(cell)}\n{self._help(cell)}"
        if words != self.toolTip():
            self.setToolTip(words)
            QToolTip.hideText()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._drag = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        cell, turned = self.cell_at(event.position()), event.angleDelta().y()
        if cell is None or not turned or self._mix[cell.block].fader(cell.column) is None:
            event.ignore()  # whatever the grid lies in scrolls
            return
        event.accept()
        if cell != self._cell:
            self._turned = 0
            self.frame(cell)
        notches = int((self._turned + turned) / _NOTCH)
        self._turned += turned - notches * _NOTCH
        self._step(notches)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        act = self._act_of(event)
        if act is None:
            super().keyPressEvent(event)
        else:
            act()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self
            and event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._act_of(event) is not None
        ):
            event.accept()  # else a shortcut of the window would take the key
        return False

    def _act_of(self, event: QKeyEvent) -> Callable[[], object] | None:
        """Give what a key does, None where that is nothing."""
        keys, (block, column) = Qt.Key, self._cell
        by_rows: dict[int, Callable[[], object]] = {
            keys.Key_Up: lambda: self.frame(Cell(block - 1, column)),
            keys.Key_Down: lambda: self.frame(Cell(block + 1, column)),
        }
        if not self._mix:
            return None
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            return by_rows.get(event.key())
        if event.modifiers() not in _PLAIN:
            return None
        plain: dict[int, Callable[[], object]] = {
            keys.Key_Left: lambda: self.frame(Cell(block, column - 1)),
            keys.Key_Right: lambda: self.frame(Cell(block, column + 1)),
            keys.Key_Home: lambda: self.frame(Cell(block, 0)),
            keys.Key_End: lambda: self.frame(Cell(block, self.num_heads + len(PATHS))),
            keys.Key_PageUp: by_rows[keys.Key_Up],
            keys.Key_PageDown: by_rows[keys.Key_Down],
            keys.Key_Up: lambda: self._step(1),
            keys.Key_Down: lambda: self._step(-1),
            keys.Key_M: self.toggle,
            keys.Key_Space: self.toggle,
            keys.Key_S: self.solo,
            keys.Key_Backspace: self._rest,
        }
        return plain.get(event.key())

    def _step(self, steps: int) -> None:
        """Move the fader that is framed by some steps; a switch is on above, off below."""
        if self.row is None or not steps:
            return
        fader = self.row.fader(self._cell.column)
        if fader is None:
            self._change(self.row.switched(self._cell.column, is_on=steps > 0))
        else:
            self._move_to(fader.scale + STEP * steps)

    def _move_to(self, scale: float) -> None:
        if self.row is not None:
            self._change(self.row.moved(self._cell.column, snapped(scale)))

    def _rest(self) -> None:
        if self.row is not None:
            self._change(self.row.rested(self._cell.column))

    def _change(self, row: BlockMix) -> None:
        """Take what a person made of the framed row."""
        if row == self.row:
            return
        block = self._cell.block
        self._mix = (*self._mix[:block], row, *self._mix[block + 1 :])
        self.frame(self._cell)
        self.mixed.emit()

    # What is seen.

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = theme_of(self)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(font("small"))
            painter.setPen(QColor(theme.quiet_text))
            if not self._mix:
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.describe(self._cell))
                return
            layout = self._lay_out()
            self._paint_names(painter, layout)
            for cell, rect in layout.cells.items():
                row = self._mix[cell.block]
                fader = row.fader(cell.column)
                if fader is None:
                    _paint_switch(painter, rect, theme, is_on=row.path(cell.column) not in row.skipped)
                else:
                    is_alone = row.soloed == cell.column
                    is_faint = cell.column < self.num_heads and row.is_silent
                    self._paint_fader(painter, rect, fader, is_alone=is_alone, is_faint=is_faint)
            self._paint_frame(painter, layout.cells[self._cell])

    def _paint_names(self, painter: QPainter, layout: Layout) -> None:
        centre = Qt.AlignmentFlag.AlignCenter
        paths = [self._path_names()[path][0] for path in PATHS]
        names = [*(str(head + 1) for head in range(self.num_heads)), self.tr("all"), *paths]
        for place, name in zip(layout.column_names, names, strict=True):
            painter.drawText(place, centre, name)
        for block, place in enumerate(layout.row_names):
            painter.drawText(place, centre, str(block + 1))
        corner = QRectF(0, 0, layout.row_names[0].width(), layout.column_names[0].height())
        painter.drawText(corner, centre, self.tr("Block"))

    def _paint_fader(self, painter: QPainter, cell: QRectF, fader: Fader, *, is_alone: bool, is_faint: bool) -> None:
        theme, track = theme_of(self), track_of(cell)
        thumb, middle = thumb_of(track, fader.scale), thumb_of(track, 1.0)
        is_changed = fader.scale != 1.0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.track))
        painter.drawRoundedRect(track, 3, 3)
        color = QColor(theme.line if is_faint else theme.accent if is_changed else theme.bar)
        if is_changed:  # from 1 to where it stands
            way = QRectF(track.center().x() - 2, thumb.center().y(), 4, middle.center().y() - thumb.center().y())
            painter.fillRect(way.normalized(), color)
            painter.fillRect(QRectF(track.left(), middle.center().y() - 0.5, track.width(), 1), color)
        painter.setBrush(color)
        painter.drawRoundedRect(thumb, 2, 2)
        if is_alone or fader.is_muted:
            letter = self.tr("S") if is_alone else self.tr("M")
            place = letter_box(track, QFontMetricsF(painter.font()).size(0, letter), fader.scale)
            painter.fillRect(place, QColor(theme.track))  # on low rows it lies over the thumb
            painter.setPen(QColor(theme.text))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, letter)

    def _paint_frame(self, painter: QPainter, cell: QRectF) -> None:
        theme = theme_of(self)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        ring_px = _RING_PX if self.hasFocus() else _RING_PX / 2
        inset = 2 - ring_px / 2
        painter.setPen(QPen(QColor(theme.accent), ring_px))
        painter.drawRoundedRect(QRectF(cell.toRect()).adjusted(inset, inset, -inset, -inset), 4, 4)

    def _lay_out(self) -> Layout:
        return lay_out_grid(self.width(), self.height(), len(self._mix), self.num_heads, self._room())

    def _room(self) -> Room:
        metrics = QFontMetricsF(font("small"))
        names = [short for short, _ in self._path_names().values()]
        return Room(
            row_name_px=math.ceil(max(metrics.horizontalAdvance(self.tr("Block")), 2 * UNIT) + UNIT / 2),
            column_name_px=math.ceil(metrics.height() + UNIT / 4),
            switch_px=_even(max(_SWITCH_PX, *map(metrics.horizontalAdvance, names)) + UNIT + 1),
        )

    def _size(self, row_px: float, column_px: float) -> QSize:
        room = self._room()
        width = room.row_name_px + (self.num_heads + 1) * column_px + 2 * _GAP_PX + len(PATHS) * room.switch_px
        return QSize(round(width), round(room.column_name_px + max(len(self._mix), 1) * row_px))

    def _path_names(self) -> dict[PathName, tuple[str, str]]:
        """Give the short and the long name of each path."""
        return {
            "attention": (self.tr("Att."), self.tr("Attention")),
            "mlp": (self.tr("MLP"), self.tr("MLP")),
            "residual": (self.tr("Res."), self.tr("Residual paths")),
        }

    def _state(self, fader: Fader) -> str:
        return self.tr("muted") if fader.is_muted else f"× {self.locale().toString(fader.scale, 'g', 3)}"

    def _help(self, cell: Cell) -> str:
        if self._mix[cell.block].fader(cell.column) is None:
            return self.tr("Click, Space or M leaves it out or takes it in again")
        words = self.tr("Drag, wheel, Up or Down moves it; M mutes; Backspace or a double click brings it back to 1")
        return f"{words}\n{self.tr('S lets one head be heard alone')}" if cell.column < self.num_heads else words


def _paint_switch(painter: QPainter, cell: QRectF, theme: Theme, *, is_on: bool) -> None:
    """Paint a box with a tick while a path is on, a frame with a cross while it is left out."""
    box = QRectF(0, 0, _SWITCH_PX, _SWITCH_PX)
    box.moveCenter(cell.center())
    x, y = box.left(), box.top()
    painter.setPen(Qt.PenStyle.NoPen if is_on else QPen(QColor(theme.accent), 1.5))
    painter.setBrush(QColor(theme.track) if is_on else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(QPen(QColor(theme.quiet_text if is_on else theme.accent), 1.75))
    if is_on:
        painter.drawPolyline([QPointF(x + 3.5, y + 7.5), QPointF(x + 6, y + 10), QPointF(x + 10.5, y + 4.5)])
    else:
        painter.drawLine(QPointF(x + 4, y + 4), QPointF(x + 10, y + 10))
        painter.drawLine(QPointF(x + 10, y + 4), QPointF(x + 4, y + 10))
