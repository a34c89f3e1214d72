"""A dock that holds one view of what happens inside the model."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDockWidget, QFrame, QScrollArea, QWidget

from training.config import NetworkConfig
from training.edits import Edits
from training.facts import Extra, Prediction, WeightPictures
from vit_pad.choosers import name_widget
from vit_pad.look import Look
from vit_pad.settings import Choices


@dataclass(frozen=True, kw_only=True)
class InsideState:
    """What the views go by, beside the answer itself."""

    choices: Choices
    look: Look
    pinned: tuple[int, ...]  # tokens
    edits: Edits
    config: NetworkConfig | None  # of the model that answers; None before there is one
    model: str | None  # its name or path; None for one that is being trained, too
    pictures: WeightPictures
    is_blanking: bool  # clicks blank patches instead of pinning them


class ViewDock(QDockWidget):
    """What all docks have in common; each says in its own class what its view shows and wants.

    Signals:
        closed(): a person closed it.
        seen_changed(): it can be seen now, or no longer.
    """

    closed = Signal()
    seen_changed = Signal()

    def __init__(self, name: str, title: str, view: QWidget, parent: QWidget) -> None:
        super().__init__(title, parent)
        name_widget(self, f"{name}Dock", title)
        self.view = view
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(view)
        self.setWidget(scroll)
        self.visibilityChanged.connect(self.seen_changed)

    @property
    def is_seen(self) -> bool:
        """Whether it is open and no other dock lies over it."""
        return self.view.isVisible()

    @property
    def wanted(self) -> frozenset[Extra]:
        """What the view needs beside the answer, while it is seen."""
        return frozenset()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show an answer; None puts the view to rest."""
        raise NotImplementedError

    def show_state(self, state: InsideState) -> None:
        """Show what is chosen, who asks and how the model is changed."""

    def close_down(self) -> None:
        """End all work, and wait for it."""

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()
