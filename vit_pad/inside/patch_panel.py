"""What the answer owes to each patch: every one blanked by itself, and those that a person blanks."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from training.edits import Edits
from training.facts import FloatArray, Prediction
from vit_pad.choosers import name_widget, say
from vit_pad.heat import difference_colors, nice_scale
from vit_pad.inside.before_after import BeforeAfterBars
from vit_pad.inside.map_tile import MapTile
from vit_pad.percent import percent
from vit_pad.theme import UNIT, set_font

_STRENGTH = 0.9  # of the map
_MOST_NAMED = 3  # patches that flip the answer


def losses(prediction: Prediction) -> FloatArray | None:
    """Give how much of its probability the answer loses with each patch blanked, (grid, grid); None if not asked."""
    if prediction.blanked is None:
        return None
    top = int(prediction.probabilities.argmax())
    lost: FloatArray = prediction.probabilities[top] - prediction.blanked[..., top]
    return lost


def flips(prediction: Prediction) -> list[tuple[int, str]]:
    """Give the patches, from 0, that flip the answer when they alone are blanked, the one that costs it most first.

    With each comes what would be answered.
    """
    lost = losses(prediction)
    if lost is None or prediction.blanked is None:
        return []
    answers = prediction.blanked.argmax(axis=-1).ravel()
    patches = np.flatnonzero(answers != prediction.probabilities.argmax())
    order = patches[np.argsort(-lost.ravel()[patches], kind="stable")]
    return [(int(patch), prediction.class_names[answers[patch]]) for patch in order]


class PatchPanel(QWidget):
    """The map of what each patch is worth, which of them flips the answer, and bars with and without those blanked.

    Signals:
        blanking_chosen(bool): whether clicks blank patches instead of pinning them.
        restored(): all patches are to be seen again.
    """

    blanking_chosen = Signal(bool)
    restored = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tile = MapTile()
        self._flips, self._about = QLabel(), QLabel()
        self._blanking = QCheckBox(self.tr("Clicks blank patches"))
        self._restore = QPushButton(self.tr("Show all patches"))
        self._bars = BeforeAfterBars()
        self._name_parts()
        self._lay_out()
        self._blanking.clicked.connect(self.blanking_chosen)
        self._restore.clicked.connect(self.restored)
        self.show_edits(Edits())
        self.show_prediction(None)

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show what each patch is worth; None puts the panel to rest."""
        self._bars.show_prediction(prediction)
        lost = None if prediction is None else losses(prediction)
        if prediction is None or lost is None:
            self._tile.show_map(None, None)
            self._tile.set_caption("")
            say(self._flips, "")
            return
        limit = nice_scale(float(np.abs(lost).max()))
        self._tile.show_map(0.5 * prediction.image, difference_colors(lost, limit, _STRENGTH))
        self._tile.set_caption(
            self.tr("Orange speaks for it, up to {share}").format(share=percent(limit, self.locale()))
        )
        say(self._flips, self._words_of_flips(prediction))

    def show_edits(self, edits: Edits) -> None:
        """Show whether patches are blanked."""
        self._restore.setEnabled(bool(edits.blanked_patches))

    def show_blanking(self, is_blanking: bool) -> None:
        """Show what clicks do."""
        self._blanking.setChecked(is_blanking)

    def _words_of_flips(self, prediction: Prediction) -> str:
        found = flips(prediction)
        if not found:
            return self.tr("No single patch, blanked, flips the answer.")
        names = []
        for patch, answer in found[:_MOST_NAMED]:
            row, column = divmod(patch, prediction.grid)
            names.append(
                self.tr("row {row}, column {column} (then {answer})").format(
                    row=row + 1, column=column + 1, answer=answer
                )
            )
        words = self.tr("Blanked alone, {count} flip the answer: {names}")
        if len(found) == 1:
            words = self.tr("Blanked alone, this one flips the answer: {names}")
        return words.format(count=len(found), names="; ".join(names))

    def _name_parts(self) -> None:
        name_widget(self, "patchPanel", self.tr("What each patch is worth"))
        for widget, object_name, name in (
            (self._tile, "patchWorthMap", self.tr("What each patch is worth")),
            (self._flips, "flipsLabel", self.tr("Patches that flip the answer")),
            (self._about, "occlusionLabel", self.tr("What is shown")),
            (self._blanking, "blankingSwitch", self._blanking.text()),
            (self._restore, "restorePatchesButton", self._restore.text()),
        ):
            name_widget(widget, object_name, name)
        self._bars.setObjectName("patchBars")
        self._blanking.setToolTip(
            self.tr("In the small image, with the eye tool (L), or with Ctrl over the pad; click again to see it again")
        )

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, 2 * UNIT)
        column.setSpacing(UNIT)
        for label in (self._flips, self._about):
            label.setWordWrap(True)
            set_font(label, "small")
        self._about.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        say(
            self._about,
            self.tr(
                "What the answer loses with one patch turned into paper (occlusion; Zeiler and Fergus, ECCV 2014)."
            ),
        )
        self._flips.setMinimumHeight(3 * self._flips.fontMetrics().lineSpacing())
        buttons = QHBoxLayout()
        buttons.addWidget(self._blanking)
        buttons.addStretch(1)
        buttons.addWidget(self._restore)
        column.addWidget(self._about)
        column.addWidget(self._tile, 2)
        column.addWidget(self._flips)
        column.addLayout(buttons)
        column.addWidget(self._bars, 3)
