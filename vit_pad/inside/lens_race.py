"""The answer being made: what the model would answer after each block, as a race of the classes, and patch by patch.

Layers count from 0, which lies before block 1; layer k lies after block k.

Shapes: C classes, G patches along one side of the image.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QToolTip, QWidget

from training.config import DIGITS
from training.facts import Box, FloatArray, Prediction
from vit_pad.choosers import name_widget
from vit_pad.heat import RgbaArray, patch_at, patch_box
from vit_pad.input_preview import fit_side, grid_lines
from vit_pad.pace import Pace
from vit_pad.percent import percent
from vit_pad.probability_bars import choose_rows
from vit_pad.rgba_image import rgba_image
from vit_pad.theme import UNIT, font, theme_of

_MOST_ROWS = 10
_ROW_PX = 26  # a row where there is room
_ROW_GAP_PX = 3
_COLUMN_PX = 8 * UNIT  # a column where there is room
_COLUMN_GAP_PX = 6  # holds the frame of a column, and a pixel of air on its either side
_FRAME_PX = 2
_TICK_PX = 4  # the height of the mark that points from a word to its column
_NAME_PX, _WIDEST_NAME = 12 * UNIT, 0.3  # what names may take at least, and at most of the widget's width
_LEAST_SQUARE_PX = 20 * UNIT  # for the patches
_NUM_LIKELIEST = 3  # classes that are told of a layer
_DESCRIBE_EVERY_MS = 200  # a screen reader speaks no faster
_RESTING_DEPTH, _RESTING_GRID = 6, 8  # shown before any model has said how many it has
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_PARAGRAPH = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


class Race(NamedTuple):
    """What can be seen of a lens: some classes, and who leads where."""

    classes: list[int]  # one a row, in their own order
    shares: list[list[float]]  # row by row, layer by layer
    leaders: list[int]  # the likeliest class of each layer, whether it has a row or not
    best: list[float]  # their probabilities
    deciding_layer: int


class Measures(NamedTuple):
    """How much room words take in the font as it is, in pixels."""

    name: float  # width
    number: float  # width
    text: float  # height of a line
    small: float  # height of a line of small text
    sentence: float  # height, of as many lines as it may need
    switch: float  # height


class RacePlan(NamedTuple):
    """Where the parts lie, in widget pixels."""

    matrix: QRectF  # all rows together
    mark: QRectF  # the line above the columns
    names: list[QRectF]  # one a row
    numbers: list[QRectF]  # one a row
    columns: list[QRectF]  # the cells and the label: what is framed, and where a click chooses
    labels: list[QRectF]  # one a column, at its lower end
    corner: QRectF  # below the names, beside the labels
    tracks: list[list[QRectF]]  # row by row, column by column
    sentences: tuple[QRectF, QRectF]
    switch: QRectF
    patches: QRectF
    source: QRectF


def deciding_layer(lens: FloatArray) -> int | None:
    """Find the layer from which the class that is the answer in the end leads, and never loses the lead again.

    Args:
        lens: (depth + 1, C) probabilities.

    Returns:
        0 where it leads from the start; None for a model without blocks, whose lens is empty.
    """
    if len(lens) == 0:
        return None
    leaders = lens.argmax(axis=1)  # (depth + 1,)
    others = np.flatnonzero(leaders != leaders[-1])
    return int(others[-1]) + 1 if len(others) else 0


def race_of(lens: FloatArray) -> Race | None:
    """Give what is shown of a lens (depth + 1, C): the classes that are likeliest in the end; None of an empty one."""
    layer = deciding_layer(lens)
    if layer is None:
        return None
    classes = choose_rows(lens[-1], lens.shape[1], _MOST_ROWS)
    leaders, best = lens.argmax(axis=1), lens.max(axis=1)
    return Race(classes, lens[:, classes].T.tolist(), leaders.tolist(), best.tolist(), layer)


def lay_out_race(
    width: float, height: float, num_rows: int, num_columns: int, measures: Measures, *, shows_patches: bool
) -> RacePlan:
    """Put the matrix on top, its words, the switch, the patches and the source below, as high as there is room."""
    rows_top = measures.small + _TICK_PX
    below_rows = (
        measures.small + UNIT + 2 * measures.sentence + UNIT // 2 + measures.switch + UNIT // 2 + measures.small
    )
    room = max(height - rows_top - below_rows, 0)  # for rows and patches
    for_rows = min(max(room / 2, num_rows * measures.text), room) if shows_patches else room
    pitch = float(max(int(min(for_rows / num_rows, _ROW_PX)), 1))
    rows = [rows_top + index * pitch for index in range(num_rows)]
    left, right = measures.name + UNIT, width - measures.number - UNIT
    right = min(max(right, left), left + _COLUMN_PX * num_columns)
    edges = np.rint(np.linspace(left, right, num_columns + 1)).tolist()
    labels_top = rows_top + num_rows * pitch
    columns = [
        QRectF(start, rows_top - _FRAME_PX, end - start, num_rows * pitch + measures.small + _FRAME_PX)
        for start, end in pairwise(edges)
    ]
    inset = _COLUMN_GAP_PX / 2
    tracks = [
        [
            QRectF(each.left() + inset, top, max(each.width() - 2 * inset, 1), max(pitch - _ROW_GAP_PX, 1))
            for each in columns
        ]
        for top in rows
    ]
    sentences_top = labels_top + measures.small + UNIT
    switch_top = sentences_top + 2 * measures.sentence + UNIT // 2
    patches_top = switch_top + measures.switch + UNIT // 2
    patches_px = max(room - num_rows * pitch - UNIT // 2, 0) if shows_patches else 0.0
    source_top = patches_top + patches_px + (UNIT // 2 if patches_px else 0)
    return RacePlan(
        matrix=QRectF(0, rows_top, width, num_rows * pitch),
        mark=QRectF(left, 0, max(width - left, 0), measures.small),
        names=[QRectF(0, top - _ROW_GAP_PX / 2, measures.name, pitch) for top in rows],
        numbers=[QRectF(right + UNIT, top - _ROW_GAP_PX / 2, measures.number, pitch) for top in rows],
        columns=columns,
        labels=[QRectF(each.left(), labels_top, each.width(), measures.small) for each in columns],
        corner=QRectF(0, labels_top, left, measures.small),
        tracks=tracks,
        sentences=(
            QRectF(0, sentences_top, width, measures.sentence),
            QRectF(0, sentences_top + measures.sentence, width, measures.sentence),
        ),
        switch=QRectF(0, switch_top, width, measures.switch),
        patches=QRectF(0, patches_top, width, patches_px),
        source=QRectF(0, source_top, width, measures.small),
    )


def place_word(word_px: float, column: QRectF, line: QRectF) -> QRectF:
    """Give the place for a word in the middle above a column, or as near to it as the line has room."""
    left = min(column.center().x() - word_px / 2, line.right() - word_px)
    return QRectF(max(left, line.left()), line.top(), word_px, line.height())


def layer_label(layer: int, metrics: QFontMetrics, room_px: float) -> str:
    """Name a layer by the block that it lies behind, and the first one by a word, where there is room for it."""
    start = QCoreApplication.translate("layer_label", "start")
    return start if layer == 0 and metrics.horizontalAdvance(start) <= room_px else str(layer)


def elided(painter: QPainter, words: str, place: QRectF) -> str:
    """Give as much of the words as has room in one line, and an ellipsis."""
    return painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(place.width()))


class LensRace(QWidget):
    """A row a class, a column a layer, a bar in each cell; below in words; if wished, what each patch would answer.

    At rest while the pad is empty.

    Signals:
        layer_chosen(int): the layer that was clicked or reached by the keys.
        patches_wished(bool): whether what each patch would answer is shown, for which `patch_lens` is needed.
    """

    layer_chosen = Signal(int)
    patches_wished = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        name_widget(self, "lensRace", self.tr("The answer being made"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.shown_revision: int | None = None  # of the prediction painted last
        self._class_names = DIGITS
        self._num_layers = _RESTING_DEPTH + 1  # none in a model without blocks
        self._layer = _RESTING_DEPTH
        self._prediction: Prediction | None = None
        self._race: Race | None = None
        self._plan: RacePlan | None = None
        self._switch = QCheckBox(self.tr("Per patch"), self)
        name_widget(self._switch, "patchLensSwitch", self._switch.text())
        self._switch.setToolTip(
            self.tr("What the model would answer if it read each patch. It was never trained to be read there.")
        )
        self._patches = PatchAnswers(self)
        self._patches.hide()
        self._switch.toggled.connect(self._on_switched)
        self._description_pace = Pace(_DESCRIBE_EVERY_MS, self._describe, self)
        self._describe()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show how a model came to its answer; None puts the race to rest."""
        self._prediction = prediction
        self._race = None if prediction is None else race_of(prediction.lens)
        self._patches.show_prediction(prediction)
        if prediction is None:
            self._description_pace.act_now()
        else:
            self.set_shape(len(prediction.lens) - 1, prediction.class_names)
            self._description_pace.ask()
        self.update()

    def set_shape(self, depth: int, class_names: tuple[str, ...]) -> None:
        """Set columns and rows for a model that hasn't answered yet; below 0 blocks: one that has none to read from."""
        if (depth + 1, class_names) == (self._num_layers, self._class_names):
            return
        was_at_the_end = self._layer == self._num_layers - 1
        self._num_layers, self._class_names = depth + 1, class_names
        shown = self._prediction
        if shown is not None and (len(shown.lens), shown.class_names) != (depth + 1, class_names):
            self.show_prediction(None)
        self._switch.setEnabled(depth >= 0)
        self._plan_anew()
        if depth >= 0:  # else the layer is kept for the next model that has some
            self.set_layer(depth if was_at_the_end else self._layer)
        self._describe()

    def set_layer(self, layer: int) -> None:
        """Choose the layer to frame and to tell of. Emits nothing."""
        self._layer = min(max(layer, 0), max(self._num_layers - 1, 0))
        self._patches.set_layer(self._layer)
        self._describe()
        self.update()

    def layer_at(self, position: QPointF) -> int | None:
        """Give the layer whose column is at a place in the widget."""
        columns = enumerate(self._planned().columns)
        return next((layer for layer, column in columns if column.contains(position)), None)

    def sizeHint(self) -> QSize:
        return self._size_with(_COLUMN_PX // 2, _ROW_PX, 30 * UNIT).expandedTo(self.minimumSizeHint())

    def minimumSizeHint(self) -> QSize:
        label_px = QFontMetrics(font("small")).horizontalAdvance(str(self._num_layers))
        return self._size_with(max(label_px + UNIT, 2 * UNIT), 0, _LEAST_SQUARE_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place_parts()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange, QEvent.Type.StyleChange):
            self._plan_anew()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        plan, theme = self._planned(), theme_of(self)
        with QPainter(self) as painter:
            self._paint_rest(painter, plan)
            if self._num_layers:
                self._paint_rows(painter, plan)
            if self._race is not None:
                self._paint_bars(painter, plan, self._race)
                self._paint_mark(painter, plan, self._race)
            painter.setPen(QColor(theme.text))
            painter.setFont(font("text"))
            for place, sentence in zip(plan.sentences, self.sentences(), strict=True):
                painter.drawText(place, _PARAGRAPH, sentence)
        self.shown_revision = None if self._prediction is None else self._prediction.revision

    def mousePressEvent(self, event: QMouseEvent) -> None:
        layer = self.layer_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and layer is not None:
            self._choose(layer)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        layer = self.layer_at(event.position())
        self.setCursor(Qt.CursorShape.ArrowCursor if layer is None else Qt.CursorShape.PointingHandCursor)
        words = "" if layer is None else self._likeliest_words(layer)
        if words != self.toolTip():
            self.setToolTip(words)
            QToolTip.hideText()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = self._num_layers - 1
        targets = {
            Qt.Key.Key_Left: self._layer - 1,
            Qt.Key.Key_Right: self._layer + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        target = targets.get(Qt.Key(event.key()))
        if target is None or self._num_layers == 0:
            super().keyPressEvent(event)
        elif 0 <= target <= last:
            self._choose(target)

    def _choose(self, layer: int) -> None:
        if layer != self._layer:
            self.set_layer(layer)
            self.layer_chosen.emit(layer)

    def _on_switched(self, is_on: bool) -> None:
        self._patches.setVisible(is_on)
        self._plan_anew()
        self.patches_wished.emit(is_on)

    def _plan_anew(self) -> None:
        """Fit everything to other words or other parts."""
        self._place_parts()
        self.updateGeometry()
        self.update()

    def _place_parts(self) -> None:
        self._plan = None
        plan = self._planned()
        self._switch.setGeometry(plan.switch.toAlignedRect())
        self._patches.setGeometry(plan.patches.toAlignedRect())

    def _planned(self) -> RacePlan:
        if self._plan is None:
            self._plan = lay_out_race(
                self.width(),
                self.height(),
                self._num_rows(),
                self._num_layers,
                self._measures(self.width()),
                shows_patches=self._switch.isChecked(),
            )
        return self._plan

    def _num_rows(self) -> int:
        return min(len(self._class_names), _MOST_ROWS)

    def _measures(self, width_px: int) -> Measures:
        bold, small = QFontMetrics(font("text", bold=True)), QFontMetrics(font("small"))
        # Bold is the widest that name and number get, so neither moves when its class comes to the top.
        widths = [bold.horizontalAdvance(name) for name in self._class_names]
        widest = max(*widths, small.horizontalAdvance(self.tr("Block")))
        name_px = min(widest + 1, max(width_px * _WIDEST_NAME, _NAME_PX))
        name = self._short_name(int(np.argmax(widths)), name_px)
        sentences = self._decision(self._num_layers, name), self._opinion(self._num_layers, name, 1.0)
        page = QRect(0, 0, width_px, 10 * bold.height())
        plain = QFontMetrics(font("text"))
        return Measures(
            name=name_px,
            number=bold.horizontalAdvance(percent(1.0, self.locale(), 1)) + 1,
            text=bold.height(),
            small=small.height(),
            sentence=max(plain.boundingRect(page, _PARAGRAPH, each).height() for each in sentences),
            switch=self._switch.sizeHint().height(),
        )

    def _size_with(self, column_px: int, row_px: int, square_px: int) -> QSize:
        """Give the size at which columns, rows and, if shown, the patches get that much."""
        measures = self._measures(0)
        columns_px = column_px * max(self._num_layers, _RESTING_DEPTH + 1)
        width_px = int(measures.name + measures.number + 2 * UNIT + columns_px)
        measures = self._measures(width_px)
        without_rows = lay_out_race(width_px, 0, 1, 0, measures, shows_patches=False)
        fixed_px = without_rows.source.bottom() - without_rows.matrix.height()
        patches_px = square_px + measures.text + UNIT if self._switch.isChecked() else 0
        return QSize(width_px, int(fixed_px + max(row_px, measures.text) * self._num_rows() + patches_px))

    def _paint_rest(self, painter: QPainter, plan: RacePlan) -> None:
        """Paint what is there without an answer, too."""
        theme = theme_of(self)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.track))
        painter.drawRects([track for row in plan.tracks for track in row])
        painter.setPen(QColor(theme.quiet_text))
        painter.setFont(font("small"))
        painter.drawText(plan.source, _LEFT, elided(painter, self.tr("Logit lens (nostalgebraist, 2020)"), plan.source))
        if self._num_layers == 0:
            words = self.tr("This model has no blocks to read from.")
            painter.drawText(plan.matrix, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, words)
            return
        painter.drawText(plan.corner, _LEFT, elided(painter, self.tr("Block"), plan.corner))
        for layer, label in enumerate(plan.labels):
            self._paint_label(painter, layer, label)
        _draw_frame(painter, plan.columns[self._layer], theme.accent)

    def _paint_label(self, painter: QPainter, layer: int, place: QRectF) -> None:
        """Name a column by the block that it lies behind; the chosen one is filled while keys go there."""
        theme, is_chosen = theme_of(self), layer == self._layer
        color = theme.accent if is_chosen else theme.quiet_text
        if is_chosen and self.hasFocus():
            painter.fillRect(place, QColor(theme.accent))
            color = theme.on_accent
        painter.setPen(QColor(color))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, layer_label(layer, painter.fontMetrics(), place.width()))

    def _paint_rows(self, painter: QPainter, plan: RacePlan) -> None:
        """Write the names, and beside them the shares of the chosen layer, its leader in the accent colour."""
        theme, race = theme_of(self), self._race
        classes = range(len(plan.names)) if race is None else race.classes
        leader = None if race is None else race.leaders[self._layer]
        fonts = font("text"), font("text", bold=True)
        for row, index in enumerate(classes):
            painter.setPen(QColor(theme.accent if index == leader else theme.quiet_text))
            painter.setFont(fonts[index == leader])
            painter.drawText(plan.names[row], _LEFT, elided(painter, self._class_names[index], plan.names[row]))
            if race is not None:
                share = percent(race.shares[row][self._layer], self.locale(), 1)
                painter.drawText(plan.numbers[row], _RIGHT, share)

    def _paint_bars(self, painter: QPainter, plan: RacePlan, race: Race) -> None:
        theme = theme_of(self)
        leading: list[QRectF] = []
        others: list[QRectF] = []
        for index, tracks, shares in zip(race.classes, plan.tracks, race.shares, strict=True):
            for leader, track, share in zip(race.leaders, tracks, shares, strict=True):
                bar_px = share * track.height()
                bar = QRectF(track.left(), track.bottom() - bar_px, track.width(), bar_px)
                (leading if leader == index else others).append(bar)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)  # a bar may end within a pixel
        painter.setPen(Qt.PenStyle.NoPen)
        for color, bars in ((theme.bar, others), (theme.accent, leading)):
            if bars:
                painter.setBrush(QColor(color))
                painter.drawRects(bars)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_mark(self, painter: QPainter, plan: RacePlan, race: Race) -> None:
        """Say above the column that it decides."""
        column, word = plan.columns[race.deciding_layer], self.tr("decides")
        painter.setPen(QColor(theme_of(self).quiet_text))
        painter.setFont(font("small"))
        place = place_word(painter.fontMetrics().horizontalAdvance(word) + 1, column, plan.mark)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, elided(painter, word, place))
        middle, top = column.center().x(), plan.mark.bottom() - 1
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme_of(self).quiet_text))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tip = QPointF(middle, top + _TICK_PX - 1)
        painter.drawPolygon(QPolygonF([QPointF(middle - _TICK_PX, top), QPointF(middle + _TICK_PX, top), tip]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def sentences(self) -> tuple[str, str]:
        """Say what can be seen: which block decides, and what the chosen layer says."""
        race, layer = self._race, self._layer
        if race is None:
            return "", ""
        name_px = self._planned().names[0].width()
        answer, leader = (self._short_name(index, name_px) for index in (race.leaders[-1], race.leaders[layer]))
        return self._decision(race.deciding_layer, answer), self._opinion(layer, leader, race.best[layer])

    def _decision(self, layer: int, name: str) -> str:
        if layer == 0:
            return self.tr("{name} leads from the start.").format(name=name)
        return self.tr("Block {number} decides: from there on {name} leads.").format(number=layer, name=name)

    def _opinion(self, layer: int, name: str, share: float) -> str:
        words = self.tr("After block {number} it says {name}, with {percent}.")
        if layer == 0:
            words = self.tr("Before block 1 it says {name}, with {percent}.")
        return words.format(number=layer, name=name, percent=percent(share, self.locale(), 1))

    def _short_name(self, index: int, name_px: float) -> str:
        metrics = QFontMetrics(font("text", bold=True))
        return metrics.elidedText(self._class_names[index], Qt.TextElideMode.ElideRight, int(name_px))

    def _likeliest_words(self, layer: int) -> str:
        """Say which classes are likeliest in a layer."""
        place = self.tr("After block {number}").format(number=layer) if layer else self.tr("Before block 1")
        if self._prediction is None or not 0 <= layer < len(self._prediction.lens):
            return place
        shares = self._prediction.lens[layer]
        words = [
            self.tr("{name} with {percent}").format(
                name=self._class_names[index], percent=percent(float(shares[index]), self.locale(), 1)
            )
            for index in np.argsort(-shares, kind="stable")[:_NUM_LIKELIEST]
        ]
        return self.tr("{place}: {answers}").format(place=place, answers=", ".join(words))

    def _describe(self) -> None:
        if self._num_layers == 0:
            words = self.tr("This model has no blocks to read from.")
        elif self._race is None:
            words = self.tr("Nothing is drawn yet.")
        else:
            answer = self._class_names[self._race.leaders[-1]]
            decision = self._decision(self._race.deciding_layer, answer)
            words = f"{decision} {self._likeliest_words(self._layer)}."
        self.setAccessibleDescription(words)


_DARKEST_FOR_BLACK = 0.179  # luminance; where black and white contrast alike, 4.58 to 1


def answer_colors(shares: FloatArray, accent: QColor, ground: QColor) -> RgbaArray:
    """Lay the accent over a ground, as opaque as shares (G, G) say: (G, G, 4), opaque."""
    ends = np.array([(each.red(), each.green(), each.blue()) for each in (ground, accent)], float)
    colors = np.full((*shares.shape, 4), 255, np.uint8)
    colors[..., :3] = np.rint(ends[0] + shares[..., None] * (ends[1] - ends[0]))
    return colors


def is_dark(colors: RgbaArray) -> npt.NDArray[np.bool_]:
    """Tell where white words are read better on a colour (..., 4) than black ones; the better has at least 4.5 to 1."""
    shares = colors[..., :3] / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    dark: npt.NDArray[np.bool_] = linear @ (0.2126, 0.7152, 0.0722) < _DARKEST_FOR_BLACK
    return dark


class PatchAnswers(QWidget):
    """What the model would answer if it read each patch, in one layer; blank while nobody knows.

    A patch is told of while the pointer or, by arrow keys, a cursor is on it; else how many agree with the answer.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        name_widget(self, "patchLens", self.tr("What each patch would answer"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.shown_revision: int | None = None  # of the prediction painted last
        self._prediction: Prediction | None = None
        self._layer = 0
        self._grid = _RESTING_GRID
        self._answers: list[int] = []  # the likeliest class of each patch, row by row
        self._shares: FloatArray = np.zeros((0, 0), np.float32)  # (G, G), their probabilities
        self._pointed: int | None = None  # patch
        self._description_pace = Pace(_DESCRIBE_EVERY_MS, self._describe, self)
        self._describe()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show what patches would answer; None, and a prediction that doesn't know, leave the grid blank."""
        self._prediction = prediction
        if prediction is not None:
            self._grid = prediction.grid
        if self._pointed is not None and self._pointed >= self._grid**2:
            self._pointed = None
        self._refresh()

    def set_layer(self, layer: int) -> None:
        """Choose the layer that is read."""
        self._layer = layer
        self._refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, box = theme_of(self), self._box()
        square = QRectF(*box)
        with QPainter(self) as painter:
            if self._answers:
                colors = answer_colors(self._shares, QColor(theme.accent), QColor(theme.track))
                painter.drawImage(square, rgba_image(colors))
                self._paint_names(painter, box, is_dark(colors).ravel().tolist())
            else:
                painter.fillRect(square, QColor(theme.track))
            self._paint_lines(painter, square)
            if self.hasFocus():
                _draw_frame(painter, square, theme.accent)
            if self._pointed is not None:
                _draw_frame(painter, QRectF(*self._box_of(self._pointed)), theme.text)
            painter.setFont(font("text"))
            painter.setPen(QColor(theme.text))
            line = QRectF(0, box.y + box.height + UNIT // 2, self.width(), painter.fontMetrics().height())
            painter.drawText(line, _LEFT, elided(painter, self._words(), line))
        self.shown_revision = None if self._prediction is None else self._prediction.revision

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(patch_at(event.position().x(), event.position().y(), self._grid, self._box()))
        words = "" if self._pointed is None else self._words()
        if words != self.toolTip():
            self.setToolTip(words)
            QToolTip.hideText()

    def leaveEvent(self, event: QEvent) -> None:
        self._point(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._point(None)
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
        step = steps.get(Qt.Key(event.key()))
        if step is None or self._grid == 0:
            super().keyPressEvent(event)
        elif self._pointed is None:
            self._point(self._grid // 2 * (self._grid + 1))
        else:
            place = zip(divmod(self._pointed, self._grid), step, strict=True)
            row, column = (min(max(each + by, 0), self._grid - 1) for each, by in place)
            self._point(row * self._grid + column)

    def _refresh(self) -> None:
        prediction = self._prediction
        lens = None if prediction is None else prediction.patch_lens
        if lens is None or not 0 <= self._layer < len(lens):
            self._answers = []
        else:
            self._answers = lens[self._layer].argmax(axis=-1).ravel().tolist()
            self._shares = lens[self._layer].max(axis=-1)
        if prediction is None:
            self._description_pace.act_now()
        else:
            self._description_pace.ask()
        self.update()

    def _point(self, patch: int | None) -> None:
        if patch != self._pointed:
            self._pointed = patch
            self._describe()
            self.update()

    def _box(self) -> Box:
        """Give the square of all patches, in which all come out equally large, with room for a line of words below."""
        room = min(self.width(), self.height() - UNIT // 2 - QFontMetrics(font("text")).height())
        ratio = self.devicePixelRatioF()
        side = fit_side(max(int(room * ratio), 1), max(self._grid, 1)) / ratio
        return Box(0, 0, side, side)

    def _box_of(self, patch: int) -> Box:
        return patch_box(patch, self._grid, self._box()) or Box(0, 0, 0, 0)

    def _paint_lines(self, painter: QPainter, square: QRectF) -> None:
        """Part the patches, by a device pixel."""
        ratio, color = self.devicePixelRatioF(), QColor(theme_of(self).window)
        for line in grid_lines(self._grid, round(square.width() * ratio)):
            for place in (
                QRectF(line / ratio, 0, 1 / ratio, square.height()),
                QRectF(0, line / ratio, square.width(), 1 / ratio),
            ):
                painter.fillRect(place, color)

    def _paint_names(self, painter: QPainter, box: Box, dark: list[bool]) -> None:
        """Write what each patch would answer, where there is room; black or white, of which one can always be read."""
        if self._prediction is None:
            return
        names = self._prediction.class_names
        painter.setFont(font("small"))
        metrics, side = painter.fontMetrics(), box.width / self._grid
        fits = {
            index: metrics.horizontalAdvance(names[index]) + 2 <= side and metrics.height() <= side
            for index in set(self._answers)
        }
        for color in (Qt.GlobalColor.black, Qt.GlobalColor.white):  # changing the pen for each patch would take longer
            painter.setPen(color)
            for patch, answer in enumerate(self._answers):
                if fits[answer] and dark[patch] == (color is Qt.GlobalColor.white):
                    row, column = divmod(patch, self._grid)
                    place = QRectF(column * side, row * side, side, side)
                    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, names[answer])

    def _words(self) -> str:
        prediction = self._prediction
        if prediction is None or not self._answers:
            return ""
        if self._pointed is None:
            top = int(prediction.probabilities.argmax())
            return self.tr("{count} of {all} patches say {name}.").format(
                count=self._answers.count(top), all=len(self._answers), name=prediction.class_names[top]
            )
        row, column = divmod(self._pointed, self._grid)
        return self.tr("Row {row}, column {column}: {name} with {percent}").format(
            row=row + 1,
            column=column + 1,
            name=prediction.class_names[self._answers[self._pointed]],
            percent=percent(float(self._shares[row, column]), self.locale(), 1),
        )

    def _describe(self) -> None:
        self.setAccessibleDescription(self._words() or self.tr("Nothing is known of the patches yet."))


def _draw_frame(painter: QPainter, place: QRectF, color: str) -> None:
    pen = QPen(QColor(color), _FRAME_PX)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    inset = _FRAME_PX / 2
    painter.drawRect(place.adjusted(inset, inset, -inset, -inset))
