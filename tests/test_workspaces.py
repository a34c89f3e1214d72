"""Workspaces: each with docks of its own, as it was left, also at the next start."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QMainWindow
from pytestqt.qtbot import QtBot

from vit_pad.settings import Choices, choices_from_text
from vit_pad.workspaces import DRAW, INSIDE, TRAIN, Layout, Workspaces, layouts_from_text, text_of_layouts


class Bench:
    """A window with three docks, opened and closed by actions, and workspaces over them."""

    def __init__(self, qtbot: QtBot) -> None:
        self.window = QMainWindow()
        qtbot.addWidget(self.window)
        self.docks = {name: self._add_dock(name) for name in ("wall", "desk", "training")}
        actions = {name: self._action(name) for name in self.docks}
        inside = (actions["wall"], actions["desk"])
        self.workspaces = Workspaces(self.window, {INSIDE: inside, TRAIN: (actions["training"],)})
        self.actions = actions
        self.window.show()

    def _add_dock(self, name: str) -> QDockWidget:
        dock = QDockWidget(name, self.window)
        dock.setObjectName(f"{name}Dock")
        self.window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        dock.hide()
        return dock

    def _action(self, name: str) -> QAction:
        action = QAction(name, self.window)
        action.setObjectName(name)
        action.setCheckable(True)
        action.toggled.connect(self.docks[name].setVisible)
        return action

    def opened(self) -> set[str]:
        return {name for name, dock in self.docks.items() if not dock.isHidden()}


def test_each_workspace_opens_its_docks(qtbot: QtBot) -> None:
    bench = Bench(qtbot)
    assert bench.opened() == set()
    with qtbot.waitSignal(bench.workspaces.switched) as switched:
        bench.workspaces.switch(INSIDE)
    assert switched.args == [INSIDE]
    assert bench.opened() == {"wall", "desk"}
    bench.workspaces.switch(TRAIN)
    assert bench.opened() == {"training"}
    bench.workspaces.switch(DRAW)
    assert bench.opened() == set()


def test_what_is_changed_in_a_workspace_stays_there(qtbot: QtBot) -> None:
    bench = Bench(qtbot)
    bench.workspaces.switch(INSIDE)
    bench.actions["desk"].setChecked(False)
    bench.window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, bench.docks["wall"])
    bench.workspaces.switch(DRAW)
    bench.window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, bench.docks["wall"])
    bench.workspaces.switch(INSIDE)
    assert bench.opened() == {"wall"}
    assert bench.window.dockWidgetArea(bench.docks["wall"]) == Qt.DockWidgetArea.LeftDockWidgetArea


def test_the_next_window_is_as_the_last_one_was_left(qtbot: QtBot) -> None:
    bench = Bench(qtbot)
    bench.workspaces.switch(INSIDE)
    bench.actions["wall"].setChecked(False)
    text = text_of_layouts(bench.workspaces.layouts())
    other = Bench(qtbot)
    other.workspaces.restore(INSIDE, layouts_from_text(text))
    assert other.opened() == {"desk"}
    assert other.workspaces.current == INSIDE
    assert other.workspaces.actions[INSIDE].isChecked()


@pytest.mark.parametrize("left", [DRAW, TRAIN])
def test_a_window_that_does_not_look_inside_begins_with_the_pad_alone(qtbot: QtBot, left: str) -> None:
    bench = Bench(qtbot)
    bench.workspaces.switch(left)
    bench.actions["training"].setChecked(True)
    other = Bench(qtbot)
    other.workspaces.restore(left, bench.workspaces.layouts())
    assert other.opened() == set()
    assert other.workspaces.current == DRAW
    other.workspaces.switch(TRAIN)
    assert other.opened() == {"training"}


def test_keys_switch(qtbot: QtBot) -> None:
    bench = Bench(qtbot)
    with qtbot.waitActive(bench.window):
        bench.window.activateWindow()
    QTest.keyClick(bench.window, Qt.Key.Key_F4)
    assert bench.opened() == {"training"}
    QTest.keyClick(bench.window, Qt.Key.Key_F2)
    assert bench.opened() == set()


def test_layouts_come_back_from_their_text() -> None:
    layouts = {DRAW: Layout((), b"\x00\xff"), INSIDE: Layout(("wall", "desk"), b"")}
    assert layouts_from_text(text_of_layouts(layouts)) == layouts


@pytest.mark.parametrize("text", ["", "[]", "7", '{"draw": 3}', '{"draw": [["a"], "xyz"]}', '{"draw": [[]]}', "{"])
def test_a_broken_record_is_left_out(text: str) -> None:
    assert choices_from_text({"layouts": text}).layouts in (Choices().layouts, "[]")
