"""The docks there are, each with its view connected to those who decide."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from training.facts import Extra, Prediction
from vit_pad.inside.accuracy_counter import AccuracyCounter
from vit_pad.inside.attention_panel import AttentionPanel
from vit_pad.inside.head_wall import HeadWall
from vit_pad.inside.lens_view import LensView
from vit_pad.inside.mixing_desk import MixingDesk
from vit_pad.inside.order_panel import OrderPanel
from vit_pad.inside.patch_panel import PatchPanel
from vit_pad.inside.sweeper import Sweeper, Wish
from vit_pad.inside.view_dock import InsideState, ViewDock

if TYPE_CHECKING:
    from vit_pad.inside.docks import InsideDocks

_SWEEP_AFTER_MS = 250  # a pause in drawing or sliding that is worth reading the drawing anew so often


class AttentionDock(ViewDock):
    """Who asks, and how maps are joined and coloured."""

    def __init__(self, title: str, docks: InsideDocks, parent: QWidget) -> None:
        self._panel = AttentionPanel()
        super().__init__("attentionPanel", title, self._panel, parent)
        self._panel.chosen.connect(docks.chosen)
        self._panel.look_chosen.connect(docks.choose_look)
        self._panel.unpinned.connect(docks.query.clear)

    def show_prediction(self, prediction: Prediction | None) -> None:
        self._panel.show_prediction(prediction)

    def show_state(self, state: InsideState) -> None:
        self._panel.show_choices(state.choices)
        self._panel.show_look(state.look, state.pinned)


class HeadWallDock(ViewDock):
    """All heads of all blocks."""

    def __init__(self, title: str, docks: InsideDocks, parent: QWidget) -> None:
        self._wall = HeadWall()
        super().__init__("headWall", title, self._wall, parent)
        self._wall.head_chosen.connect(docks.choose_head)
        self._wall.sort_chosen.connect(lambda order: docks.chosen.emit("wall_order", order))

    def show_prediction(self, prediction: Prediction | None) -> None:
        self._wall.show_prediction(prediction)

    def show_state(self, state: InsideState) -> None:
        if state.config is not None:
            self._wall.set_shape(state.config.depth, state.config.num_heads)
        self._wall.set_choice(state.choices.block, state.choices.head)
        self._wall.set_sort(state.choices.wall_order)
        self._wall.set_paper(state.choices.paper)
        self._wall.set_palette(state.choices.palette)
        self._wall.set_look(state.look)


class LensDock(ViewDock):
    """The answer being made, block after block."""

    def __init__(self, title: str, docks: InsideDocks, parent: QWidget) -> None:
        self._lens = LensView()
        super().__init__("lensRace", title, self._lens, parent)
        self._lens.patches_wished.connect(lambda _is_wished: docks.asked_anew.emit())

    @property
    def wanted(self) -> frozenset[Extra]:
        always: frozenset[Extra] = frozenset({"residual_norms"})
        return always | {"patch_lens"} if self._lens.shows_patches else always

    def show_prediction(self, prediction: Prediction | None) -> None:
        self._lens.show_prediction(prediction)


class DeskDock(ViewDock):
    """Hands on: the model changed while it reads."""

    def __init__(self, title: str, docks: InsideDocks, parent: QWidget) -> None:
        self._desk = MixingDesk()
        super().__init__("mixingDesk", title, self._desk, parent)
        self._desk.edits_changed.connect(docks.set_edits)
        self._counter = AccuracyCounter(self)
        self._counter.counted.connect(self._desk.show_accuracy)
        self._state: InsideState | None = None
        self.seen_changed.connect(self._count)

    @property
    def wanted(self) -> frozenset[Extra]:
        return frozenset({"unedited"})

    def show_prediction(self, prediction: Prediction | None) -> None:
        self._desk.show_prediction(prediction)

    def show_state(self, state: InsideState) -> None:
        if state.config is not None:
            self._desk.set_config(state.config)
        self._desk.set_edits(state.edits)
        self._desk.set_choice(state.choices.block, state.choices.head)
        self._state = state
        self._count()

    def close_down(self) -> None:
        self._counter.stop()

    def _count(self) -> None:
        """Count test images for the model that answers, while the desk is seen."""
        if self._state is not None and self.is_seen:
            self._counter.count(self._state.model, self._state.edits)


class PatchDock(ViewDock):
    """What each patch is worth to the answer."""

    def __init__(self, title: str, docks: InsideDocks, parent: QWidget) -> None:
        self._panel = PatchPanel()
        super().__init__("patchPanel", title, self._panel, parent)
        self._panel.blanking_chosen.connect(docks.set_blanking)
        self._panel.restored.connect(lambda: docks.set_edits(dataclasses.replace(docks.edits, blanked_patches=None)))

    @property
    def wanted(self) -> frozenset[Extra]:
        return frozenset({"blanked", "unedited"})

    def show_prediction(self, prediction: Prediction | None) -> None:
        self._panel.show_prediction(prediction)

    def show_state(self, state: InsideState) -> None:
        self._panel.show_edits(state.edits)
        self._panel.show_blanking(state.is_blanking)


class OrderDock(ViewDock):
    """What order and place mean to the model."""

    def __init__(self, title: str, docks: InsideDocks, parent: QWidget) -> None:
        self._panel = OrderPanel()
        super().__init__("orderPanel", title, self._panel, parent)
        self._panel.order_chosen.connect(
            lambda order: docks.set_edits(dataclasses.replace(docks.edits, patch_order=order))
        )
        self._shown: InsideState | None = None

    @property
    def wanted(self) -> frozenset[Extra]:
        return frozenset({"unedited"})

    def show_prediction(self, prediction: Prediction | None) -> None:
        self._panel.show_prediction(prediction)

    def show_state(self, state: InsideState) -> None:
        self._panel.show_edits(state.edits)
        if self._shown is None or state.pictures is not self._shown.pictures:
            self._panel.show_weights(state.pictures, 0 if state.config is None else state.config.grid)
        self._shown = state


class BreakDock(ViewDock):
    """The drawing changed until it is read wrongly."""

    def __init__(self, title: str, docks: InsideDocks, parent: QWidget) -> None:
        from vit_pad.inside.break_panel import BreakPanel  # with it comes pyqtgraph

        self._panel = BreakPanel()
        super().__init__("breakPanel", title, self._panel, parent)
        self._docks = docks
        self._state: InsideState | None = None
        self._sweeper = Sweeper(self)
        self._sweeper.read.connect(self._panel.show_broken)
        self._sweeper.swept.connect(self._panel.show_readings)
        self._timer = QTimer(self, singleShot=True, interval=_SWEEP_AFTER_MS)
        self._timer.timeout.connect(self._sweep)
        self._panel.breaking_chosen.connect(self._timer.start)
        self.seen_changed.connect(self._timer.start)

    def show_prediction(self, prediction: Prediction | None) -> None:
        self._panel.show_prediction(prediction if self._docks.strokes else None)
        self._timer.start()

    def show_state(self, state: InsideState) -> None:
        self._state = state
        self._timer.start()

    def close_down(self) -> None:
        self._timer.stop()
        self._sweeper.stop()

    def _sweep(self) -> None:
        """Read the drawing that is there now, while the panel is seen."""
        state, strokes = self._state, self._docks.strokes
        if state is None or state.model is None or not strokes or not self.is_seen:
            self._sweeper.sweep(None)
            return
        mode = state.choices.placement
        self._sweeper.sweep(
            Wish(model=state.model, strokes=strokes, placement_mode=mode, breaking=self._panel.breaking)
        )
