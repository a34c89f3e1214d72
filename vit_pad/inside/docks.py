"""The views of what happens inside the model: made when they are first opened, fed while they can be seen."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from training.config import NetworkConfig
from training.edits import NO_EDITS, Edits
from training.facts import Extra, Prediction, WeightPictures
from training.strokes import Stroke
from vit_pad.actions import add_action
from vit_pad.look import Look
from vit_pad.pace import Pace
from vit_pad.query import Query
from vit_pad.settings import Choices

if TYPE_CHECKING:  # imported when the first is opened: the window is to be there at once
    from vit_pad.inside.view_dock import ViewDock

_EVERY_MS = 40  # nobody sees small views change faster


class _Kind(NamedTuple):
    """A view that can be opened: the class of its dock in `view_docks`, its words and its key."""

    dock: str
    title: str
    help_text: str
    key: str


class InsideDocks(QObject):
    """Owns the docks, what is asked through them, and the changes of the model that are made in them.

    Signals:
        chosen: a field of Choices and its new value.
        look_changed: another map is to lie over the ink.
        asked_anew: other edits, or something else wanted beside the answer.
    """

    chosen = Signal(str, object)
    look_changed = Signal()
    asked_anew = Signal()

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.query = Query(self)
        self.edits: Edits = NO_EDITS
        self.strokes: tuple[Stroke, ...] = ()  # of the digit that is shown
        self._look = Look()
        self._prediction: Prediction | None = None
        self._config: NetworkConfig | None = None
        self._model: str | None = None
        self._pictures = WeightPictures()
        self._is_blanking = False
        self._choices = Choices()
        self._docks: dict[str, ViewDock] = {}  # by class, once they were opened
        self._pace = Pace(_EVERY_MS, self._feed, self)
        self.actions = tuple(self._make_action(kind) for kind in self._kinds())
        self.query.changed.connect(self._on_look)

    @property
    def look(self) -> Look:
        """Which map lies over the ink."""
        choices = self._choices
        return dataclasses.replace(self._look, block=choices.block, head=choices.head, token=self.query.token)

    @property
    def wanted(self) -> frozenset[Extra]:
        """What is needed beside the answer, for what can be seen."""
        wanted: set[Extra] = {"relevance"} if self._look.way == "relevance" else set()
        for dock in self._docks.values():
            if dock.is_seen:
                wanted |= dock.wanted
        return frozenset(wanted)

    def show_prediction(self, prediction: Prediction | None, strokes: tuple[Stroke, ...]) -> None:
        """Show an answer in all views that can be seen, within a time in which nobody sees them change.

        `strokes` are what it answers to, none where that isn't strokes alone that make one digit.
        """
        self._prediction, self.strokes = prediction, strokes
        if prediction is None:
            self._pace.act_now()
        elif self._docks:
            self._pace.ask()

    def show_choices(self, choices: Choices) -> None:
        """Show what is chosen."""
        self._choices = choices
        self._show_state()

    def show_model(self, config: NetworkConfig, model: str | None, pictures: WeightPictures) -> None:
        """Fit query and edits to another model; `model` is its name or path, None where it has none yet."""
        self._config, self._model, self._pictures = config, model, pictures
        self.query.fit(config.grid**2)
        self.set_edits(self.edits.fitted_to(config))
        self._show_state()

    def close_down(self) -> None:
        """End all work of the views, and wait for it."""
        for dock in self._docks.values():
            dock.close_down()

    def choose_look(self, name: str, value: Any) -> None:
        """Choose a field of the look."""
        self._look = dataclasses.replace(self._look, **{name: value})
        self._on_look()
        self.asked_anew.emit()

    def choose_head(self, block: int, head: int) -> None:
        """Choose a head of any block."""
        self.chosen.emit("block", block)
        self.chosen.emit("head", head)

    def click_patch(self, patch: int) -> None:
        """Pin a patch, or blank it, or show it again."""
        if self._is_blanking:
            blanked = (self.edits.blanked_patches or frozenset()) ^ {patch}
            self.set_edits(dataclasses.replace(self.edits, blanked_patches=blanked or None))
        else:
            self.query.pin(patch)

    def set_blanking(self, is_blanking: bool) -> None:
        """Choose what clicks do to patches."""
        self._is_blanking = is_blanking
        self._show_state()

    def set_edits(self, edits: Edits) -> None:
        """Change the model that reads."""
        if edits != self.edits:
            self.edits = edits
            self._show_state()
            self.asked_anew.emit()

    def _kinds(self) -> tuple[_Kind, ...]:
        return (
            _Kind(
                "AttentionDock",
                self.tr("Ask the attention"),
                self.tr("Who asks, rollout, relevance, two maps side by side, colours"),
                "Ctrl+1",
            ),
            _Kind(
                "HeadWallDock",
                self.tr("All heads"),
                self.tr("Every head of every block at once, with what it does"),
                "Ctrl+2",
            ),
            _Kind(
                "LensDock",
                self.tr("The answer being made"),
                self.tr("What the model would answer after each block"),
                "Ctrl+3",
            ),
            _Kind(
                "DeskDock",
                self.tr("Mixing desk"),
                self.tr("Turn heads down, leave paths out, and see what becomes of the answer"),
                "Ctrl+4",
            ),
            _Kind(
                "PatchDock",
                self.tr("What each patch is worth"),
                self.tr("Blank patches, and see which one flips the answer"),
                "Ctrl+5",
            ),
            _Kind(
                "OrderDock",
                self.tr("Order and place"),
                self.tr("Shuffle the patches; positions and filters of the model"),
                "Ctrl+6",
            ),
            _Kind(
                "BreakDock",
                self.tr("Break it"),
                self.tr("Turn, move, shrink, thicken and shake the drawing until it is read wrongly"),
                "Ctrl+7",
            ),
        )

    def _make_action(self, kind: _Kind) -> QAction:
        action = add_action(self._window, kind.title, kind.help_text, [kind.key])
        action.setObjectName(f"open{kind.dock}")
        action.setCheckable(True)
        action.toggled.connect(lambda is_wanted: self._open(kind, action, is_wanted))
        return action

    def _open(self, kind: _Kind, action: QAction, is_wanted: bool) -> None:
        dock = self._docks.get(kind.dock)
        if dock is None and is_wanted:
            dock = self._make_dock(kind, action)
        if dock is not None:
            dock.setVisible(is_wanted)
            if is_wanted:
                dock.raise_()

    def _make_dock(self, kind: _Kind, action: QAction) -> ViewDock:
        from vit_pad.inside import view_docks

        dock: ViewDock = getattr(view_docks, kind.dock)(kind.title, self, self._window)
        dock.closed.connect(lambda: action.setChecked(False))
        dock.seen_changed.connect(self._on_seen)
        beside = [each for each in self._docks.values() if each.isVisible()]
        self._docks[kind.dock] = dock
        self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        if beside:
            self._window.tabifyDockWidget(beside[-1], dock)
        self._show_state()
        return dock

    def _on_seen(self) -> None:
        self._feed()
        self.asked_anew.emit()

    def _feed(self) -> None:
        for dock in self._docks.values():
            if dock.is_seen:
                dock.show_prediction(self._prediction)

    def _on_look(self) -> None:
        self._show_state()
        self.look_changed.emit()

    def _show_state(self) -> None:
        """Show what is chosen and who asks, in all views that there are."""
        if not self._docks:
            return
        from vit_pad.inside.view_dock import InsideState

        state = InsideState(
            choices=self._choices,
            look=self.look,
            pinned=self.query.pinned,
            edits=self.edits,
            config=self._config,
            model=self._model,
            pictures=self._pictures,
            is_blanking=self._is_blanking,
        )
        for dock in self._docks.values():
            dock.show_state(state)
