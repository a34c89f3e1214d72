"""All heads of all blocks on one wall, each with what it measurably does, to compare, to sort and to choose from.

Shapes: depth blocks, H heads, G patches along one side of the image.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from training.facts import FloatArray, Prediction
from training.head_measures import HeadMeasures, measure_heads
from vit_pad.choosers import choose, fill_chooser, name_widget
from vit_pad.heat import Palette, colorize, nice_scale
from vit_pad.look import Look, all_maps
from vit_pad.pace import Pace
from vit_pad.percent import percent
from vit_pad.rgba_image import rgba_image
from vit_pad.theme import UNIT, Paper, font, theme_of

PLACE = "place"  # the order in which no measure sorts
_MEASURE_EVERY_MS = 200  # nobody reads numbers that change faster
_LARGEST_PX = 96
_GAP_PX = 5  # holds the frame of a thumbnail, and a pixel of air
_RING_PX = 2.0
_MARGIN_PX = 3.0  # holds the frame of a thumbnail on the edge, or that of the whole wall
_WIDEST_LABEL = 0.25  # of the wall's width
_RESTING_SHAPE = (6, 8)  # shown before any model has said how many blocks and heads it has
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_IN_TENTHS = ("entropy", "distance")  # are told so; other measures are shares, told in per cents
_LITTLE = 0.0995  # a share below, which would be rounded to less than 10 %, is told in tenths of a per cent


class TextSizes(NamedTuple):
    """How much room words take in the font as it is, in pixels."""

    line: float  # height
    tag: float  # width of a tag
    bare_tag: float  # width without its unit
    label: float  # width of a row's label
    number: float  # width of the number of a block or of a head


class WallPlan(NamedTuple):
    """Where the parts lie, in widget pixels. What there is no room for is left out."""

    columns: int
    cell_px: float  # the width that a thumbnail and its words have for themselves
    row_px: float  # from a row to the next
    line_px: float  # the height of a line of words
    num_lines: int  # of words below each thumbnail
    has_units: bool  # whether there is room for them
    squares: list[QRectF]  # the thumbnails, in the order shown
    row_labels: list[QRectF]
    column_labels: list[QRectF]


def lay_out_table(width: float, height: float, depth: int, num_heads: int, sizes: TextSizes) -> WallPlan:
    """Give each block a row and each head a column, with labels on the left and on top, and a tag below each."""
    top = _MARGIN_PX + (sizes.line if height >= (depth + 1) * sizes.line else 0.0)

    def lay_out_beside(labels_px: float) -> WallPlan:
        left = _MARGIN_PX + labels_px
        room = QRectF(left, top, width - left - _MARGIN_PX, height - top - _MARGIN_PX)
        return _lay_out(room, depth * num_heads, [num_heads], 1, sizes)

    plan = lay_out_beside(0.0)
    for labels_px in (sizes.label + UNIT, sizes.number + UNIT):
        beside = lay_out_beside(labels_px)
        if labels_px <= _WIDEST_LABEL * width and beside.row_px >= sizes.line:
            lines = (each.center().y() - sizes.line / 2 for each in beside.squares[::num_heads])
            plan = beside._replace(row_labels=[QRectF(_MARGIN_PX, y, labels_px, sizes.line) for y in lines])
            break
    if top > _MARGIN_PX and plan.cell_px >= sizes.number:
        columns = (each.center().x() - plan.cell_px / 2 for each in plan.squares[:num_heads])
        plan = plan._replace(column_labels=[QRectF(x, _MARGIN_PX, plan.cell_px, sizes.line) for x in columns])
    return plan


def lay_out_flow(width: float, height: float, num_cells: int, sizes: TextSizes) -> WallPlan:
    """Place cells in reading order, in the rows and columns that make them largest, with name and tag below each."""
    room = QRectF(_MARGIN_PX, _MARGIN_PX, width - 2 * _MARGIN_PX, height - 2 * _MARGIN_PX)
    return _lay_out(room, num_cells, range(1, num_cells + 1), 2, sizes)


def _lay_out(room: QRectF, num_cells: int, choices: Iterable[int], most_lines: int, sizes: TextSizes) -> WallPlan:
    """Place cells in one of some numbers of columns, with as many lines of words as leave the thumbnails larger."""

    def pitch_with(columns: int) -> float:
        return (room.width() + _GAP_PX) / columns

    def side_with(columns: int, lines: int) -> float:
        rows = -(-num_cells // columns)
        down = (room.height() + _GAP_PX) / rows - _GAP_PX - lines * sizes.line
        return min(pitch_with(columns) - _GAP_PX, down, _LARGEST_PX)

    for num_lines in range(most_lines, -1, -1):
        columns = max(choices, key=lambda count: (side_with(count, num_lines), count))
        side, widest = float(int(side_with(columns, num_lines))), float(int(pitch_with(columns) - _GAP_PX))
        if side >= sizes.line and widest >= sizes.bare_tag:
            break
    side = max(side, 1.0)
    cell_px = max(side, min(widest, sizes.tag))
    left = room.left() + int((cell_px - side) / 2)
    step_x, row_px = cell_px + _GAP_PX, side + num_lines * sizes.line + _GAP_PX
    squares = [
        QRectF(left + index % columns * step_x, room.top() + index // columns * row_px, side, side)
        for index in range(num_cells)
    ]
    return WallPlan(columns, cell_px, row_px, sizes.line, num_lines, cell_px >= sizes.tag, squares, [], [])


def sort_heads(values: FloatArray, shown: list[int], decimals: int) -> list[int]:
    """Order heads (depth, H), numbered block after block, from the highest value to the lowest.

    Values that are the same to so many decimals are a tie, and their heads stay as they are `shown`.
    """
    rounded = np.round(values.ravel().astype(np.float64), decimals)
    return sorted(shown, key=lambda index: -rounded[index])


class HeadWall(QWidget):
    """The heads, and the choice of what they are sorted by.

    Signals:
        head_chosen: block and head, both from 0, that were clicked or reached by a key.
        sort_chosen: a field of HeadMeasures, or "place".
    """

    head_chosen = Signal(int, int)
    sort_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        name_widget(self, "headWall", self.tr("All heads"))
        self._grid = HeadWallGrid()
        self._sort = QComboBox()
        name_widget(self._sort, "headWallSort", self.tr("Sort by"))
        fill_chooser(
            self._sort, [(self.tr("Place in the model"), PLACE), *((t, f) for f, t in measure_titles().items())]
        )
        label = QLabel(self.tr("Sort by"))
        label.setBuddy(self._sort)
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(label)
        row.addWidget(self._sort)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, 2 * UNIT)
        column.setSpacing(UNIT)
        column.addLayout(row)
        column.addWidget(self._grid, 1)
        self._grid.head_chosen.connect(self.head_chosen)
        self._sort.currentIndexChanged.connect(self._on_sort_chosen)

    @property
    def shown_revision(self) -> int | None:
        """The revision of the prediction painted last."""
        return self._grid.shown_revision

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show what all heads look at; None leaves the thumbnails blank."""
        self._grid.show_prediction(prediction)

    def set_shape(self, depth: int, num_heads: int) -> None:
        """Set the thumbnails for a model that hasn't answered yet; 0 for one without attention."""
        self._grid.set_shape(depth, num_heads)

    def set_choice(self, block: int, head: int) -> None:
        """Choose the head to frame, from 0; below 0 all heads of the block are joined, and none is framed."""
        self._grid.set_choice(block, head)

    def set_sort(self, field: str) -> None:
        """Sort by a field of HeadMeasures, or by "place". Emits nothing."""
        choose(self._sort, field)
        self._grid.set_sort(field)

    def set_look(self, look: Look) -> None:
        """Choose the token that asks; which head is framed comes by `set_choice`."""
        self._grid.set_look(look)

    def set_paper(self, paper: Paper) -> None:
        """Say whether the pad is dark or light, for the same colours as over the ink."""
        self._grid.set_paper(paper)

    def set_palette(self, palette: Palette) -> None:
        """Set the colours of the overlay, for the same here."""
        self._grid.set_palette(palette)

    def _on_sort_chosen(self) -> None:
        field: str = self._sort.currentData()
        self._grid.set_sort(field)
        self.sort_chosen.emit(field)


class HeadWallGrid(QWidget):
    """Thumbnails of what the class token looks at in each head, all on one scale so that they can be compared.

    Numbers are measured while the wall can be seen, at most five times a second. The order follows them when the pen
    rests: a wall that reshuffles while one draws can't be read.

    Signals:
        head_chosen: block and head, both from 0, that were clicked or reached by a key.
    """

    head_chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        name_widget(self, "headWallGrid", self.tr("Heads of all blocks"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.shown_revision: int | None = None  # of the prediction painted last
        self._prediction: Prediction | None = None
        self._depth, self._num_heads = _RESTING_SHAPE
        self._block, self._head = 0, -1
        self._field = PLACE
        self._look = Look()  # of which the token counts
        self._palette: Palette = "violet"
        self._paper: Paper = "dark"
        self._scale: float | None = None
        self._image: QImage | None = None  # the maps below one another, block after block
        self._measured: Prediction | None = None
        self._measures: HeadMeasures | None = None  # of that prediction
        self._order: list[int] = []  # heads, numbered block after block, as they are shown
        self._tags: list[tuple[str, str]] = []  # of each head, with its unit and without; none at rest
        self._kept_plan: WallPlan | None = None
        self._kept_words: QPixmap | None = None  # all labels, names and tags: most of the work of painting
        self._pointer: QPointF | None = None  # where the mouse is
        self._pace = Pace(_MEASURE_EVERY_MS, self._measure, self)
        self._sort_afresh()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show what all heads look at; None leaves the thumbnails blank."""
        self._prediction = prediction
        if prediction is None:
            self._forget_measures()
        else:
            self._take_shape(*prediction.attention.shape[:2])
            if self._measures is None:
                self._pace.act_now()
            else:
                self._pace.ask()
        self._refresh()

    def set_shape(self, depth: int, num_heads: int) -> None:
        """Set the thumbnails for a model that hasn't answered yet; 0 for one without attention."""
        if self._take_shape(depth, num_heads) and self._prediction is not None:
            self.show_prediction(None)  # the old answer has other heads

    def set_choice(self, block: int, head: int) -> None:
        """Choose the head to frame, from 0; below 0 all heads of the block are joined, and none is framed."""
        self._block, self._head = block, head
        self._kept_words = None
        self._describe()
        self.update()

    def set_sort(self, field: str) -> None:
        """Sort by a field of HeadMeasures, or by "place"."""
        if field != self._field:
            self._field = field
            self._sort_afresh()
            self._write_tags()

    def set_look(self, look: Look) -> None:
        """Choose the token that asks; which head is framed comes by `set_choice`."""
        if (look.token, look.is_reversed) != (self._look.token, self._look.is_reversed):
            self._look, self._scale = look, None
            self._refresh()

    def set_paper(self, paper: Paper) -> None:
        """Say whether the pad is dark or light, for the same colours as over the ink."""
        self._paper = paper
        self._refresh()

    def set_palette(self, palette: Palette) -> None:
        """Set the colours of the overlay, for the same here."""
        self._palette = palette
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(48 * UNIT, 48 * UNIT)

    def minimumSizeHint(self) -> QSize:
        return QSize(34 * UNIT, 20 * UNIT)

    def plan(self) -> WallPlan:
        """Give where the parts lie."""
        if self._kept_plan is None:
            self._kept_plan = self._lay_out()
        return self._kept_plan

    def place_of(self, block: int, head: int) -> QRectF:
        """Give the square of a head's thumbnail in widget pixels."""
        return self.plan().squares[self._order.index(block * self._num_heads + head)]

    def head_at(self, position: QPointF) -> tuple[int, int] | None:
        """Give block and head of the thumbnail, or of the words below it, at a place in the widget."""
        plan = self.plan()
        aside = (plan.cell_px - plan.squares[0].width() + _GAP_PX) / 2 if plan.squares else 0
        below = plan.num_lines * plan.line_px + _GAP_PX / 2
        for index, square in zip(self._order, plan.squares, strict=True):
            if square.adjusted(-aside, -_GAP_PX / 2, aside, below).contains(position):
                return divmod(index, self._num_heads)
        return None

    def words_below(self, block: int, head: int) -> list[str]:
        """Give the lines of words below a thumbnail, as far as there is room: its name, if sorted, its tag."""
        plan, index = self.plan(), block * self._num_heads + head
        lines = [_short_name(block, head)] if self._is_sorted else []
        if self._tags:
            lines.append(self._tags[index][0 if plan.has_units else 1])
        return lines[: plan.num_lines]

    def describe_head(self, block: int, head: int) -> list[str]:
        """Say in words which head it is and, where that is measured, what it does."""
        lines = [self.tr("Head {head} of block {block}").format(head=head + 1, block=block + 1)]
        if self._measures is not None:
            for (field, title), values in zip(measure_titles().items(), self._measures, strict=True):
                said = _said(field, float(values[block, head]), self.locale())
                lines.append(self.tr("{measure}: {value}").format(measure=title, value=said))
        return lines

    def describe_scale(self) -> str:
        """Say what the thumbnails show, and what the hottest colour stands for; nothing while they are blank."""
        if self._scale is None:
            return ""
        words = self.tr("What the class token looks at, all thumbnails on one scale: 0 to {percent} a patch")
        return words.format(percent=percent(self._scale, self.locale()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._kept_plan = self._kept_words = None
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        self._kept_plan = self._kept_words = None  # a font, a theme, a language
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._forget_measures()  # what came in between was not measured
        self._pace.act_now()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pointed = self.head_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and pointed is not None:
            self._choose(*pointed)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # Not by overriding event(): an exception in anything below such an override can end the process (PySide6 6.11).
        before = None if self._pointer is None else self.head_at(self._pointer)
        self._pointer = event.position()
        if self.head_at(self._pointer) != before:
            QToolTip.hideText()
        self._write_tool_tip()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last, columns = len(self._order) - 1, self.plan().columns
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -columns,
            Qt.Key.Key_Down: columns,
        }
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}
        key, framed = Qt.Key(event.key()), self._framed()
        if not self._order or (key not in steps and key not in ends):
            super().keyPressEvent(event)
            return
        if key in ends:
            target = ends[key]
        elif framed is None:  # a way in: the first head of the block
            target = self._order.index(min(self._block, self._depth - 1) * self._num_heads)
        else:
            target = self._order.index(framed) + steps[key]
        if 0 <= target <= last:
            self._choose(*divmod(self._order[target], self._num_heads))

    def paintEvent(self, event: QPaintEvent) -> None:
        plan = self.plan()
        with QPainter(self) as painter:
            self._paint_maps(painter, plan)
            painter.drawPixmap(0, 0, self._words(plan))
            self._paint_frame(painter, plan)
        self.shown_revision = None if self._prediction is None else self._prediction.revision

    def _take_shape(self, depth: int, num_heads: int) -> bool:
        """Make room for so many heads; say whether they were others before."""
        shape = (depth, num_heads) if depth and num_heads else (0, 0)
        if shape == (self._depth, self._num_heads):
            return False
        self._depth, self._num_heads = shape
        self._scale = None
        self._forget_measures()
        self._sort_afresh()
        return True

    def _refresh(self) -> None:
        """Make the thumbnails."""
        maps = None if self._prediction is None else all_maps(self._prediction, self._look)  # (depth, H, G, G)
        if maps is None:
            self._image = self._scale = None
        else:
            self._scale = nice_scale(float(maps.max()), self._scale)
            colors = colorize(maps, 0.0, self._scale, reverse=self._paper == "light", palette=self._palette)
            self._image = rgba_image(colors.reshape(-1, maps.shape[-1], 4))  # (depth * H * G, G, 4)
        self._describe()
        self.update()

    def _measure(self) -> None:
        """Measure the heads; where no answer came since the last time, the pen rests, and they are sorted instead."""
        prediction = self._prediction
        if prediction is None or not self._order or not self.isVisible():
            return
        if prediction is self._measured:
            self._sort()
            return
        is_first = self._measures is None
        self._measured, self._measures = prediction, measure_heads(prediction)
        if is_first:
            self._sort()
        else:
            self._pace.ask()
        self._write_tags()

    def _forget_measures(self) -> None:
        self._pace.stop()
        self._measured = self._measures = None
        self._write_tags()

    def _sort(self) -> None:
        """Put the heads into their order; without measures they stay as they are."""
        if self._is_sorted and self._measures is not None:
            self._order = sort_heads(getattr(self._measures, self._field), self._order, _decimals(self._field))
        self._kept_plan = self._kept_words = None
        self._describe()
        self.update()

    def _sort_afresh(self) -> None:
        """Put the heads into their order, whatever it was before."""
        self._order = list(range(self._depth * self._num_heads))
        self._sort()

    def _write_tags(self) -> None:
        """Write what stands below the thumbnails: the measure that sorts, by place the entropy."""
        field, locale = self._tag_field(), self.locale()
        values = [] if self._measures is None else getattr(self._measures, field).ravel().tolist()
        self._tags = [(_tag(field, value, locale), _bare_tag(field, value, locale)) for value in values]
        self._kept_words = None
        self._describe()
        self.update()

    @property
    def _is_sorted(self) -> bool:
        return self._field != PLACE

    def _tag_field(self) -> str:
        return self._field if self._is_sorted else "entropy"

    def _write_tool_tip(self) -> None:
        pointed = None if self._pointer is None else self.head_at(self._pointer)
        words = "" if pointed is None else "\n".join([*self.describe_head(*pointed), self.describe_scale()]).rstrip()
        if words != self.toolTip():
            self.setToolTip(words)

    def _framed(self) -> int | None:
        """Give the number of the framed head, block after block; None where heads are joined or there is no such."""
        is_there = 0 <= self._block < self._depth and 0 <= self._head < self._num_heads
        return self._block * self._num_heads + self._head if is_there else None

    def _choose(self, block: int, head: int) -> None:
        if (block, head) == (self._block, self._head):
            return
        self.set_choice(block, head)
        self.head_chosen.emit(block, head)

    def _lay_out(self) -> WallPlan:
        if not self._order:
            return WallPlan(1, 0.0, 0.0, 0.0, 0, False, [], [], [])
        if self._is_sorted:
            return lay_out_flow(self.width(), self.height(), len(self._order), self._sizes())
        return lay_out_table(self.width(), self.height(), self._depth, self._num_heads, self._sizes())

    def _sizes(self) -> TextSizes:
        metrics, field, locale = QFontMetricsF(font("small")), self._tag_field(), self.locale()
        sample = 8.8 if field in _IN_TENTHS else 1.0  # whose text is the widest
        names = [_short_name(self._depth - 1, self._num_heads - 1)] if self._is_sorted else []

        def width(*texts: str) -> float:
            return math.ceil(max(metrics.horizontalAdvance(text) for text in texts))

        return TextSizes(
            line=math.ceil(metrics.height()),
            tag=width(_tag(field, sample, locale), *names),
            bare_tag=width(_bare_tag(field, sample, locale), *names),
            label=width(self._label(self._depth - 1)),
            number=width(str(max(self._depth, self._num_heads))),
        )

    def _label(self, block: int) -> str:
        return self.tr("Block {number}").format(number=block + 1)

    def _paint_maps(self, painter: QPainter, plan: WallPlan) -> None:
        if self._image is None:
            track = QColor(theme_of(self).track)
            for square in plan.squares:
                painter.fillRect(square, track)
            return
        grid = self._image.width()
        for index, square in zip(self._order, plan.squares, strict=True):
            painter.drawImage(square, self._image, QRectF(0, index * grid, grid, grid))

    def _words(self, plan: WallPlan) -> QPixmap:
        """Give all words on the wall, painted anew only where they have changed: answers come more often."""
        ratio = self.devicePixelRatioF()
        if self._kept_words is None or self._kept_words.devicePixelRatioF() != ratio:
            self._kept_words = QPixmap(self.size() * ratio)
            self._kept_words.setDevicePixelRatio(ratio)
            self._kept_words.fill(Qt.GlobalColor.transparent)
            with QPainter(self._kept_words) as painter:
                painter.setFont(font("small"))
                self._paint_labels(painter, plan)
                self._paint_words_below(painter, plan)
        return self._kept_words

    def _paint_labels(self, painter: QPainter, plan: WallPlan) -> None:
        theme = theme_of(self)
        quiet, accent = QColor(theme.quiet_text), QColor(theme.accent)
        metrics = painter.fontMetrics()
        if not self._order:
            painter.setPen(quiet)
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.tr("This model has no attention."))
        for block, label in enumerate(plan.row_labels):
            painter.setPen(accent if self._head < 0 and block == self._block else quiet)
            whole = self._label(block)
            fits = metrics.horizontalAdvance(whole) <= label.width()
            painter.drawText(label, _LEFT, whole if fits else str(block + 1))
        painter.setPen(quiet)
        for head, label in enumerate(plan.column_labels):
            painter.drawText(label, Qt.AlignmentFlag.AlignCenter, str(head + 1))

    def _paint_words_below(self, painter: QPainter, plan: WallPlan) -> None:
        theme, framed = theme_of(self), self._framed()
        colors = [theme.text, theme.quiet_text] if self._is_sorted else [theme.quiet_text]
        for index, square in zip(self._order, plan.squares, strict=True):
            block, head = divmod(index, self._num_heads)
            is_joined = self._is_sorted and self._head < 0 and block == self._block  # by place the row's label says it
            line = QRectF(square.center().x() - plan.cell_px / 2, square.bottom() + 1, plan.cell_px, plan.line_px)
            for words, color in zip(self.words_below(block, head), colors, strict=False):
                painter.setPen(QColor(theme.accent if index == framed or is_joined else color))
                painter.drawText(line, Qt.AlignmentFlag.AlignCenter, words)
                line.translate(0, plan.line_px)

    def _paint_frame(self, painter: QPainter, plan: WallPlan) -> None:
        """Frame the chosen head; with the focus a second ring, in the background's colour, sets the first apart."""
        theme, framed = theme_of(self), self._framed()
        if framed is not None:
            square = plan.squares[self._order.index(framed)]
            rings = [(square.adjusted(-1, -1, 1, 1), theme.accent)]
            if self.hasFocus():
                rings.append((square.adjusted(1, 1, -1, -1), theme.window))
        else:  # no head to set apart: the whole wall has the focus
            wall = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            rings = [(wall, theme.accent)] if self.hasFocus() else []
        for ring, color in rings:
            pen = QPen(QColor(color), _RING_PX)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.drawRect(ring)

    def _describe(self) -> None:
        """Say what is chosen and, under the mouse, what is pointed at."""
        if not self._order:
            words = [self.tr("This model has no attention.")]
        elif self._framed() is None:
            words = [self.tr("All heads of block {block} are chosen together.").format(block=self._block + 1)]
        else:
            chosen = ", ".join(self.describe_head(self._block, self._head))
            words = [self.tr("Chosen: {head}.").format(head=chosen)]
        description = " ".join([*words, self.describe_scale()]).strip()
        if description != self.accessibleDescription():
            self.setAccessibleDescription(description)
        self._write_tool_tip()


def measure_titles() -> dict[str, str]:
    """Give what the fields of HeadMeasures are called, in their order."""
    translate = QCoreApplication.translate
    return {
        "entropy": translate("head_measures", "Entropy"),
        "distance": translate("head_measures", "Distance"),
        "ink": translate("head_measures", "On ink"),
        "blank": translate("head_measures", "On blank"),
        "itself": translate("head_measures", "On itself"),
        "class_token": translate("head_measures", "On the class token"),
    }


def _short_name(block: int, head: int) -> str:
    return f"{block + 1}.{head + 1}"


def _decimals(field: str) -> int:
    """Give to how many decimals heads are told apart by a measure."""
    return 1 if field in _IN_TENTHS else 3


def _bare_tag(field: str, value: float, locale: QLocale) -> str:
    if field in _IN_TENTHS:
        return locale.toString(value, "f", 1)
    return percent(value, locale, 0 if value >= _LITTLE else 1)


def _tag(field: str, value: float, locale: QLocale) -> str:
    words = QCoreApplication.translate("head_measures", "{number} bits") if field == "entropy" else "{number}"
    return words.format(number=_bare_tag(field, value, locale))


def _said(field: str, value: float, locale: QLocale) -> str:
    words = QCoreApplication.translate("head_measures", "{number} patches") if field == "distance" else "{number}"
    return words.format(number=_tag(field, value, locale))
