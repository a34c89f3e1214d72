"""The hundred MNIST digits to choose from, by a click or by number."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QPalette, QPixmap, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QDialog, QLabel, QVBoxLayout, QWidget

from vit_pad.choosers import name_widget
from vit_pad.samples import Sample, load_samples
from vit_pad.theme import UNIT
from vit_pad.thumbnail_view import ThumbnailView

_PICTURE_PX = 42


class SampleDialog(QDialog):
    """All samples by their numbers, 00 to 99, of which the first figure is the digit. It stays open beside the pad."""

    chosen = Signal(object)  # a vit_pad.samples.Sample

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("MNIST digits"))
        name_widget(self, "sampleDialog", self.tr("MNIST digits"))
        hint = QLabel(self.tr("Images of MNIST's test set. Click one, or type its number and press Enter."))
        hint.setWordWrap(True)
        hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._model = QStandardItemModel(self)
        view = ThumbnailView(self._model, _PICTURE_PX, num_lines=1)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        name_widget(view, "sampleView", self.tr("MNIST digits"))
        for place, sample in enumerate(load_samples()):
            self._model.appendRow(self._item(place, sample))
        view.clicked.connect(self._choose)
        view.activated.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, 2 * UNIT, 2 * UNIT, 2 * UNIT)
        column.setSpacing(UNIT)
        column.addWidget(hint)
        column.addWidget(view)
        view.setFocus()
        # Ten in a row: one row, one digit.
        frame_px = 2 * view.frameWidth() + view.verticalScrollBar().sizeHint().width() + UNIT
        view.setMinimumWidth(10 * view.gridSize().width() + frame_px)
        self.resize(QSize(self.minimumSizeHint().width(), 65 * UNIT))

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.data(Qt.ItemDataRole.UserRole))

    def _item(self, place: int, sample: Sample) -> QStandardItem:
        ratio = self.devicePixelRatioF()
        side_px = round(_PICTURE_PX * ratio)
        pixmap = QPixmap.fromImage(
            sample.image.scaled(side_px, side_px, mode=Qt.TransformationMode.SmoothTransformation)
        )
        pixmap.setDevicePixelRatio(ratio)
        item = QStandardItem(f"{place:02}")
        item.setData(pixmap, Qt.ItemDataRole.DecorationRole)
        item.setData(sample, Qt.ItemDataRole.UserRole)
        item.setToolTip(self.tr("Test image {number}, a {label}").format(number=sample.number, label=sample.label))
        return item
