"""Order and place: the patches shuffled, how positions are like each other, and what the patch embedding looks for."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from training.edits import Edits
from training.facts import FloatArray, Prediction, WeightPictures
from vit_pad.choosers import name_widget, say
from vit_pad.inside.before_after import BeforeAfterBars
from vit_pad.inside.map_tile import MapTile
from vit_pad.inside.sheet_view import SheetView, filter_pictures, lay_out_sheet, similarity_pictures
from vit_pad.theme import UNIT, set_font

_FILTERS_A_ROW = 16


def as_it_comes(image: FloatArray, edits: Edits, grid: int) -> FloatArray:
    """Give the image (in_channels, S, S) with its patches blanked and moved, as the model gets it.

    What of the edits the grid doesn't have is left out.
    """
    if grid == 0:
        return image
    channels, size, _ = image.shape
    side = size // grid
    patches = image.reshape(channels, grid, side, grid, side).transpose(1, 3, 0, 2, 4)  # (G, G, in_channels, P, P)
    patches = patches.reshape(grid**2, channels, side, side).copy()
    patches[[patch for patch in edits.blanked_patches or () if patch < grid**2]] = 0
    if edits.patch_order is not None and len(edits.patch_order) == grid**2:
        patches = patches[list(edits.patch_order)]
    rows = patches.reshape(grid, grid, channels, side, side).transpose(2, 0, 3, 1, 4)  # (in_channels, G, P, G, P)
    whole: FloatArray = rows.reshape(channels, size, size)
    return whole


class OrderPanel(QWidget):
    """What shuffling does to the answer, and two pictures of the model's weights.

    Signals:
        order_chosen: the order of the patches, a tuple; None: as they are.
    """

    order_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._generator = np.random.default_rng()
        self._grid = 0
        self._edits = Edits()
        self._prediction: Prediction | None = None
        self._tile = MapTile()
        self._about = QLabel()
        self._shuffle = QPushButton(self.tr("Shuffle the patches"))
        self._in_order = QPushButton(self.tr("In order"))
        self._bars = BeforeAfterBars()
        self._similarity = SheetView(self.tr("This model has no positions."))
        self._filters = SheetView(self.tr("This model has no patches."))
        self._name_parts()
        self._lay_out()
        self._shuffle.clicked.connect(self.shuffle)
        self._in_order.clicked.connect(lambda: self.order_chosen.emit(None))
        self.show_edits(Edits())
        self.show_weights(WeightPictures(), 0)

    def shuffle(self) -> None:
        """Wish for the patches in another order, at random."""
        self.order_chosen.emit(tuple(int(each) for each in self._generator.permutation(self._grid**2)))

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show the patches as they come to the model, and what it answers; None puts both to rest."""
        self._prediction = prediction
        self._bars.show_prediction(prediction)
        self._show_patches()

    def show_edits(self, edits: Edits) -> None:
        """Show which patches are moved."""
        self._edits = edits
        self._in_order.setEnabled(edits.patch_order is not None)
        self._show_patches()

    def show_weights(self, pictures: WeightPictures, grid: int) -> None:
        """Show the pictures of a model with so many patches along one side."""
        self._grid = grid
        self._shuffle.setEnabled(grid > 0)
        similarity, filters = pictures.position_similarity, pictures.filters
        self._similarity.show_sheet(
            None if similarity is None else lay_out_sheet(similarity_pictures(similarity, grid), grid)
        )
        self._filters.show_sheet(None if filters is None else lay_out_sheet(filter_pictures(filters), _FILTERS_A_ROW))
        words = self.tr("Without positions the order of the patches makes no difference to the answer.")
        if similarity is not None:
            words = self.tr("Positions are added to the patches: moved, they are read as if they had been drawn there.")
        say(self._about, words if grid else self.tr("This model has no patches."))

    def _show_patches(self) -> None:
        prediction = self._prediction
        if prediction is None:
            self._tile.show_map(None, None)
        else:
            self._tile.show_map(as_it_comes(prediction.image, self._edits, prediction.grid), None)
        self._tile.set_caption(self.tr("As the model gets it"))

    def _name_parts(self) -> None:
        name_widget(self, "orderPanel", self.tr("Order and place"))
        for widget, object_name, name in (
            (self._tile, "patchesAsTheyCome", self.tr("The patches as they come")),
            (self._about, "orderLabel", self.tr("What order does")),
            (self._shuffle, "shuffleButton", self._shuffle.text()),
            (self._in_order, "inOrderButton", self._in_order.text()),
            (self._similarity, "positionSimilarity", self.tr("How like each position is to all others")),
            (self._filters, "patchFilters", self.tr("The filters of the patch embedding")),
        ):
            name_widget(widget, object_name, name)
        self._bars.setObjectName("orderBars")

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, 2 * UNIT)
        column.setSpacing(UNIT)
        self._about.setWordWrap(True)
        for label in (self._about, *(titles := (QLabel(), QLabel()))):
            set_font(label, "small")
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        titles[0].setText(self.tr("How like each position is to all others, one small map for each"))
        titles[1].setText(self.tr("What the patch embedding looks for: its filters, bright for ink"))
        for title in titles:
            title.setWordWrap(True)
        buttons = QVBoxLayout()
        buttons.addWidget(self._about)
        buttons.addWidget(self._shuffle)
        buttons.addWidget(self._in_order)
        buttons.addStretch(1)
        top = QHBoxLayout()
        top.setSpacing(UNIT)
        top.addWidget(self._tile, 1)
        top.addLayout(buttons, 1)
        column.addLayout(top, 2)
        column.addWidget(self._bars, 3)
        for title, sheet, stretch in ((titles[0], self._similarity, 3), (titles[1], self._filters, 2)):
            column.addWidget(title)
            column.addWidget(sheet, stretch)
