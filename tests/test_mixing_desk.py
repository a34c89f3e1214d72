"""The mixing desk, offscreen: what faders come to, what mouse and keys do, and what is told and shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QLocale, QPoint, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QKeySequence, QShortcut, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QSlider, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.predictions import make_prediction
from tests.test_views import Pixels, color_of, make, painted
from training.config import VIT_PRESETS, CnnConfig, ModelConfig
from training.edited_count import EditedAccuracy
from training.edits import NO_EDITS, Edits
from training.facts import Prediction
from vit_pad.inside.before_after import BeforeAfterBars, lay_out_pairs, points
from vit_pad.inside.faders import (
    LEAST_TRAVEL_PX,
    Cell,
    FaderGrid,
    Room,
    lay_out_grid,
    letter_box,
    thumb_of,
    track_of,
)
from vit_pad.inside.mix import HIGHEST, NEUTRAL, BlockMix, Fader, edits_of, mix_of, snapped
from vit_pad.inside.mixing_desk import MixingDesk, TemperatureSlider, place_of, temperature_at
from vit_pad.theme import DARK, LIGHT, apply_theme, theme_of

PAD_4 = VIT_PRESETS["pad-4"]
SMALL = ModelConfig(image_size=8, patch_size=4, embed_dim=18, depth=2, num_heads=3)
ONE = ModelConfig(image_size=8, patch_size=4, embed_dim=16, depth=1, num_heads=1)
ROOM = Room(40.0, 18.0, 30.0)
WHOLE, ATTENTION, MLP, RESIDUAL = 3, 4, 5, 6  # columns of SMALL behind its heads
KEY, CTRL = Qt.Key, Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


def row_of(*scales: float) -> BlockMix:
    return BlockMix(tuple(NEUTRAL.at(scale) for scale in scales))


# What faders come to


def test_a_fader_pulled_down_is_muted_and_comes_back_at_1() -> None:
    assert Fader().scale == 1.0
    assert NEUTRAL.at(0.4) == Fader(0.4)
    assert Fader(0.4).at(0.0) == Fader(1.0, is_muted=True)
    assert Fader(0.4, is_muted=True).at(0.7) == Fader(0.7)
    assert Fader(0.4, is_muted=True).at(0.0) == Fader(0.4, is_muted=True)  # it is there already


def test_mute_keeps_the_level() -> None:
    row = row_of(1.0, 0.4, 2.0).toggled(1)
    assert row.scales == (1.0, 0.0, 2.0)
    assert row.toggled(1).scales == (1.0, 0.4, 2.0)


def test_the_fader_of_all_heads_multiplies_and_leaves_each_where_it_is() -> None:
    row = row_of(1.0, 0.5, 0.0).moved(WHOLE, 0.5)
    assert row.scales == (0.5, 0.25, 0.0)
    assert row.toggled(WHOLE).scales == (0.0, 0.0, 0.0)
    assert row.toggled(WHOLE).is_silent
    assert not row.is_silent
    assert row.toggled(WHOLE).toggled(WHOLE) == row
    assert row.rested(WHOLE).scales == (1.0, 0.5, 0.0)


def test_solo_mutes_the_others_and_its_end_restores_what_was() -> None:
    row = row_of(1.0, 0.4, 0.0)
    alone = row.solo_toggled(0)
    assert (alone.scales, alone.soloed) == ((1.0, 0.0, 0.0), 0)
    assert alone.solo_toggled(0) == row


def test_solo_goes_on_to_another_head_and_still_restores_what_was() -> None:
    row = row_of(1.0, 0.4, 0.0)
    alone = row.solo_toggled(0).solo_toggled(1)
    assert (alone.scales, alone.soloed) == ((0.0, 0.4, 0.0), 1)
    assert alone.solo_toggled(1) == row


def test_a_muted_head_is_heard_in_its_solo_and_muted_again_after_it() -> None:
    row = row_of(1.0, 0.4, 1.0).toggled(1)
    assert row.solo_toggled(1).scales == (0.0, 0.4, 0.0)
    assert row.solo_toggled(1).solo_toggled(1) == row


def test_solo_lasts_while_its_head_moves_and_ends_with_what_another_one_does() -> None:
    alone = row_of(1.0, 1.0, 1.0).solo_toggled(0)
    louder = alone.moved(0, 1.5)
    assert louder.soloed == 0
    assert louder.solo_toggled(0).scales == (1.5, 1.0, 1.0)
    assert alone.moved(WHOLE, 0.5).soloed == 0
    for ended in (alone.toggled(2), alone.moved(2, 0.3), alone.rested(2), alone.toggled(0), alone.moved(0, 0.0)):
        assert ended.soloed is None
    assert alone.toggled(2).scales == (1.0, 0.0, 1.0)


def test_a_head_without_others_can_be_soloed_too() -> None:
    row = row_of(1.0).solo_toggled(0)
    assert (row.scales, row.soloed) == ((1.0,), 0)
    assert row.solo_toggled(0) == row_of(1.0)


@given(st.lists(st.tuples(st.sampled_from(["solo", "mute", "move"]), st.integers(0, 3)), max_size=12))
def test_a_solo_is_always_of_one_head_that_is_heard(acts: list[tuple[str, int]]) -> None:
    row = row_of(1.0, 0.0, 0.6, 2.0)
    for act, head in acts:
        made = {"solo": row.solo_toggled(head), "mute": row.toggled(head), "move": row.moved(head, 0.3)}
        row = made[act]
        if row.soloed is not None:
            assert [index for index, scale in enumerate(row.scales) if scale] == [row.soloed]
        if act == "solo" and row.soloed == head:
            assert row.solo_toggled(head).muted_before_solo is None


def test_switches_leave_paths_out() -> None:
    row = row_of(1.0, 1.0, 1.0)
    assert [row.path(column) for column in (ATTENTION, MLP, RESIDUAL)] == ["attention", "mlp", "residual"]
    assert [row.fader(column) for column in (2, WHOLE, ATTENTION, RESIDUAL)] == [NEUTRAL, NEUTRAL, None, None]
    without = row.toggled(MLP)
    assert without.skipped == {"mlp"}
    assert not without.is_silent
    assert without.toggled(MLP) == without.rested(MLP) == row
    assert without.switched(MLP, is_on=False) == without
    assert row.switched(ATTENTION, is_on=False).is_silent
    assert row.moved(MLP, 0.5) == row  # no fader


def test_edits_are_made_of_rows_and_what_changes_nothing_is_none() -> None:
    others = Edits(softmax_temperature=2.0, blanked_patches=frozenset({3}), patch_order=(1, 0))
    rest = (row_of(1.0, 1.0, 1.0),) * 2
    assert edits_of(rest, NO_EDITS) == NO_EDITS
    assert edits_of(rest, others) == others
    mix = (row_of(1.0, 0.5, 0.0).toggled(MLP), row_of(1.0, 1.0, 1.0).toggled(ATTENTION).toggled(RESIDUAL))
    assert edits_of(mix, others) == dataclasses.replace(
        others,
        head_scales=((1.0, 0.5, 0.0), (1.0, 1.0, 1.0)),
        skipped_attention=frozenset({1}),
        skipped_mlps=frozenset({0}),
        skipped_residuals=frozenset({1}),
    )
    assert edits_of(rest, edits_of(mix, others)) == others


scales = st.one_of(st.just(0.0), st.just(1.0), st.floats(-3, 3, allow_subnormal=False))
blocks = st.frozensets(st.integers(0, 1), min_size=1) | st.none()


@given(st.lists(st.tuples(scales, scales, scales), min_size=2, max_size=2), blocks, blocks, blocks)
def test_what_edits_say_is_shown_exactly(heads: Any, attention: Any, mlps: Any, residuals: Any) -> None:
    edits = Edits(head_scales=tuple(heads), skipped_attention=attention, skipped_mlps=mlps, skipped_residuals=residuals)
    is_neutral = heads == [(1.0,) * 3] * 2
    expected = dataclasses.replace(edits, head_scales=None) if is_neutral else edits
    assert edits_of(mix_of(edits, 2, 3), NO_EDITS) == expected


def test_faders_come_to_rest_at_round_numbers_and_at_1() -> None:
    moved = (-1.0, 0.02, 0.33, 0.9, 0.94, 1.06, 1.1, 1.93, 7.0)
    assert [snapped(scale) for scale in moved] == [0.0, 0.0, 0.35, 0.9, 1.0, 1.0, 1.1, 1.95, 2.0]


@given(st.floats(-3, 5))
def test_a_snapped_scale_stays_where_it_is(scale: float) -> None:
    assert 0.0 <= snapped(scale) <= HIGHEST
    assert snapped(snapped(scale)) == snapped(scale)
    assert abs(snapped(scale) - min(max(scale, 0.0), HIGHEST)) <= 0.07 + 1e-9


# Where everything is


@given(st.floats(1, 3000), st.floats(1, 3000), st.integers(1, 24), st.integers(1, 16))
def test_cells_are_apart_and_in_rows_and_columns(width: float, height: float, depth: int, num_heads: int) -> None:
    layout = lay_out_grid(width, height, depth, num_heads, ROOM)
    assert set(layout.cells) == {Cell(block, column) for block in range(depth) for column in range(num_heads + 4)}
    for (block, column), rect in layout.cells.items():
        assert rect.height() >= 20
        assert rect.width() >= 18
        assert rect.left() == layout.column_names[column].left() >= ROOM.row_name_px
        assert rect.top() == layout.row_names[block].top() >= ROOM.column_name_px
        assert track_of(rect).isValid()
    for one, other in combinations([layout.cells[Cell(0, column)] for column in range(num_heads + 4)], 2):
        assert one.right() <= other.left() + 1e-9
    for block in range(depth - 1):
        assert layout.cells[Cell(block, 0)].bottom() <= layout.cells[Cell(block + 1, 0)].top() + 1e-9


@pytest.mark.parametrize(("depth", "num_heads"), [(6, 8), (12, 3), (1, 1)])
def test_a_grid_with_room_is_all_inside(depth: int, num_heads: int) -> None:
    layout = lay_out_grid(388, 280, depth, num_heads, ROOM)
    whole = QRectF(-0.01, -0.01, 388.02, 280.02)
    assert all(whole.contains(rect) for rect in (*layout.cells.values(), *layout.row_names, *layout.column_names))


def test_the_common_fader_and_the_switches_stand_apart_from_the_heads() -> None:
    cells = lay_out_grid(388, 280, 2, 3, ROOM).cells
    gaps = [cells[Cell(0, column + 1)].left() - cells[Cell(0, column)].right() for column in range(6)]
    assert [gap > 8 for gap in gaps] == [False, False, True, True, False, False]


def test_the_thumb_is_in_the_middle_for_1_and_at_the_ends_for_0_and_2() -> None:
    track = QRectF(10, 20, 24, 40)
    assert thumb_of(track, 1.0).center() == track.center()
    assert thumb_of(track, 0.0).bottom() == track.bottom()
    assert thumb_of(track, 2.0).top() == track.top()
    assert thumb_of(track, 3.7) == thumb_of(track, 2.0)
    assert thumb_of(track, -1.0) == thumb_of(track, 0.0)
    assert thumb_of(track, 0.9).top() > thumb_of(track, 1.1).top()
    assert track.contains(thumb_of(track, 0.3))


def test_a_letter_is_at_the_other_end_than_the_thumb() -> None:
    track = QRectF(10, 20, 24, 40)
    for scale in (0.0, 0.5, 1.0, 1.5, 2.0):
        box = letter_box(track, QSizeF(8, 14), scale)
        assert track.contains(box)
        assert not box.intersects(thumb_of(track, scale))
    assert track.contains(letter_box(track, QSizeF(50, 60), 1.0))


# Mouse and keys in the grid


@pytest.fixture
def grid(qtbot: QtBot) -> FaderGrid:
    grid: FaderGrid = make(qtbot, FaderGrid, 388, 120)
    grid.setLocale(QLocale("en_US"))
    grid.show_mix(mix_of(NO_EDITS, SMALL.depth, SMALL.num_heads))
    return grid


def scales_of(grid: FaderGrid) -> list[tuple[float, ...]]:
    return [row.scales for row in grid.mix]


def rect_of(grid: FaderGrid, block: int, column: int) -> QRectF:
    return grid._lay_out().cells[Cell(block, column)]


def place_of_cell(grid: FaderGrid, block: int, column: int) -> QPoint:
    return rect_of(grid, block, column).center().toPoint()


def click(grid: FaderGrid, block: int, column: int, button: Qt.MouseButton = LEFT) -> None:
    QTest.mouseClick(grid, button, pos=place_of_cell(grid, block, column))


def drag(grid: FaderGrid, block: int, column: int, *ups_px: int) -> None:
    start = place_of_cell(grid, block, column)
    QTest.mousePress(grid, LEFT, pos=start)
    for up_px in ups_px:
        QTest.mouseMove(grid, start - QPoint(0, up_px))
    QTest.mouseRelease(grid, LEFT, pos=start - QPoint(0, ups_px[-1]))


def turn(grid: QWidget, place: QPoint, eighths: int) -> bool:
    """Turn the wheel over a place; tell whether the widget took it."""
    event = QWheelEvent(
        QPointF(place),
        QPointF(grid.mapToGlobal(place)),
        QPoint(),
        QPoint(0, eighths),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    event.ignore()
    QApplication.sendEvent(grid, event)
    return event.isAccepted()


def press(grid: QWidget, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(grid, key)


def test_a_click_frames_and_changes_nothing(grid: FaderGrid, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(grid.mixed):
        click(grid, 1, 2)
        click(grid, 1, WHOLE)
    assert grid.cell == (1, WHOLE)
    with qtbot.waitSignal(grid.framed):
        click(grid, 0, 1)
    click(grid, 1, 2, Qt.MouseButton.RightButton)
    QTest.mouseClick(grid, LEFT, pos=QPoint(2, 2))  # a corner without a fader
    assert grid.cell == (0, 1)


def test_a_drag_moves_by_what_the_mouse_moves(grid: FaderGrid, qtbot: QtBot) -> None:
    half = round(LEAST_TRAVEL_PX / 4)  # of a unit
    with qtbot.waitSignals([grid.mixed] * 3):
        drag(grid, 0, 1, half, 2 * half, half)
    assert scales_of(grid) == [(1.0, 1.5, 1.0), (1.0, 1.0, 1.0)]
    drag(grid, 0, 1, -half // 2)  # from where it stands
    assert scales_of(grid)[0][1] == pytest.approx(1.25, abs=0.05)
    drag(grid, 1, WHOLE, -half)
    assert scales_of(grid)[1] == (0.5, 0.5, 0.5)
    drag(grid, 1, 0, 900)
    drag(grid, 1, 2, -900)
    assert scales_of(grid)[1] == (1.0, 0.5, 0.0)  # each times the half of all


def test_a_drag_over_other_cells_keeps_to_its_own_and_ends_with_the_button(grid: FaderGrid) -> None:
    start, away = place_of_cell(grid, 0, 0), place_of_cell(grid, 1, 2)
    QTest.mousePress(grid, LEFT, pos=start)
    QTest.mouseMove(grid, away)
    QTest.mouseRelease(grid, LEFT, pos=away)
    moved = scales_of(grid)
    assert moved[0][0] < 1.0
    assert moved[0][1:] + moved[1] == (1.0,) * 5
    QTest.mouseMove(grid, start)
    assert scales_of(grid) == moved


def test_a_trembling_click_on_a_muted_fader_keeps_its_level(grid: FaderGrid) -> None:
    grid.show_mix((row_of(1.0, 0.5, 1.0).toggled(1), row_of(1.0, 1.0, 1.0)))
    drag(grid, 0, 1, 1, 0)
    assert grid.mix[0].heads[1] == Fader(0.5, is_muted=True)


def test_a_double_click_brings_a_fader_back_to_1_and_turns_a_switch_twice(grid: FaderGrid) -> None:
    grid.show_mix((row_of(0.3, 1.0, 1.0), row_of(1.0, 1.0, 1.0)))
    click(grid, 0, 0)
    QTest.mouseDClick(grid, LEFT, pos=place_of_cell(grid, 0, 0))
    assert scales_of(grid)[0] == (1.0, 1.0, 1.0)
    click(grid, 1, MLP)
    assert grid.mix[1].skipped == {"mlp"}
    QTest.mouseDClick(grid, LEFT, pos=place_of_cell(grid, 1, MLP))
    assert grid.mix[1].skipped == frozenset()


@pytest.mark.parametrize(("column", "path"), [(ATTENTION, "attention"), (MLP, "mlp"), (RESIDUAL, "residual")])
def test_a_click_turns_a_switch(grid: FaderGrid, qtbot: QtBot, column: int, path: str) -> None:
    with qtbot.waitSignal(grid.mixed):
        click(grid, 1, column)
    assert [row.skipped for row in grid.mix] == [frozenset(), {path}]
    click(grid, 1, column)
    assert grid.mix[1].skipped == frozenset()


def test_the_wheel_moves_what_it_is_over_by_whole_notches(grid: FaderGrid) -> None:
    place = place_of_cell(grid, 1, 1)
    assert turn(grid, place, 120)
    assert grid.cell == (1, 1)
    assert scales_of(grid)[1] == (1.0, 1.1, 1.0)
    assert turn(grid, place, 80)  # a finger on a pad
    assert scales_of(grid)[1][1] == 1.1
    turn(grid, place, 80)
    assert scales_of(grid)[1][1] == 1.2
    turn(grid, place, -160)  # 40 were left over
    assert scales_of(grid)[1][1] == 1.1
    turn(grid, place, 80)
    turn(grid, place_of_cell(grid, 0, 0), 80)  # what was left over was the other one's
    assert scales_of(grid) == [(1.0, 1.0, 1.0), (1.0, 1.1, 1.0)]


def test_the_wheel_scrolls_where_there_is_no_fader(grid: FaderGrid) -> None:
    assert not turn(grid, place_of_cell(grid, 0, MLP), 120)
    assert not turn(grid, QPoint(2, 2), 120)
    assert not turn(grid, place_of_cell(grid, 0, 0), 0)
    assert [row.skipped for row in grid.mix] == [frozenset()] * 2


def test_up_and_down_go_by_tenths_snap_at_1_and_stop_at_the_ends(grid: FaderGrid) -> None:
    grid.frame(Cell(0, 2))
    press(grid, KEY.Key_Up, KEY.Key_Up)
    assert scales_of(grid)[0] == (1.0, 1.0, 1.2)
    press(grid, *[KEY.Key_Down] * 4)
    assert scales_of(grid)[0][2] == 0.8
    grid.show_mix((row_of(1.0, 1.0, 0.86), row_of(1.0, 1.0, 1.0)))
    press(grid, KEY.Key_Up)
    assert scales_of(grid)[0][2] == 1.0
    press(grid, *[KEY.Key_Up] * 12)
    assert scales_of(grid)[0][2] == 2.0
    press(grid, *[KEY.Key_Down] * 22)
    assert scales_of(grid)[0][2] == 0.0


def test_up_and_down_turn_a_switch_on_and_off(grid: FaderGrid) -> None:
    grid.frame(Cell(0, RESIDUAL))
    press(grid, KEY.Key_Down, KEY.Key_Down)
    assert grid.mix[0].skipped == {"residual"}
    press(grid, KEY.Key_Up, KEY.Key_Up)
    assert grid.mix[0].skipped == frozenset()


@pytest.mark.parametrize("key", [KEY.Key_M, KEY.Key_Space])
def test_a_key_mutes_heads_blocks_and_paths(grid: FaderGrid, key: Qt.Key) -> None:
    grid.show_mix((row_of(0.5, 1.0, 1.0), row_of(1.0, 1.0, 1.0)))
    press(grid, key)
    assert scales_of(grid)[0] == (0.0, 1.0, 1.0)
    press(grid, key)
    assert scales_of(grid)[0] == (0.5, 1.0, 1.0)
    grid.frame(Cell(1, WHOLE))
    press(grid, key)
    assert scales_of(grid)[1] == (0.0, 0.0, 0.0)
    grid.frame(Cell(1, ATTENTION))
    press(grid, key)
    assert grid.mix[1].skipped == {"attention"}


def test_s_solos_heads_and_nothing_else(grid: FaderGrid, qtbot: QtBot) -> None:
    grid.frame(Cell(1, 1))
    press(grid, KEY.Key_S)
    assert scales_of(grid) == [(1.0, 1.0, 1.0), (0.0, 1.0, 0.0)]
    press(grid, KEY.Key_S)
    assert scales_of(grid)[1] == (1.0, 1.0, 1.0)
    with qtbot.assertNotEmitted(grid.mixed):
        for column in (WHOLE, ATTENTION, RESIDUAL):
            grid.frame(Cell(1, column))
            press(grid, KEY.Key_S)


def test_backspace_brings_back_what_is_framed_alone(grid: FaderGrid) -> None:
    grid.show_mix((row_of(0.5, 0.2, 1.0).moved(WHOLE, 0.5), row_of(1.0, 1.0, 1.0).toggled(MLP)))
    grid.frame(Cell(0, 1))
    press(grid, KEY.Key_Backspace)
    assert scales_of(grid)[0] == (0.25, 0.5, 0.5)
    grid.frame(Cell(0, WHOLE))
    press(grid, KEY.Key_Backspace)
    assert scales_of(grid)[0] == (0.5, 1.0, 1.0)
    grid.frame(Cell(1, MLP))
    press(grid, KEY.Key_Backspace)
    assert grid.mix[1].skipped == frozenset()


def test_keys_go_from_cell_to_cell_and_stop_at_the_ends(grid: FaderGrid) -> None:
    ways: list[tuple[Qt.Key, Qt.KeyboardModifier, Cell]] = [
        (KEY.Key_Right, Qt.KeyboardModifier.NoModifier, Cell(0, 1)),
        (KEY.Key_PageDown, Qt.KeyboardModifier.NoModifier, Cell(1, 1)),
        (KEY.Key_PageDown, Qt.KeyboardModifier.NoModifier, Cell(1, 1)),
        (KEY.Key_Left, Qt.KeyboardModifier.NoModifier, Cell(1, 0)),
        (KEY.Key_Left, Qt.KeyboardModifier.KeypadModifier, Cell(1, 0)),
        (KEY.Key_PageUp, Qt.KeyboardModifier.NoModifier, Cell(0, 0)),
        (KEY.Key_PageUp, Qt.KeyboardModifier.NoModifier, Cell(0, 0)),
        (KEY.Key_Down, CTRL, Cell(1, 0)),
        (KEY.Key_End, Qt.KeyboardModifier.NoModifier, Cell(1, RESIDUAL)),
        (KEY.Key_Right, Qt.KeyboardModifier.NoModifier, Cell(1, RESIDUAL)),
        (KEY.Key_Up, CTRL, Cell(0, RESIDUAL)),
        (KEY.Key_Home, Qt.KeyboardModifier.NoModifier, Cell(0, 0)),
    ]
    for key, modifiers, cell in ways:
        QTest.keyClick(grid, key, modifiers)
        assert grid.cell == cell
    assert edits_of(grid.mix, NO_EDITS) == NO_EDITS


def in_window(qtbot: QtBot) -> tuple[QWidget, FaderGrid]:
    """Put a grid into a window of its own."""
    window, grid = make(qtbot, QWidget, 400, 140), FaderGrid()
    grid.show_mix(mix_of(NO_EDITS, SMALL.depth, SMALL.num_heads))
    QVBoxLayout(window).addWidget(grid)
    return window, grid


def test_the_grid_keeps_its_keys_from_the_windows_shortcuts(qtbot: QtBot) -> None:
    window, grid = in_window(qtbot)
    taken: list[str] = []
    for name in ("M", "S", "Space", "Backspace", "Up", "Ctrl+Up", "P", "Ctrl+M", "Shift+S"):
        QShortcut(QKeySequence(name), window).activated.connect(lambda name=name: taken.append(name))
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    grid.setFocus()
    qtbot.waitUntil(grid.hasFocus)
    press(grid, KEY.Key_M, KEY.Key_S, KEY.Key_Space, KEY.Key_Backspace, KEY.Key_Up)
    QTest.keyClick(grid, KEY.Key_Up, CTRL)
    assert taken == []
    press(grid, KEY.Key_P)
    QTest.keyClick(grid, KEY.Key_M, CTRL)
    QTest.keyClick(grid, KEY.Key_S, Qt.KeyboardModifier.ShiftModifier)
    assert taken == ["P", "Ctrl+M", "Shift+S"]


def test_what_is_framed_is_told(grid: FaderGrid) -> None:
    assert grid.accessibleName() == "Heads and paths"
    assert grid.focusPolicy() == Qt.FocusPolicy.StrongFocus
    told = []

    def tell(block: int, column: int, *keys: Qt.Key) -> None:
        grid.frame(Cell(block, column))
        press(grid, *keys)
        told.append(grid.accessibleDescription())

    tell(1, 2)
    tell(1, 2, KEY.Key_Down)
    tell(1, 2, KEY.Key_M)
    tell(0, 1, KEY.Key_S)
    tell(1, WHOLE, KEY.Key_Up)
    tell(1, 0)
    tell(1, WHOLE, KEY.Key_M)
    tell(1, 0)
    tell(0, ATTENTION)
    tell(1, MLP, KEY.Key_M)
    tell(1, RESIDUAL)
    assert told == [
        "Head 3 of block 2: × 1",
        "Head 3 of block 2: × 0.9",
        "Head 3 of block 2: muted",
        "Head 2 of block 1: × 1, solo",
        "All heads of block 2: × 1.1",
        "Head 1 of block 2: × 1; all heads: × 1.1",
        "All heads of block 2: muted",
        "Head 1 of block 2: × 1; all heads: muted",
        "Attention of block 1: on",
        "MLP of block 2: left out",
        "Residual paths of block 2: on",
    ]


def test_the_tool_tip_names_what_is_under_the_mouse(grid: FaderGrid, qtbot: QtBot) -> None:
    with qtbot.waitExposed(grid):
        grid.show()
    tips = []
    for cell in ((1, 2), (0, WHOLE), (0, MLP)):
        QTest.mouseMove(grid.windowHandle(), place_of_cell(grid, *cell))
        tips.append(grid.toolTip().split("\n"))
    QTest.mouseMove(grid.windowHandle(), QPoint(2, 2))
    assert [tip[0] for tip in tips] == ["Head 3 of block 2: × 1", "All heads of block 1: × 1", "MLP of block 1: on"]
    assert ["S lets" in tip[-1] for tip in tips] == [True, False, False]
    assert grid.toolTip() == ""


def test_another_shape_keeps_the_frame_inside(grid: FaderGrid) -> None:
    grid.frame(Cell(1, RESIDUAL))
    before = grid.minimumSizeHint()
    grid.show_mix(mix_of(NO_EDITS, 1, 1))
    assert grid.cell == (0, 4)
    assert grid.accessibleDescription() == "Residual paths of block 1: on"
    assert grid.minimumSizeHint().width() < before.width()
    assert grid.minimumSizeHint().height() < before.height()


# What the grid looks like


def is_color(seen: Pixels, name: str, tolerance: int = 2) -> Any:
    return (np.abs(seen.astype(int) - color_of(name)) <= tolerance).all(axis=-1)


def cell_pixels(grid: FaderGrid, block: int, column: int) -> Pixels:
    rect = rect_of(grid, block, column)
    inner = track_of(rect) if grid.mix[block].fader(column) else rect.adjusted(3, 3, -3, -3)
    area = inner.toRect()
    return painted(grid)[area.top() : area.bottom() + 1, area.left() : area.right() + 1]


def accents(grid: FaderGrid, block: int, column: int) -> int:
    return int(is_color(cell_pixels(grid, block, column), theme_of(grid).accent).sum())


def test_only_what_is_changed_has_the_accent(grid: FaderGrid) -> None:
    grid.frame(Cell(1, 2))
    rest = [accents(grid, 0, column) for column in range(7)]
    assert rest == [0] * 7
    grid.show_mix((row_of(1.0, 0.5, 0.0).moved(WHOLE, 1.7).toggled(MLP), row_of(1.0, 1.0, 1.0)))
    assert [accents(grid, 0, column) > 0 for column in range(7)] == [False, True, True, True, False, True, False]


def test_a_thumb_stands_where_its_scale_is(grid: FaderGrid) -> None:
    grid.frame(Cell(1, 2))
    middles = []
    for scale in (0.3, 1.0, 1.7):
        grid.show_mix((row_of(scale, 1.0, 1.0), row_of(1.0, 1.0, 1.0)))
        theme = theme_of(grid)
        seen = cell_pixels(grid, 0, 0)
        thumb = is_color(seen, theme.bar if scale == 1.0 else theme.accent).sum(axis=1)
        middles.append(np.flatnonzero(thumb >= thumb.max()).mean() / len(seen))
    assert middles[0] > 0.7
    assert 0.4 < middles[1] < 0.6
    assert middles[2] < 0.3


def test_letters_say_muted_and_solo_whatever_the_colours(grid: FaderGrid) -> None:
    grid.frame(Cell(1, 2))

    def inked(block: int, column: int) -> Any:
        seen = cell_pixels(grid, block, column)[2:-2, 2:-2]  # without round corners
        return is_color(seen, theme_of(grid).text, tolerance=60)  # letters are soft

    assert not inked(0, 0).any()
    grid.show_mix((row_of(1.0, 1.0, 1.0).solo_toggled(0), row_of(1.0, 1.0, 1.0)))
    assert inked(0, 0).any()
    assert inked(0, 1).any()
    assert (inked(0, 0) != inked(0, 1)).any()
    assert not inked(1, 0).any()


def test_heads_that_are_not_heard_are_faint(grid: FaderGrid) -> None:
    grid.frame(Cell(1, 2))
    theme = theme_of(grid)
    for row in (row_of(1.0, 1.0, 1.0).toggled(WHOLE), row_of(1.0, 1.0, 1.0).toggled(ATTENTION)):
        grid.show_mix((row, row_of(1.0, 1.0, 1.0)))
        assert not is_color(cell_pixels(grid, 0, 1), theme.bar).any()
        assert is_color(cell_pixels(grid, 1, 1), theme.bar).any()


def test_a_switch_that_is_off_looks_otherwise(grid: FaderGrid) -> None:
    before = cell_pixels(grid, 1, MLP)
    grid.show_mix((row_of(1.0, 1.0, 1.0), row_of(1.0, 1.0, 1.0).toggled(MLP)))
    assert (cell_pixels(grid, 1, MLP) != before).any()


def test_the_frame_is_seen_and_stronger_with_focus(qtbot: QtBot) -> None:
    window, grid = in_window(qtbot)
    with qtbot.waitExposed(window):
        window.show()
    grid.clearFocus()
    grid.frame(Cell(1, 1))
    rest = int(is_color(painted(grid), theme_of(grid).accent).sum())
    assert rest > 20
    grid.frame(Cell(0, 0))
    moved = painted(grid)
    grid.setFocus()
    qtbot.waitUntil(grid.hasFocus)
    assert is_color(painted(grid), theme_of(grid).accent).sum() > is_color(moved, theme_of(grid).accent).sum()


@pytest.mark.parametrize("config", [PAD_4, VIT_PRESETS["vit-tiny"], ONE, CnnConfig()])
@pytest.mark.parametrize(("width", "height"), [(1, 1), (60, 40), (388, 280), (2000, 30)])
@pytest.mark.parametrize("scale", [1.0, 1.25, 2.0])
def test_no_size_shape_or_scale_is_too_small(qtbot: QtBot, config: Any, width: int, height: int, scale: float) -> None:
    grid = make(qtbot, FaderGrid, width, height)
    grid.show_mix(mix_of(NO_EDITS, config.depth, config.num_heads))
    assert painted(grid, scale).any() or width == 1
    assert grid.describe(grid.cell)


# The desk


@pytest.fixture
def desk(qtbot: QtBot) -> MixingDesk:
    desk: MixingDesk = make(qtbot, MixingDesk, 420, 620)
    desk.setLocale(QLocale("en_US"))
    desk.set_config(SMALL)
    return desk


def part(desk: MixingDesk, kind: type[Any], name: str) -> Any:
    found = desk.findChild(kind, name)
    assert found is not None
    return found


def grid_of(desk: MixingDesk) -> FaderGrid:
    grid: FaderGrid = part(desk, FaderGrid, "faderGrid")
    return grid


def told(desk: MixingDesk) -> list[Edits]:
    """Collect what the desk tells from now on."""
    edits: list[Edits] = []
    desk.edits_changed.connect(edits.append)
    return edits


def slider(desk: MixingDesk, name: str) -> QSlider:
    found: QSlider = part(desk, QSlider, f"{name}TemperatureSlider")
    return found


def test_a_desk_at_rest_says_nothing(desk: MixingDesk) -> None:
    assert desk.edits == NO_EDITS
    assert (desk.objectName(), desk.accessibleName()) == ("mixingDesk", "Mixing desk")


def test_what_a_person_does_is_told_as_it_is(desk: MixingDesk) -> None:
    edits = told(desk)
    grid = grid_of(desk)
    grid.frame(Cell(1, 0))
    press(grid, KEY.Key_M)
    grid.frame(Cell(0, MLP))
    press(grid, KEY.Key_M)
    slider(desk, "attention").setValue(30)
    slider(desk, "answer").setValue(-30)
    muted = Edits(head_scales=((1.0, 1.0, 1.0), (0.0, 1.0, 1.0)))
    without = dataclasses.replace(muted, skipped_mlps=frozenset({0}))
    even = dataclasses.replace(without, attention_temperature=2.0)
    assert edits == [muted, without, even, dataclasses.replace(even, softmax_temperature=0.501)]
    assert desk.edits == edits[-1]


def test_what_is_taken_back_is_none_again(desk: MixingDesk) -> None:
    edits = told(desk)
    grid = grid_of(desk)
    for cell in (Cell(0, 1), Cell(1, WHOLE), Cell(0, ATTENTION), Cell(1, RESIDUAL)):
        grid.frame(cell)
        press(grid, KEY.Key_M, KEY.Key_M)
    for name in ("attention", "answer"):
        slider(desk, name).setValue(50)
        press(slider(desk, name), KEY.Key_Backspace)
    assert len(edits) == 12
    assert edits[1::2] == [NO_EDITS] * 6
    assert desk.edits == NO_EDITS


def test_patches_are_none_of_its_business(desk: MixingDesk) -> None:
    patches = Edits(blanked_patches=frozenset({2}), patch_order=(3, 1, 2, 0))
    desk.set_edits(patches)
    assert desk.edits == patches
    press(grid_of(desk), KEY.Key_M)
    assert desk.edits.blanked_patches == patches.blanked_patches
    assert desk.edits.patch_order == patches.patch_order
    desk.reset()
    assert desk.edits == patches
    foreign = Edits(blanked_patches=frozenset({50}), patch_order=(1, 0))
    desk.set_edits(foreign)
    assert desk.edits == foreign  # as given: whether they fit is for others to say


def test_edits_are_shown_without_a_word(desk: MixingDesk) -> None:
    edits = told(desk)
    shown = Edits(
        head_scales=((0.0, 1.0, 0.3), (1.0, 1.0, 2.0)),
        attention_temperature=3.0,
        softmax_temperature=0.25,
        skipped_residuals=frozenset({1}),
    )
    desk.set_edits(shown)
    assert edits == []
    assert desk.edits == shown  # 3 is between two places of the slider, and stays 3
    assert scales_of(grid_of(desk)) == [(0.0, 1.0, 0.3), (1.0, 1.0, 2.0)]
    assert grid_of(desk).mix[1].skipped == {"residual"}
    assert slider(desk, "attention").value() == 48
    assert part(desk, QLabel, "attentionTemperatureNumber").text() == "3"
    assert slider(desk, "answer").value() == -60
    assert part(desk, QLabel, "answerTemperatureNumber").text() == "0.25"
    assert slider(desk, "answer").accessibleDescription() == "0.25"
    desk.set_edits(NO_EDITS)
    assert scales_of(grid_of(desk)) == [(1.0, 1.0, 1.0)] * 2
    assert slider(desk, "attention").value() == 0


def test_neutral_values_written_out_are_a_desk_at_rest(desk: MixingDesk) -> None:
    desk.set_edits(
        Edits(
            head_scales=((1.0,) * 3,) * 2,
            attention_temperature=1.0,
            softmax_temperature=1.0,
            skipped_attention=frozenset(),
            skipped_mlps=frozenset(),
            skipped_residuals=frozenset(),
        )
    )
    assert desk.edits == NO_EDITS


def test_what_it_told_comes_back_and_forgets_nothing(desk: MixingDesk) -> None:
    desk.edits_changed.connect(desk.set_edits)  # as its owner may do
    grid = grid_of(desk)
    press(grid, KEY.Key_Home, KEY.Key_Down, KEY.Key_Down, KEY.Key_M, KEY.Key_M)
    assert scales_of(grid)[0] == (0.8, 1.0, 1.0)
    press(grid, KEY.Key_Right, KEY.Key_S, KEY.Key_S)
    assert scales_of(grid)[0] == (0.8, 1.0, 1.0)


def test_edits_of_another_shape_become_neutral(desk: MixingDesk) -> None:
    desk.set_edits(Edits(head_scales=((0.0,) * 8,) * 6, skipped_mlps=frozenset({1, 5})))
    assert desk.edits == Edits(skipped_mlps=frozenset({1}))
    assert scales_of(grid_of(desk)) == [(1.0, 1.0, 1.0)] * 2


def test_another_model_takes_what_fits(desk: MixingDesk) -> None:
    edits = told(desk)
    desk.set_edits(
        Edits(
            head_scales=((0.5, 1.0, 1.0),) * 2,
            attention_temperature=2.0,
            skipped_mlps=frozenset({0, 1}),
            blanked_patches=frozenset({1}),
        )
    )
    same = dataclasses.replace(SMALL, patch_size=2)
    desk.set_config(same)
    assert scales_of(grid_of(desk)) == [(0.5, 1.0, 1.0)] * 2
    desk.set_config(ONE)
    assert desk.edits == Edits(attention_temperature=2.0, skipped_mlps=frozenset({0}), blanked_patches=frozenset({1}))
    assert [row.skipped for row in grid_of(desk).mix] == [{"mlp"}]
    desk.set_config(VIT_PRESETS["vit-tiny"])
    assert (len(grid_of(desk).mix), grid_of(desk).num_heads) == (12, 3)
    assert edits == []


def test_a_cnn_has_nothing_but_the_temperature_of_its_answer(desk: MixingDesk) -> None:
    desk.set_edits(Edits(head_scales=((0.5, 1.0, 1.0),) * 2, softmax_temperature=2.0))
    desk.set_config(CnnConfig())
    grid, without = grid_of(desk), "This model has no attention."
    assert desk.edits == Edits(softmax_temperature=2.0)
    enabled = [widget.isEnabled() for widget in (grid, slider(desk, "attention"), slider(desk, "answer"))]
    assert enabled == [False, False, True]
    for name in ("muteButton", "soloButton"):
        assert not part(desk, QAbstractButton, name).isEnabled()
    assert grid.accessibleDescription() == without
    assert slider(desk, "attention").toolTip() == without
    assert is_color(painted(grid), theme_of(grid).quiet_text).any()
    press(grid, KEY.Key_M, KEY.Key_S, KEY.Key_Up, KEY.Key_Right, KEY.Key_Backspace)
    slider(desk, "answer").setValue(0)
    assert desk.edits == NO_EDITS
    desk.set_choice(0, 1)
    desk.set_config(SMALL)
    assert grid.isEnabled()
    assert slider(desk, "attention").isEnabled()
    assert slider(desk, "attention").toolTip() != without
    assert grid.cell == (0, 1)


def changed(desk: MixingDesk) -> list[Edits]:
    """Change everything there is, and collect what is told from then on."""
    grid = grid_of(desk)
    for column in range(7):
        grid.frame(Cell(0, column))
        press(grid, KEY.Key_M)
    for name in ("attention", "answer"):
        slider(desk, name).setValue(20)
    return told(desk)


def test_reset_brings_all_back_and_says_so_once(desk: MixingDesk) -> None:
    edits = changed(desk)
    QTest.mouseClick(part(desk, QAbstractButton, "resetEditsButton"), LEFT)
    assert edits == [NO_EDITS]
    assert grid_of(desk).mix == mix_of(NO_EDITS, 2, 3)
    assert slider(desk, "attention").value() == slider(desk, "answer").value() == 0
    desk.reset()
    assert len(edits) == 1  # there was nothing to say


def test_reset_brings_back_faders_that_come_to_1_together(desk: MixingDesk) -> None:
    grid = grid_of(desk)
    grid.show_mix((row_of(2.0, 2.0, 2.0).moved(WHOLE, 0.5), row_of(1.0, 1.0, 1.0)))
    desk.reset()
    assert grid.mix == mix_of(NO_EDITS, 2, 3)


@pytest.mark.parametrize("at", ["faderGrid", "answerTemperatureSlider", "resetEditsButton"])
def test_one_key_resets_wherever_one_is(desk: MixingDesk, qtbot: QtBot, at: str) -> None:
    with qtbot.waitExposed(desk):
        desk.show()
    desk.activateWindow()
    edits = changed(desk)
    widget = part(desk, QWidget, at)
    widget.setFocus()
    qtbot.waitUntil(widget.hasFocus)
    press(widget, KEY.Key_R)
    assert edits == [NO_EDITS]


def test_a_choice_frames_a_fader_and_another_time_leaves_it(desk: MixingDesk) -> None:
    edits = told(desk)
    grid = grid_of(desk)
    assert grid.cell == (0, WHOLE)
    desk.set_choice(1, 2)
    assert grid.cell == (1, 2)
    press(grid, KEY.Key_Left)
    desk.set_choice(1, 2)  # as other choices are told, too
    assert grid.cell == (1, 1)
    for head in (-1, -2, 7):
        desk.set_choice(1, head)
        assert grid.cell == (1, WHOLE)
    desk.set_choice(9, 0)
    assert grid.cell == (1, 0)
    assert edits == []


def test_another_model_frames_the_choice_again(desk: MixingDesk) -> None:
    desk.set_choice(1, -1)
    desk.set_config(PAD_4)
    assert grid_of(desk).cell == (1, 8)
    desk.set_config(ONE)
    assert grid_of(desk).cell == (0, 1)


def test_what_is_framed_is_written_and_can_be_muted_and_soloed_by_buttons(desk: MixingDesk) -> None:
    words = part(desk, QLabel, "faderLabel")
    mute, solo = (part(desk, QAbstractButton, name) for name in ("muteButton", "soloButton"))
    desk.set_choice(1, 2)
    assert words.text() == words.accessibleDescription() == "Head 3 of block 2: × 1"
    widths = mute.minimumWidth(), solo.minimumWidth()
    QTest.mouseClick(mute, LEFT)
    assert desk.edits == Edits(head_scales=((1.0,) * 3, (1.0, 1.0, 0.0)))
    assert words.text() == "Head 3 of block 2: muted"
    assert mute.text() == mute.accessibleName() == "Unmute"
    QTest.mouseClick(solo, LEFT)
    assert desk.edits == Edits(head_scales=((1.0,) * 3, (0.0, 0.0, 1.0)))
    assert (mute.text(), solo.text()) == ("Mute", "End solo")
    QTest.mouseClick(solo, LEFT)
    QTest.mouseClick(mute, LEFT)
    assert desk.edits == NO_EDITS
    assert (mute.text(), solo.text()) == ("Mute", "Solo")
    grid_of(desk).frame(Cell(0, WHOLE))
    assert (mute.isEnabled(), solo.isEnabled()) == (True, False)
    grid_of(desk).frame(Cell(0, MLP))
    assert (mute.isEnabled(), solo.isEnabled()) == (False, False)
    assert (mute.minimumWidth(), solo.minimumWidth()) == widths


def test_buttons_leave_the_keys_to_the_grid(desk: MixingDesk, qtbot: QtBot) -> None:
    with qtbot.waitExposed(desk):
        desk.show()
    desk.activateWindow()
    desk.set_choice(0, 0)
    grid = grid_of(desk)
    grid.setFocus()
    qtbot.waitUntil(grid.hasFocus)
    QTest.mouseClick(part(desk, QAbstractButton, "muteButton"), LEFT)
    assert grid.hasFocus()


def test_tab_reaches_everything_from_top_to_bottom(desk: MixingDesk, qtbot: QtBot) -> None:
    with qtbot.waitExposed(desk):
        desk.show()
    desk.activateWindow()
    desk.set_choice(0, 0)
    grid_of(desk).setFocus()
    names = []
    for _ in range(6):
        focused = desk.focusWidget()
        assert focused is not None
        names.append(focused.objectName())
        QTest.keyClick(focused, KEY.Key_Tab)
    assert names == [
        "faderGrid",
        "muteButton",
        "soloButton",
        "resetEditsButton",
        "attentionTemperatureSlider",
        "answerTemperatureSlider",
    ]


def test_everything_has_a_name_and_what_can_be_used_a_tip(desk: MixingDesk) -> None:
    for widget in (
        *desk.findChildren(QAbstractButton),
        *desk.findChildren(QSlider),
        *desk.findChildren(BeforeAfterBars),
    ):
        assert widget.objectName()
        assert widget.accessibleName()
        assert widget.toolTip()


@pytest.mark.parametrize("name", ["attention", "answer"])
def test_labels_name_their_sliders(desk: MixingDesk, name: str) -> None:
    texts = {label.buddy().objectName(): label.text() for label in desk.findChildren(QLabel) if label.buddy()}
    assert texts[f"{name}TemperatureSlider"] == f"{name.capitalize()} temperature"


# Temperatures


def test_temperatures_are_logarithmic_with_1_in_the_middle() -> None:
    assert [temperature_at(place) for place in (-100, -50, 0, 50, 100)] == [0.1, 0.316, 1.0, 3.16, 10.0]
    assert [place_of(temperature) for temperature in (0.001, 0.1, 1.0, 10.0, 1e6)] == [-100, -100, 0, 100, 100]
    for place in range(-100, 101):
        assert place_of(temperature_at(place)) == place  # a slider stays where it was put


def test_a_slider_that_is_dragged_snaps_at_1(qtbot: QtBot) -> None:
    slider = make(qtbot, TemperatureSlider, 200, 24)
    chosen: list[float] = []
    slider.temperature_chosen.connect(chosen.append)
    slider.setValue(3)
    assert slider.value() == 3  # a key means every place
    slider.setSliderDown(True)
    slider.setSliderPosition(20)
    slider.setSliderPosition(-4)
    assert slider.value() == 0
    slider.setSliderPosition(5)
    assert chosen == [temperature_at(3), temperature_at(20), 1.0, temperature_at(5)]


def test_a_double_click_and_backspace_bring_a_temperature_back(qtbot: QtBot) -> None:
    slider = make(qtbot, TemperatureSlider, 200, 24)
    acts: list[Callable[[], None]] = [
        lambda: QTest.mouseDClick(slider, LEFT, pos=QPoint(20, 12)),
        lambda: QTest.keyClick(slider, KEY.Key_Backspace),
    ]
    for act in acts:
        slider.setValue(70)
        act()
        assert slider.value() == 0
    QTest.keyClick(slider, KEY.Key_Right)
    assert slider.value() == 5


# Bars before and after


def answers(before: list[float], after: list[float], **values: Any) -> Prediction:
    unedited = make_prediction(probabilities=np.array(before, np.float32), **values)
    edited = make_prediction(probabilities=np.array(after, np.float32), **values)
    return dataclasses.replace(edited, unedited=unedited)


@pytest.fixture
def bars(qtbot: QtBot) -> BeforeAfterBars:
    bars: BeforeAfterBars = make(qtbot, BeforeAfterBars, 388, 200)
    bars.setLocale(QLocale("en_US"))
    return bars


def test_bars_are_as_long_as_both_answers(bars: BeforeAfterBars) -> None:
    before, after = [0.02] * 10, [0.03] * 10
    before[3], after[3], after[8] = 0.8, 0.25, 0.5
    bars.show_prediction(answers(before, after))
    theme, seen = theme_of(bars), painted(bars)
    _, rows = bars._lay_out()
    for index, (share_before, share_after) in ((3, (0.8, 0.25)), (8, (0.02, 0.5))):
        for track, share, color in (
            (rows[index].before, share_before, theme.bar),
            (rows[index].after, share_after, theme.accent),
        ):
            line = seen[round(track.center().y()), round(track.left()) : round(track.right())]
            assert is_color(line, color).sum() / track.width() == pytest.approx(share, abs=0.03)
    assert bars.shown_revision == 1


def test_an_answer_that_was_not_changed_stands_on_both_sides(bars: BeforeAfterBars) -> None:
    prediction = make_prediction()
    bars.show_prediction(prediction)
    unchanged = painted(bars)
    bars.show_prediction(dataclasses.replace(prediction, unedited=prediction))
    np.testing.assert_array_equal(painted(bars), unchanged)


def test_bars_rest_on_an_empty_pad(bars: BeforeAfterBars) -> None:
    rest = painted(bars)
    bars.show_prediction(make_prediction())
    assert (painted(bars) != rest).any()
    bars.show_prediction(None)
    np.testing.assert_array_equal(painted(bars), rest)
    assert bars.shown_revision is None
    assert bars.accessibleDescription() == "Nothing is drawn yet."


def test_differences_are_written_in_points() -> None:
    locale = QLocale("en_US")
    pairs = ((0.1, 0.22), (0.22, 0.1), (0.5, 0.5), (0.501, 0.504), (0.0, 1.0), (1.0, 0.0), (0.994, 0.996))
    assert [points(*pair, locale) for pair in pairs] == ["+12", "−12", "0", "0", "+100", "−100", "+1"]


def test_the_likeliest_before_and_after_are_told(bars: BeforeAfterBars, qtbot: QtBot) -> None:
    names = ("ant", "bee", "cow")
    bars.show_prediction(answers([0.1, 0.7, 0.2], [0.6, 0.1, 0.3], class_names=names))
    qtbot.waitUntil(lambda: bars.accessibleDescription() != "Nothing is drawn yet.")
    assert bars.accessibleDescription() == "bee: 70 % before, 10 % after; ant: 10 % before, 60 % after"
    bars.show_prediction(answers([0.1, 0.7, 0.2], [0.1, 0.8, 0.1], class_names=names))
    qtbot.waitUntil(lambda: bars.accessibleDescription() == "bee: 70 % before, 80 % after")


def test_of_many_classes_the_likeliest_of_both_are_shown_in_order(bars: BeforeAfterBars) -> None:
    before, after = np.linspace(0, 0.01, 40), np.linspace(0, 0.01, 40)
    before[2], after[5] = 0.6, 0.5
    names = tuple(f"class {number}" for number in range(40))
    bars.show_prediction(answers(before.tolist(), after.tolist(), class_names=names))
    painted(bars)
    classes, rows = bars._lay_out()
    assert classes == [2, 5, *range(32, 40)]
    assert len(rows) == 10
    assert bars.sizeHint().height() == BeforeAfterBars().sizeHint().height()


def test_another_model_sets_the_rows_of_bars(bars: BeforeAfterBars) -> None:
    bars.show_prediction(make_prediction())
    ten = bars.sizeHint().height()
    bars.set_class_names(("yes", "no"))
    assert bars.sizeHint().height() < ten
    painted(bars)
    assert bars.shown_revision is None  # the old answer has other classes


def test_a_long_name_leaves_room_for_both_bars(bars: BeforeAfterBars) -> None:
    bars.set_class_names(("cat", "a dog of a breed whose name is too long for any bar chart" * 3))
    assert bars._lay_out()[1][0].before.width() > 100
    painted(bars)


@given(st.floats(60, 2000), st.floats(20, 2000), st.integers(1, 10))
def test_pairs_of_bars_stay_inside_and_apart(width: float, height: float, num_rows: int) -> None:
    rows = lay_out_pairs(width, height, num_rows, name_px=10, points_px=30, legend_px=16)
    for row in rows:
        assert row.name.right() <= row.before.left()
        assert row.before.right() <= row.points.left() + 1e-6
        assert row.before.width() == row.after.width()
        assert row.before.bottom() < row.after.top()
        assert row.points.right() == pytest.approx(width)
    if height >= 16 + 8 * num_rows:  # else there is no room
        assert rows[0].before.top() >= 16
        assert rows[-1].after.bottom() <= height + 1e-6
        for row, following in pairwise(rows):
            assert row.after.bottom() < following.before.top()


@pytest.mark.parametrize(("width", "height"), [(1, 1), (40, 30), (2000, 20)])
@pytest.mark.parametrize("scale", [1.0, 1.25, 2.0])
def test_no_size_is_too_small_for_bars(qtbot: QtBot, width: int, height: int, scale: float) -> None:
    bars = make(qtbot, BeforeAfterBars, width, height)
    bars.show_prediction(make_prediction(revision=5))
    painted(bars, scale)
    assert bars.shown_revision == 5


def test_the_desk_hands_answers_to_its_bars(desk: MixingDesk) -> None:
    bars = part(desk, BeforeAfterBars, "beforeAfterBars")
    desk.show_prediction(make_prediction(revision=4))
    painted(bars)
    assert bars.shown_revision == 4
    desk.set_config(dataclasses.replace(SMALL, class_names=("yes", "no")))
    painted(bars)
    assert bars.shown_revision is None
    desk.show_prediction(None)


# Test images that are read rightly


def counted(num_right: int, num_done: int = 1000) -> EditedAccuracy:
    return EditedAccuracy(num_right=num_right, num_done=num_done, num_images=1000)


def test_the_count_is_told_in_a_sentence(desk: MixingDesk) -> None:
    label = part(desk, QLabel, "editedAccuracyLabel")
    cases: list[tuple[tuple[EditedAccuracy | None, EditedAccuracy | None], str]] = [
        ((None, None), ""),
        ((None, counted(992)), "Unchanged, 99.2 % of 1,000 test images are read rightly."),
        ((counted(380, 400), counted(992)), "Counting what is still read rightly … 400 of 1,000"),
        ((counted(934), None), "With this change 93.4 % of 1,000 test images are read rightly."),
        (
            (counted(934), counted(992)),
            "With this change 93.4 % of 1,000 test images are read rightly; without it 99.2 %.",
        ),
    ]
    for accuracies, words in cases:
        desk.show_accuracy(*accuracies)
        assert label.text() == label.accessibleDescription() == words
    desk.show_accuracy(None)
    assert label.text() == ""


def test_nothing_moves_while_it_is_counted(desk: MixingDesk, qtbot: QtBot) -> None:
    with qtbot.waitExposed(desk):
        desk.show()

    def places() -> list[tuple[int, int, int, int]]:
        QApplication.processEvents()
        return [widget.geometry().getRect() for widget in desk.findChildren(QWidget)]  # type: ignore[misc]

    rest = places()
    desk.show_accuracy(counted(380, 400), counted(992))
    assert places() == rest
    desk.show_accuracy(counted(934), counted(992))
    assert places() == rest
    slider(desk, "attention").setValue(-98)
    press(grid_of(desk), KEY.Key_M)
    assert places() == rest


# Themes


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    """The application, undressed again afterwards."""
    palette, sheet, style, text = qapp.palette(), qapp.styleSheet(), qapp.style().name(), qapp.font()
    yield qapp
    qapp.setStyleSheet(sheet)
    qapp.setStyle(style)
    qapp.setPalette(palette)
    qapp.setFont(text)


@pytest.mark.parametrize(("theme", "expected"), [("dark", DARK), ("light", LIGHT)])
def test_the_desk_follows_the_theme(
    qtbot: QtBot, app: QApplication, desk: MixingDesk, theme: Any, expected: Any
) -> None:
    apply_theme(app, theme)
    grid = grid_of(desk)
    qtbot.waitUntil(lambda: theme_of(grid) is expected)
    desk.set_choice(1, 2)
    assert is_color(cell_pixels(grid, 0, 0), expected.track).any()
    assert is_color(cell_pixels(grid, 0, 0), expected.bar).any()
    bars = part(desk, BeforeAfterBars, "beforeAfterBars")
    assert is_color(painted(bars), expected.track).any()


def test_larger_text_gets_more_room(qtbot: QtBot, app: QApplication, desk: MixingDesk) -> None:
    apply_theme(app, "dark")
    parts = (grid_of(desk), part(desk, BeforeAfterBars, "beforeAfterBars"), part(desk, QLabel, "editedAccuracyLabel"))
    before = [max(each.minimumSizeHint().height(), each.minimumHeight()) for each in parts]
    widths = part(desk, QAbstractButton, "soloButton").minimumWidth(), grid_of(desk).minimumSizeHint().width()
    apply_theme(app, "dark", 150)
    QApplication.processEvents()
    after = [max(each.minimumSizeHint().height(), each.minimumHeight()) for each in parts]
    assert all(one < other for one, other in zip(before, after, strict=True))
    assert part(desk, QAbstractButton, "soloButton").minimumWidth() > widths[0]
    assert grid_of(desk).minimumSizeHint().width() > widths[1]


@pytest.mark.parametrize("config", [PAD_4, VIT_PRESETS["vit-tiny"], ONE, CnnConfig()])
def test_a_desk_fits_a_dock(qtbot: QtBot, app: QApplication, desk: MixingDesk, config: Any) -> None:
    apply_theme(app, "light")
    desk.set_config(config)
    assert desk.minimumSizeHint().width() <= 420
    assert desk.minimumSizeHint().height() <= 620
