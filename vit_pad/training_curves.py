"""How loss and accuracy go, drawn by pyqtgraph, which is loaded with this module and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pyqtgraph
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from vit_pad.choosers import name_widget
from vit_pad.theme import UNIT, Theme, font, theme_of

if TYPE_CHECKING:
    from training.train import TrainProgress

_SMOOTHING = 0.95  # share of the line that each step keeps: single batches jump about
_AXIS_PX = 7 * UNIT
_MOST_POINTS = 2000  # a line on the screen; beyond that every other one goes


class _Point(NamedTuple):
    epochs: float  # since the start
    loss: float
    accuracy: float


class TrainingCurves(QWidget):
    """Two plots over epochs: loss and accuracy, each of the training batches, smoothed, and of the validation set."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        name_widget(self, "trainingCurves", self.tr("Loss and accuracy"))
        self._loss = _Plot(self.tr("Loss"), self.tr("Training"), self.tr("Validation"), bottom=self.tr("Epochs"))
        self._accuracy = _Plot(self.tr("Right (%)"), self.tr("Training"), self.tr("Validation"), highest=100)
        self._training: list[_Point] = []
        self._validation: list[_Point] = []
        self._every = 1  # step that is kept
        self._smooth: _Point | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)  # pyqtgraph asks for 640 pixels
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self._accuracy)
        column.addWidget(self._loss)
        self.show_theme(theme_of(self))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange):
            self.show_theme(theme_of(self))

    def begin(self, epochs: int) -> None:
        """Begin anew, with room for so many epochs."""
        for plot in (self._loss, self._accuracy):
            plot.setXRange(0, epochs, padding=0)
        self._training, self._validation, self._every, self._smooth = [], [], 1, None
        self._draw()

    def add(self, steps: Sequence[TrainProgress], steps_per_epoch: float) -> None:
        """Go on with what came."""
        for step in steps:
            place = step.step / steps_per_epoch
            self._smooth = _smoothed(self._smooth, _Point(place, step.loss, step.accuracy))
            if step.step % self._every == 0:
                self._training.append(self._smooth)
            if step.val_loss is not None and step.val_accuracy is not None:
                self._validation.append(_Point(place, step.val_loss, step.val_accuracy))
        if len(self._training) > _MOST_POINTS:
            self._training, self._every = self._training[1::2], 2 * self._every
        self._draw()

    def show_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        for plot in (self._loss, self._accuracy):
            plot.show_theme(theme)

    def _draw(self) -> None:
        for plot, name, scale in ((self._loss, "loss", 1.0), (self._accuracy, "accuracy", 100.0)):
            plot.draw_lines(
                *(
                    ([point.epochs for point in points], [scale * getattr(point, name) for point in points])
                    for points in (self._training, self._validation)
                )
            )


def _smoothed(before: _Point | None, new: _Point) -> _Point:
    if before is None:
        return new
    kept = _SMOOTHING
    return _Point(
        new.epochs,
        kept * before.loss + (1 - kept) * new.loss,
        kept * before.accuracy + (1 - kept) * new.accuracy,
    )


class _Plot(pyqtgraph.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """One plot with two lines, which fits itself to them and isn't moved by the mouse."""

    def __init__(
        self, title: str, training: str, validation: str, *, bottom: str = "", highest: float | None = None
    ) -> None:
        super().__init__()
        self._title, self._bottom = title, bottom
        self.setMinimumHeight(14 * UNIT)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseEnabled(x=False, y=False)
        self.setMenuEnabled(False)
        self.hideButtons()
        self._legend = self.addLegend(offset=(-UNIT, -UNIT) if highest else (-UNIT, UNIT))
        self.setLimits(yMin=0)
        if highest is not None:
            self.setYRange(0, highest, padding=0.03)
        self._training = self.plot(name=training)
        self._validation = self.plot(name=validation, symbol="o", symbolSize=6)

    def draw_lines(
        self, training: tuple[list[float], list[float]], validation: tuple[list[float], list[float]]
    ) -> None:
        """Draw both lines: x and y of each."""
        self._training.setData(*training)
        self._validation.setData(*validation)

    def show_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self.setBackground(theme.window)
        self._training.setPen(theme.bar, width=1.5)
        self._validation.setPen(theme.accent, width=2)
        self._validation.setSymbolBrush(theme.accent)
        self._validation.setSymbolPen(theme.accent)
        self._legend.setLabelTextColor(theme.quiet_text)
        for side, text in (("left", self._title), ("bottom", self._bottom)):
            axis = self.getAxis(side)
            axis.enableAutoSIPrefix(False)
            if side == "left":
                axis.setWidth(_AXIS_PX)  # both plots begin at the same place
            axis.setPen(theme.line)
            axis.setTextPen(theme.quiet_text)
            axis.setTickFont(font("small"))
            if text:
                axis.setLabel(text)
