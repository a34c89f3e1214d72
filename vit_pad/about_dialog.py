"""What the program is, and all that one has to tell when asking for help."""

from __future__ import annotations

import platform

import numpy
import PySide6
from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from training import __version__, paths
from vit_pad.choosers import name_widget
from vit_pad.theme import UNIT, set_font


class AboutDialog(QDialog):
    """Versions, device and folders, with a button that copies them."""

    def __init__(self, device: str | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("About ViT Pad"))
        name_widget(self, "aboutDialog", self.windowTitle())
        title = QLabel(self.tr("ViT Pad"))
        set_font(title, "title", bold=True)
        what = QLabel(
            self.tr(
                "A drawing pad that a small Vision Transformer reads while the pen moves. Free under the MIT licence."
            )
        )
        what.setWordWrap(True)
        self._facts = about_text(device)
        facts = QLabel(self._facts)
        facts.setTextFormat(Qt.TextFormat.PlainText)
        facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        name_widget(facts, "aboutFacts", self.tr("Versions, device and folders"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton(self.tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        name_widget(copy, "copyAboutButton", self.tr("Copy versions, device and folders"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._facts))
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setSpacing(2 * UNIT)
        for widget in (title, what, facts, buttons):
            column.addWidget(widget)


def about_text(device: str | None) -> str:
    """Give versions, device and folders, a line each, in English: they are for whoever is asked for help."""
    facts = {
        "ViT Pad": __version__,
        "Python": platform.python_version(),
        "PySide6": f"{PySide6.__version__}, Qt {qVersion()}",
        "torch": _version_of("torch"),
        "numpy": numpy.__version__,
        "System": platform.platform(),
        "Screen": QGuiApplication.platformName(),
        "Device": device or "none yet",
        "Choices": paths.config_folder(),
        "Drawings and log": paths.state_folder(),
        "Models": paths.models_folder(),
        "Cache": paths.cache_folder(),
    }
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def _version_of(package: str) -> str:
    from importlib import metadata  # 20 ms, which the start of the window needn't wait for

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
