"""Workspaces, each with docks of its own: to draw, to look inside, to train. What is changed in one stays there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from PySide6.QtCore import QByteArray, QObject, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMainWindow

from vit_pad.actions import add_action

DRAW, INSIDE, TRAIN = "draw", "inside", "train"
NAMES = (DRAW, INSIDE, TRAIN)


class Layout(NamedTuple):
    """Which docks are open, by the names of their actions, and Qt's own record of where they lie."""

    docks: tuple[str, ...]
    state: bytes = b""


def layouts_from_text(text: str) -> dict[str, Layout]:
    """Read layouts, by workspace.

    Raises:
        ValueError: the text is no such record.
    """
    try:
        rows = json.loads(text)
        return {
            name: Layout(tuple(str(dock) for dock in rows[name][0]), bytes.fromhex(rows[name][1]))
            for name in NAMES
            if name in rows
        }
    except (TypeError, LookupError, AttributeError) as error:
        raise ValueError(text) from error


def text_of_layouts(layouts: Mapping[str, Layout]) -> str:
    """Write layouts as one line."""
    return json.dumps({name: (layout.docks, layout.state.hex()) for name, layout in layouts.items()})


class Workspaces(QObject):
    """Switches between them by opening and closing docks; it is told their actions, which open and close them.

    Signals:
        switched(str): the name of the workspace that is shown now.
    """

    switched = Signal(str)

    def __init__(self, window: QMainWindow, docks: Mapping[str, tuple[QAction, ...]]) -> None:
        """Take the window and the actions of the docks that each workspace opens at first."""
        super().__init__(window)
        self._window = window
        self._docks = {action.objectName(): action for actions in docks.values() for action in actions}
        self._layouts = {name: Layout(tuple(each.objectName() for each in docks.get(name, ()))) for name in NAMES}
        self._current = DRAW
        self._group = QActionGroup(self)
        self.actions = {
            DRAW: self._add(DRAW, self.tr("Draw"), self.tr("The pad and its answer, nothing else"), "F2"),
            INSIDE: self._add(INSIDE, self.tr("Look inside"), self.tr("What the model does with the drawing"), "F3"),
            TRAIN: self._add(TRAIN, self.tr("Train"), self.tr("Retrain a model and watch it"), "F4"),
        }
        self.actions[DRAW].setChecked(True)

    @property
    def current(self) -> str:
        """The name of the workspace that is shown."""
        return self._current

    def layouts(self) -> dict[str, Layout]:
        """Give what is to be remembered, with the workspace that is shown as it is now."""
        return {**self._layouts, self._current: self._layout_now()}

    def restore(self, current: str, layouts: Mapping[str, Layout]) -> None:
        """Begin by looking inside, as that was left, or with the pad alone; never in training."""
        self._layouts |= {name: layout for name, layout in layouts.items() if name != DRAW}
        self._current = INSIDE if current == INSIDE else DRAW
        self.actions[self._current].setChecked(True)
        if self._current == INSIDE:
            self._show()

    def switch(self, name: str) -> None:
        """Leave the workspace that is shown as it is, and show another."""
        if name == self._current:
            return
        self._layouts[self._current] = self._layout_now()
        self._current = name
        self.actions[name].setChecked(True)
        self._show()
        self.switched.emit(name)

    def _add(self, name: str, text: str, help_text: str, key: str) -> QAction:
        action = add_action(self._window, text, help_text, [key])
        action.setObjectName(f"{name}Workspace")
        action.setCheckable(True)
        self._group.addAction(action)
        action.triggered.connect(lambda: self.switch(name))
        return action

    def _layout_now(self) -> Layout:
        is_open = tuple(name for name, action in self._docks.items() if action.isChecked())
        return Layout(is_open, bytes(self._window.saveState().data()))

    def _show(self) -> None:
        layout = self._layouts[self._current]
        for name, action in self._docks.items():
            action.setChecked(name in layout.docks)
        if layout.state:
            self._window.restoreState(QByteArray(layout.state))
