"""The race of the answers and the size of the residual stream, one below the other."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from training.facts import Prediction
from vit_pad.inside.lens_race import LensRace
from vit_pad.inside.residual_chart import ResidualChart
from vit_pad.theme import UNIT


class LensView(QWidget):
    """What the model would answer after each block, and how long its vectors are there."""

    patches_wished = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._race = LensRace()
        self._chart = ResidualChart()
        self._race.patches_wished.connect(self._on_wished)
        self.shows_patches = False  # asks every patch, too
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, 2 * UNIT)
        column.setSpacing(2 * UNIT)
        column.addWidget(self._race, 3)
        column.addWidget(self._chart, 1)

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show an answer; None puts both to rest."""
        self._race.show_prediction(prediction)
        self._chart.show_prediction(prediction)

    def _on_wished(self, is_wished: bool) -> None:
        self.shows_patches = is_wished
        self.patches_wished.emit(is_wished)
