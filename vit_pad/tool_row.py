"""The row of tools above the pad."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSlider, QToolButton, QWidget

from vit_pad.actions import PadActions
from vit_pad.choosers import name_widget
from vit_pad.settings import THICKEST_PEN, THINNEST_PEN, Choices
from vit_pad.theme import UNIT


class ToolRow(QWidget):
    """Pen, eraser, eye and width; undo, redo and clear; open, paper, training; the menu."""

    chosen = Signal(str, object)  # a field of Choices and its new value

    def __init__(self, actions: PadActions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._width = QSlider(Qt.Orientation.Horizontal)
        self._width.setRange(THINNEST_PEN, THICKEST_PEN)
        self._width.setFixedWidth(15 * UNIT)
        self._width.setToolTip(
            self.tr(
                "Width of pen and eraser ([ and ], or the wheel over the pad). In an image like MNIST all lines get "
                "the same width: there the pen's only shows on the pad."
            )
        )
        name_widget(self._width, "penWidthSlider", self.tr("Pen width"))
        self._width.valueChanged.connect(lambda width: self.chosen.emit("pen_width", float(width)))
        actions.thinner.triggered.connect(lambda: self.change_width(-1))
        actions.thicker.triggered.connect(lambda: self.change_width(1))
        self._width.setSingleStep(2)
        self._menu_button = _button(actions.menu, "menuButton")
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._lay_out(actions)

    def set_menu(self, menu: QMenu) -> None:
        """Let the button at the right end open this."""
        self._menu_button.setMenu(menu)

    def open_menu(self) -> None:
        """Open the menu, as a click on its button does."""
        self._menu_button.showMenu()

    def change_width(self, steps: int) -> None:
        """Make the pen thicker by some steps, thinner by negative ones, as the slider's keys do."""
        self._width.setValue(self._width.value() + steps * self._width.singleStep())

    def show_choices(self, choices: Choices) -> None:
        """Show what is chosen, without a signal for it."""
        with QSignalBlocker(self._width):
            self._width.setValue(round(choices.pen_width))

    def add_widget(self, widget: QWidget) -> None:
        """Lay a part of somebody else beside the button that opens files."""
        self._row.insertWidget(self._row.indexOf(self._open), widget)

    def _lay_out(self, actions: PadActions) -> None:
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT // 2)
        row.addWidget(_button(actions.pen, "penButton"))
        row.addWidget(_button(actions.eraser, "eraserButton"))
        row.addWidget(_button(actions.look, "lookButton"))
        row.addSpacing(UNIT)
        label = QLabel(self.tr("Width"))
        label.setBuddy(self._width)
        label.setToolTip(self._width.toolTip())
        row.addWidget(label)
        row.addSpacing(UNIT // 2)
        row.addWidget(self._width)
        row.addSpacing(2 * UNIT)
        for action, name in (
            (actions.undo, "undoButton"),
            (actions.redo, "redoButton"),
            (actions.clear, "clearButton"),
        ):
            row.addWidget(_button(action, name))
        row.addStretch(1)
        self._open = _button(actions.open, "openButton")
        row.addWidget(self._open)
        row.addWidget(_button(actions.paper, "paperButton"))
        row.addWidget(_button(actions.training, "trainingPanelButton"))
        row.addWidget(self._menu_button)


def _button(action: QAction, name: str) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setIconSize(QSize(20, 20))
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    name_widget(button, name, action.text())
    return button
