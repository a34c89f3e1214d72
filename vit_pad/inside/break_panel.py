"""Breaking it: sliders that change the drawing, each with the answer's curve along it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pyqtgraph
from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSlider, QVBoxLayout, QWidget

from training.breaking import RANGES, Breaking
from training.facts import Prediction
from vit_pad.choosers import name_widget, say
from vit_pad.inside.map_tile import MapTile
from vit_pad.inside.sweeper import Reading
from vit_pad.percent import percent
from vit_pad.theme import UNIT, set_font, theme_of

_PLACES = 120  # of a slider
_CURVE_PX = 5 * UNIT


def holding_range(readings: Sequence[Reading], answer: str, rest: float) -> tuple[float, float] | None:
    """Give from where to where along a slider, and through `rest`, the answer holds; None where it doesn't at rest."""
    nearest = min(range(len(readings)), key=lambda index: abs(readings[index].value - rest))
    if readings[nearest].answer != answer:
        return None
    low = high = nearest
    while low > 0 and readings[low - 1].answer == answer:
        low -= 1
    while high + 1 < len(readings) and readings[high + 1].answer == answer:
        high += 1
    return readings[low].value, readings[high].value


class BreakPanel(QWidget):
    """The changed drawing as the model sees it, its answer, and a slider with a curve for each way of changing it.

    Signals:
        breaking_chosen(Breaking): a person moved a slider.
    """

    breaking_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._breaking = Breaking()
        self._prediction: Prediction | None = None  # of the drawing as it is on the pad
        self._readings: dict[str, Sequence[Reading]] = {}
        self._tile = MapTile()
        self._answer = QLabel()
        self._reset = QPushButton(self.tr("Reset"))
        words = {
            "turn_degrees": self.tr("Turn"),
            "size": self.tr("Size"),
            "shift_x": self.tr("Move right"),
            "shift_y": self.tr("Move down"),
            "pen": self.tr("Pen width"),
            "noise": self.tr("Shake"),
        }
        self._rows = {field: _Row(field, words[field], self) for field in RANGES}
        name_widget(self, "breakPanel", self.tr("Break it"))
        name_widget(self._tile, "brokenDrawing", self.tr("The changed drawing as the model sees it"))
        name_widget(self._answer, "brokenAnswer", self.tr("Answer to the changed drawing"))
        name_widget(self._reset, "resetBreakingButton", self.tr("Reset"))
        self._lay_out()
        self._reset.clicked.connect(lambda: self._choose(Breaking()))
        self.show_broken(None)

    @property
    def breaking(self) -> Breaking:
        """What the sliders say."""
        return self._breaking

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Take the answer that is to be broken; None where there is none."""
        before = None if self._prediction is None else self._prediction.top
        self._prediction = prediction
        if prediction is None:
            self._readings = {}
            self.show_broken(None)
        if prediction is None or prediction.top != before:
            self._show_curves()

    def show_broken(self, prediction: Prediction | None) -> None:
        """Show the changed drawing and its answer; None where it isn't one digit."""
        self._tile.show_map(None if prediction is None else prediction.image, None)
        if prediction is None:
            say(self._answer, self.tr("Draw one digit.") if self._prediction is None else self.tr("Not one digit."))
            return
        share = percent(float(prediction.probabilities.max()), self.locale(), 0)
        say(self._answer, self.tr("{answer}, {share}").format(answer=prediction.top, share=share))

    def show_readings(self, field: str, readings: Sequence[Reading]) -> None:
        """Show what was read along a slider."""
        self._readings[field] = readings
        self._show_curve(field)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show_curves()

    def choose_place(self, field: str, place: int) -> None:
        """Take what a slider says; within a hundredth of its rest it is at rest."""
        low, high, rest = RANGES[field]
        value = low + (high - low) * place / _PLACES
        if abs(value - rest) < (high - low) / _PLACES:
            value = rest
        self._choose(dataclasses.replace(self._breaking, **{field: value}))

    def _choose(self, breaking: Breaking) -> None:
        self._breaking = breaking
        self._reset.setEnabled(breaking != Breaking())
        for field, row in self._rows.items():
            row.show_value(getattr(breaking, field))
        self.breaking_chosen.emit(breaking)

    def _show_curves(self) -> None:
        for field in self._rows:
            self._show_curve(field)

    def _show_curve(self, field: str) -> None:
        prediction = self._prediction
        row, readings = self._rows[field], self._readings.get(field, ())
        if prediction is None or prediction.top is None:
            row.show_curve((), -1, "")
            return
        index = prediction.class_names.index(prediction.top)
        row.show_curve(readings, index, self._words(field, readings, prediction.top))

    def _words(self, field: str, readings: Sequence[Reading], answer: str) -> str:
        if not readings:
            return ""
        held = holding_range(readings, answer, getattr(self._breaking, field))
        if held is None:
            return self.tr("not {answer} here").format(answer=answer)
        low, high = (value_text(field, value) for value in held)
        return self.tr("{answer} from {low} to {high}").format(answer=answer, low=low, high=high)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, 2 * UNIT)
        column.setSpacing(UNIT)
        top = QHBoxLayout()
        top.addWidget(self._tile, 1)
        beside = QVBoxLayout()
        set_font(self._answer, "title")
        beside.addWidget(self._answer)
        beside.addWidget(self._reset)
        beside.addStretch(1)
        top.addLayout(beside, 1)
        column.addLayout(top)
        grid = QGridLayout()
        grid.setHorizontalSpacing(UNIT)
        grid.setVerticalSpacing(UNIT // 4)
        for index, row in enumerate(self._rows.values()):
            row.add_to(grid, 3 * index)
        column.addLayout(grid)
        column.addStretch(1)


class _Row:
    """A slider with its words and its curve, in three rows of a grid."""

    def __init__(self, field: str, words: str, panel: BreakPanel) -> None:
        self._field = field
        self._panel = panel
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setRange(0, _PLACES)
        self._label, self._value, self._held = QLabel(words), QLabel(), QLabel()
        self._label.setBuddy(self._slider)
        for label in (self._value, self._held):
            set_font(label, "small")
        self._curve = pyqtgraph.PlotWidget()
        self._curve.setFixedHeight(_CURVE_PX)
        self._curve.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # it asks for 640 pixels
        self._curve.setMouseEnabled(x=False, y=False)
        self._curve.setMenuEnabled(False)
        self._curve.hideButtons()
        self._curve.hideAxis("left")
        self._curve.hideAxis("bottom")
        self._curve.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        low, high, rest = RANGES[field]
        self._curve.setXRange(low, high, padding=0)
        self._curve.setYRange(0, 1, padding=0.05)
        self._place = pyqtgraph.InfiniteLine(rest)
        name_widget(self._slider, f"{field}Slider", words)
        name_widget(self._held, f"{field}Held", words)
        name_widget(self._curve, f"{field}Curve", words)
        self.show_value(rest)
        self._slider.valueChanged.connect(lambda place: panel.choose_place(field, place))

    def add_to(self, grid: QGridLayout, row: int) -> None:
        """Lay the parts out."""
        grid.addWidget(self._label, row, 0)
        grid.addWidget(self._slider, row, 1)
        grid.addWidget(self._value, row, 2)
        grid.addWidget(self._curve, row + 1, 1)
        grid.addWidget(self._held, row + 2, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(2, 7 * UNIT)

    def show_value(self, value: float) -> None:
        """Show a value, without a signal for it."""
        low, high, _ = RANGES[self._field]
        with QSignalBlocker(self._slider):
            self._slider.setValue(round(_PLACES * (value - low) / (high - low)))
        self._value.setText(value_text(self._field, value))
        self._place.setValue(value)

    def show_curve(self, readings: Sequence[Reading], index: int, words: str) -> None:
        """Show the probability of a class along the slider, and where it is the answer."""
        theme = theme_of(self._panel)
        self._curve.setBackground(QColor(theme.window))
        self._curve.clear()
        self._place.setPen(QColor(theme.quiet_text))
        self._curve.addItem(self._place)
        shares = [reading.probabilities[index] if reading.probabilities else 0.0 for reading in readings]
        pen = pyqtgraph.mkPen(QColor(theme.accent), width=2)
        self._curve.plot([reading.value for reading in readings], shares, pen=pen)
        say(self._held, words)


def value_text(field: str, value: float) -> str:
    """Write a value with its unit: degrees, times as much, or pad units."""
    if field == "turn_degrees":
        return f"{value:.0f}°"
    return f"× {value:.1f}" if field in ("size", "pen") else f"{value:.0f}"
