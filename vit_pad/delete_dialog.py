"""The question before everything that the program wrote is deleted."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QLabel, QPushButton, QVBoxLayout, QWidget

from vit_pad.choosers import name_widget, say
from vit_pad.own_data import OwnData, find_own_data


class DeleteDialog(QDialog):
    """Says what goes and from where. `deletion_wished(tuple[OwnData, ...])` tells that it shall."""

    deletion_wished = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Delete all my data"))
        name_widget(self, "deleteDataDialog", self.windowTitle())
        what = QLabel(
            self.tr(
                "This deletes your choices, the last drawing, the history of drawings, the list of recent files, the "
                "log and the unpacked images of MNIST. Files that you saved elsewhere stay. It can't be undone."
            )
        )
        what.setWordWrap(True)
        self._models = QCheckBox(self.tr("Delete the models that I trained and unfinished trainings, too"))
        name_widget(self._models, "deleteModelsBox", self._models.text())
        self._models.toggled.connect(self._show_places)
        self._places = QLabel()
        self._places.setTextFormat(Qt.TextFormat.PlainText)
        self._places.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        delete = QPushButton(self.tr("Delete"))
        name_widget(delete, "deleteDataButton", delete.text())
        delete.setAutoDefault(False)
        buttons.addButton(delete, QDialogButtonBox.ButtonRole.DestructiveRole)
        delete.clicked.connect(self._on_delete)
        buttons.rejected.connect(self.reject)
        buttons.button(QDialogButtonBox.StandardButton.Cancel).setDefault(True)
        column = QVBoxLayout(self)
        for widget in (what, self._models, self._places, buttons):
            column.addWidget(widget)
        self._show_places()

    def _data(self) -> tuple[OwnData, ...]:
        return find_own_data(with_models=self._models.isChecked())

    def _show_places(self) -> None:
        lines = [
            self.tr("{folder}: {size}").format(folder=each.folder, size=self.locale().formattedDataSize(each.num_bytes))
            for each in self._data()
        ]
        say(self._places, "\n".join(lines))

    def _on_delete(self) -> None:
        self.deletion_wished.emit(self._data())
        self.accept()
