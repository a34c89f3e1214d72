"""The wall of all heads, offscreen: what it paints, where, in which order, and what a click or a key does."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from tests.predictions import make_prediction
from tests.test_views import CASES, Pixels, color_of, painted
from training.facts import FloatArray, Prediction
from training.head_measures import HeadMeasures, measure_heads
from vit_pad.heat import COLOR_TABLES
from vit_pad.inside.head_wall import (
    HeadWall,
    HeadWallGrid,
    TextSizes,
    WallPlan,
    lay_out_flow,
    lay_out_table,
    measure_titles,
    sort_heads,
)
from vit_pad.look import Look
from vit_pad.theme import DARK, LIGHT, apply_theme, theme_of

SIZES = TextSizes(line=16, tag=46, bare_tag=22, label=52, number=14)
SHAPES = [(6, 8), (12, 3), (1, 1), (2, 2), (16, 16)]
COLOR_TABLE = COLOR_TABLES["violet"]
GRID_SIZE = (420, 400)


@pytest.fixture
def wall(qtbot: QtBot) -> HeadWall:
    """A wall that is not shown: it measures nothing."""
    made = HeadWall()
    qtbot.addWidget(made)
    made.resize(460, 480)
    return made


@pytest.fixture
def seen(wall: HeadWall, qtbot: QtBot) -> HeadWall:
    """A wall on the screen."""
    with qtbot.waitExposed(wall):
        wall.show()
    return wall


@pytest.fixture
def grid(qtbot: QtBot) -> HeadWallGrid:
    """The painted part by itself, not shown."""
    made = HeadWallGrid()
    qtbot.addWidget(made)
    made.resize(*GRID_SIZE)
    return made


def grid_of(wall: HeadWall) -> HeadWallGrid:
    (found,) = wall.findChildren(HeadWallGrid)
    return found


def sort_of(wall: HeadWall) -> QComboBox:
    (found,) = wall.findChildren(QComboBox, "headWallSort")
    return found


def attention_of(entropies: list[list[float]], grid: int = 2) -> FloatArray:
    """Attention (depth, H, T, T) in which each head spreads more, the higher its number, from 0 to 1."""
    num_tokens = grid**2 + 1
    shares = np.array(entropies, np.float32)[..., None, None]
    attention: FloatArray = shares / np.float32(num_tokens) + (1 - shares) * np.eye(num_tokens, dtype=np.float32)
    return attention


def spread(*entropies: list[float], revision: int = 1) -> Prediction:
    """A prediction whose heads, block by block, spread as much as the numbers say."""
    return make_prediction(grid=2, attention=attention_of(list(entropies)), revision=revision)


def looks_at(patches: list[list[int]], grid: int = 2, share: float = 1.0) -> Prediction:
    """A prediction in which the class token, head by head, gives its share to one patch alone."""
    attention = np.zeros((len(patches), len(patches[0]), grid**2 + 1, grid**2 + 1), np.float32)
    for block, row in enumerate(patches):
        for head, patch in enumerate(row):
            attention[block, head, 0, 1 + patch] = share
    return make_prediction(grid=grid, attention=attention)


def shown_heads(grid: HeadWallGrid) -> list[tuple[int, int]]:
    """Give block and head of every thumbnail in reading order, found by pointing at them."""
    found = [grid.head_at(square.center()) for square in grid.plan().squares]
    return [each for each in found if each is not None]


def brightest(pixels: Pixels, rect: QRectF) -> list[int]:
    """Give the brightest colour in a rectangle; of words, painted on black, it is their own, or nearly."""
    area = rect.toAlignedRect()
    part = pixels[max(area.top(), 0) : area.bottom() + 1, max(area.left(), 0) : area.right() + 1].reshape(-1, 3)
    found: list[int] = part[part.sum(axis=-1, dtype=int).argmax()].tolist()
    return found


def is_accent(pixels: Pixels, rect: QRectF) -> bool:
    """Say whether words in a rectangle are in the accent colour, a blue, and not grey."""
    red, _, blue = brightest(pixels, rect)
    return blue - red > 40


def words_area(plan: WallPlan, position: int) -> QRectF:
    square = plan.squares[position]
    below = square.bottom() + 3  # past the frame
    return QRectF(square.center().x() - plan.cell_px / 2, below, plan.cell_px, plan.num_lines * plan.line_px - 3)


# Geometry


def check_cells(plan: WallPlan, width: float, height: float) -> None:
    """Check that all thumbnails with their words stay inside and apart, if there is room for any."""
    side = plan.squares[0].width()
    cells = [
        QRectF(square.center().x() - plan.cell_px / 2, square.top(), plan.cell_px, side + plan.num_lines * plan.line_px)
        for square in plan.squares
    ]
    assert all(square.width() == square.height() == side == int(side) for square in plan.squares)
    if side > 1:
        for cell in cells:
            within = cell.adjusted(0.5, 0, -0.5, 0)  # thumbnails lie on whole pixels
            assert QRectF(0, 0, width, height).contains(within)
            assert not any(label.intersects(within) for label in (*plan.row_labels, *plan.column_labels))
    rows = [cells[start : start + plan.columns] for start in range(0, len(cells), plan.columns)]
    for row in rows:
        assert all(right.left() == left.right() + 5 and right.top() == left.top() for left, right in pairwise(row))
    for upper, lower in pairwise(rows):
        assert (lower[0].left(), lower[0].top()) == (upper[0].left(), upper[0].bottom() + 5)
        assert lower[0].top() - upper[0].top() == plan.row_px


@pytest.mark.parametrize("shape", SHAPES)
@given(width=st.floats(1, 1500), height=st.floats(1, 1500))
def test_a_table_has_a_row_a_block_and_a_column_a_head(shape: tuple[int, int], width: float, height: float) -> None:
    depth, num_heads = shape
    plan = lay_out_table(width, height, depth, num_heads, SIZES)
    assert (len(plan.squares), plan.columns) == (depth * num_heads, num_heads)
    assert plan.num_lines in (0, 1)
    check_cells(plan, width, height)
    assert len(plan.row_labels) in (0, depth)
    assert len(plan.column_labels) in (0, num_heads)
    for label, square in zip(plan.row_labels, plan.squares[::num_heads], strict=False):
        assert label.center().y() == pytest.approx(square.center().y())
        assert label.width() - 8 in (SIZES.label, SIZES.number)
        assert label.top() >= 0
    assert not any(upper.intersects(lower) for upper, lower in pairwise(plan.row_labels))
    for label, square in zip(plan.column_labels, plan.squares, strict=False):
        assert label.center().x() == pytest.approx(square.center().x())
        assert label.width() >= SIZES.number


@given(width=st.floats(1, 1500), height=st.floats(1, 1500), num_cells=st.integers(1, 256))
def test_a_flow_makes_the_thumbnails_as_large_as_can_be(width: float, height: float, num_cells: int) -> None:
    plan = lay_out_flow(width, height, num_cells, SIZES)
    assert len(plan.squares) == num_cells
    assert plan.num_lines in (0, 1, 2)
    assert not plan.row_labels
    assert not plan.column_labels
    check_cells(plan, width, height)
    for columns in range(1, num_cells + 1):
        rows = -(-num_cells // columns)
        across = (width - 6 + 5) / columns - 5
        down = (height - 6 + 5) / rows - 5 - plan.num_lines * SIZES.line
        assert plan.squares[0].width() + 1 > min(across, down, 96)


@pytest.mark.parametrize(("width", "height"), [(420, 400), (268, 160)])
def test_words_stand_only_below_thumbnails_larger_than_they_are(width: int, height: int) -> None:
    sizes = SIZES._replace(line=13, bare_tag=17)
    table = lay_out_table(width, height, 6, 8, sizes)
    flow = lay_out_flow(width, height, 48, sizes)
    assert (table.num_lines, flow.num_lines) == ((1, 2) if width == 420 else (0, 1))
    for plan in (table, flow):
        assert plan.num_lines == 0 or plan.squares[0].width() >= sizes.line
    assert lay_out_table(width, height, 6, 8, sizes._replace(bare_tag=60)).num_lines == 0


def test_units_stand_where_there_is_room() -> None:
    assert not lay_out_table(400, 400, 6, 8, SIZES).has_units
    assert lay_out_table(600, 400, 6, 8, SIZES).has_units
    assert lay_out_table(600, 400, 6, 8, SIZES).cell_px == SIZES.tag
    assert not lay_out_table(600, 400, 6, 8, SIZES._replace(tag=70)).has_units


def test_labels_shrink_before_they_go() -> None:
    widths = {
        room: [label.width() for label in lay_out_table(room, 400, 6, 8, SIZES).row_labels[:1]]
        for room in (300, 200, 60)
    }
    assert widths == {300: [60], 200: [22], 60: []}
    unlabelled = lay_out_table(60, 400, 6, 8, SIZES)
    assert unlabelled.squares[0].center().x() - unlabelled.cell_px / 2 == pytest.approx(3, abs=0.5)  # nor is their room
    assert len(lay_out_table(400, 112, 6, 8, SIZES).column_labels) == 8
    flat = lay_out_table(400, 111, 6, 8, SIZES)
    assert (len(flat.row_labels), flat.column_labels, flat.squares[0].top()) == (6, [], 3)
    flattest = lay_out_table(400, 95, 6, 8, SIZES)
    assert flattest.row_labels == []
    assert flattest.squares[0].center().x() - flattest.cell_px / 2 == pytest.approx(3, abs=0.5)
    assert not lay_out_table(160, 400, 6, 8, SIZES).column_labels  # numbers don't run into one another


def test_thumbnails_do_not_grow_without_end() -> None:
    for plan in (lay_out_table(3000, 3000, 2, 2, SIZES), lay_out_flow(3000, 3000, 4, SIZES)):
        assert plan.squares[0].width() == 96


# Order


def test_heads_are_sorted_from_the_highest_and_ties_stay_as_they_are() -> None:
    values = np.array([[0.11, 0.52], [0.14, 0.93]], np.float32)
    assert sort_heads(values, [0, 1, 2, 3], 2) == [3, 1, 2, 0]
    assert sort_heads(values, [0, 1, 2, 3], 1) == [3, 1, 0, 2]  # 0.11 and 0.14 look the same
    assert sort_heads(values, [2, 3, 0, 1], 1) == [3, 1, 2, 0]


@pytest.mark.parametrize("field", HeadMeasures._fields)
def test_every_measure_sorts(seen: HeadWall, field: str) -> None:
    prediction = make_prediction()
    rising = np.arange(48, dtype=np.float32).reshape(6, 8) / 47
    attention = (1 - rising[..., None, None]) * prediction.attention + rising[..., None, None] * np.eye(65)
    prediction = dataclasses.replace(prediction, attention=attention.astype(np.float32))
    seen.show_prediction(prediction)
    seen.set_sort(field)
    values = getattr(measure_heads(prediction), field)
    order = shown_heads(grid_of(seen))
    assert sorted(order) == [(block, head) for block in range(6) for head in range(8)]
    told = [values[each] for each in order]
    assert all(one >= other - 0.051 for one, other in pairwise(told))
    assert told[0] >= values.max() - 0.051
    seen.set_sort("place")
    assert shown_heads(grid_of(seen)) == sorted(order)


def test_little_differences_in_shares_count(seen: HeadWall) -> None:
    attention = np.zeros((1, 2, 5, 5), np.float32)
    attention[:, :, :, 1] = 1
    attention[0, :, :, 0] = [[0.012], [0.016]]
    attention[:, :, :, 1] -= attention[:, :, :, 0]
    seen.show_prediction(make_prediction(grid=2, attention=attention))
    seen.set_sort("class_token")
    assert shown_heads(grid_of(seen)) == [(0, 1), (0, 0)]
    assert grid_of(seen).words_below(0, 1) == ["1.2", "1.6 %"]


def test_a_new_sort_starts_from_the_place_in_the_model(seen: HeadWall) -> None:
    seen.show_prediction(spread([0.1, 0.5], [0.9, 0.9]))
    seen.set_sort("entropy")
    assert shown_heads(grid_of(seen)) == [(1, 0), (1, 1), (0, 1), (0, 0)]
    seen.set_sort("distance")  # all look at themselves and at all others alike, but in different shares
    seen.show_prediction(None)
    seen.show_prediction(spread([0.5, 0.5], [0.5, 0.5]))
    seen.set_sort("entropy")
    assert shown_heads(grid_of(seen)) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_the_order_waits_until_the_pen_rests(seen: HeadWall, qtbot: QtBot) -> None:
    grid = grid_of(seen)
    seen.set_sort("entropy")
    seen.show_prediction(spread([0.1, 0.5, 0.9]))  # the first answer is sorted at once
    assert shown_heads(grid) == [(0, 2), (0, 1), (0, 0)]
    answers, orders = iter(range(2, 10_000)), []
    before = grid.words_below(0, 0)

    def goes_on_drawing() -> bool:
        seen.show_prediction(spread([0.9, 0.5, 0.1], revision=next(answers)))
        orders.append(shown_heads(grid))
        return grid.words_below(0, 0) != before

    qtbot.waitUntil(goes_on_drawing)  # the numbers follow
    assert set(map(tuple, orders)) == {((0, 2), (0, 1), (0, 0))}
    qtbot.waitUntil(lambda: shown_heads(grid) == [(0, 0), (0, 1), (0, 2)])  # and then the order


def test_the_order_outlives_an_empty_pad(seen: HeadWall) -> None:
    seen.set_sort("entropy")
    seen.show_prediction(spread([0.1, 0.9]))
    seen.show_prediction(None)
    assert shown_heads(grid_of(seen)) == [(0, 1), (0, 0)]


def test_the_chooser_sends_a_wish_and_sorts(seen: HeadWall, qtbot: QtBot) -> None:
    chooser = sort_of(seen)
    assert chooser.accessibleName() == "Sort by"
    assert [chooser.itemText(index) for index in range(chooser.count())] == [
        "Place in the model",
        "Entropy",
        "Distance",
        "On ink",
        "On blank",
        "On itself",
        "On the class token",
    ]
    assert [chooser.itemData(index) for index in range(chooser.count())] == ["place", *HeadMeasures._fields]
    assert tuple(measure_titles()) == HeadMeasures._fields
    seen.show_prediction(spread([0.1, 0.9]))
    with qtbot.waitSignal(seen.sort_chosen) as signal:
        chooser.setCurrentIndex(1)
    assert signal.args == ["entropy"]
    assert shown_heads(grid_of(seen)) == [(0, 1), (0, 0)]


def test_setting_sort_and_choice_is_no_wish(seen: HeadWall, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(seen.sort_chosen), qtbot.assertNotEmitted(seen.head_chosen):
        seen.set_sort("ink")
        seen.set_choice(3, 4)
    assert sort_of(seen).currentData() == "ink"


# Measuring


def test_heads_are_measured_only_while_they_can_be_seen(wall: HeadWall, qtbot: QtBot) -> None:
    grid = grid_of(wall)
    wall.show_prediction(spread([1.0, 0.5]))
    assert grid.describe_head(0, 0) == ["Head 1 of block 1"]
    with qtbot.waitExposed(wall):
        wall.show()
    assert "Entropy: 2.3 bits" in grid.describe_head(0, 0)
    wall.hide()
    wall.show_prediction(spread([0.0, 0.5], revision=2))
    grid._pace.act_now()  # what was asked just before
    assert "Entropy: 2.3 bits" in grid.describe_head(0, 0)
    wall.show()
    assert "Entropy: 0.0 bits" in grid.describe_head(0, 0)


def test_what_was_measured_before_is_sorted_anew_when_it_is_seen_again(seen: HeadWall) -> None:
    seen.set_sort("entropy")
    seen.show_prediction(spread([0.1, 0.9]))
    seen.hide()
    seen.show_prediction(spread([0.9, 0.1], revision=2))
    seen.show()
    assert shown_heads(grid_of(seen)) == [(0, 0), (0, 1)]


def test_numbers_change_at_a_pace_that_can_be_read(seen: HeadWall, qtbot: QtBot) -> None:
    grid = grid_of(seen)
    seen.show_prediction(spread([1.0]))
    assert "Entropy: 2.3 bits" in grid.describe_head(0, 0)  # the first at once
    for revision in range(2, 20):
        seen.show_prediction(spread([0.0], revision=revision))
        assert "Entropy: 2.3 bits" in grid.describe_head(0, 0)
    assert grid._pace.interval() == 200
    qtbot.waitUntil(lambda: "Entropy: 0.0 bits" in grid.describe_head(0, 0))
    seen.show_prediction(None)
    assert grid.describe_head(0, 0) == ["Head 1 of block 1"]
    assert not grid._pace.isActive()


def test_a_head_is_described_in_words(seen: HeadWall) -> None:
    attention = np.zeros((1, 1, 5, 5), np.float32)
    attention[..., 0], attention[..., 2] = 0.25, 0.75  # patch 1 is on the upper right
    image = np.zeros((1, 8, 8), np.float32)
    image[:, :, 4:] = 1
    seen.show_prediction(make_prediction(grid=2, attention=attention, image=image))
    assert grid_of(seen).describe_head(0, 0) == [
        "Head 1 of block 1",
        "Entropy: 0.8 bits",
        "Distance: 0.9 patches",
        "On ink: 75 %",
        "On blank: 0.0 %",
        "On itself: 20 %",
        "On the class token: 25 %",
    ]
    seen.set_choice(0, 0)
    description = grid_of(seen).accessibleDescription()
    assert description.startswith("Chosen: Head 1 of block 1, Entropy: 0.8 bits, Distance")
    assert description.endswith("0 to 100 % a patch")


@pytest.mark.parametrize(
    ("field", "tag"),
    [
        ("place", ["0.8 bits"]),
        ("entropy", ["1.1", "0.8 bits"]),
        ("distance", ["1.1", "0.9"]),
        ("ink", ["1.1", "75 %"]),
        ("itself", ["1.1", "20 %"]),
    ],
)
def test_the_tag_tells_the_measure_that_sorts(seen: HeadWall, field: str, tag: list[str]) -> None:
    attention = np.zeros((1, 1, 5, 5), np.float32)
    attention[..., 0], attention[..., 2] = 0.25, 0.75
    image = np.zeros((1, 8, 8), np.float32)
    image[:, :, 4:] = 1
    seen.set_sort(field)
    seen.show_prediction(make_prediction(grid=2, attention=attention, image=image))
    assert grid_of(seen).words_below(0, 0) == tag
    seen.show_prediction(None)
    assert grid_of(seen).words_below(0, 0) == tag[:-1]


def test_a_tag_leaves_out_its_unit_where_there_is_no_room(seen: HeadWall) -> None:
    seen.show_prediction(make_prediction())
    grid = grid_of(seen)
    seen.resize(700, 480)
    assert grid.words_below(2, 3)[0].endswith(" bits")
    seen.resize(330, 480)
    assert grid.words_below(2, 3)[0] == f"{measure_heads(make_prediction()).entropy[2, 3]:.1f}"
    seen.resize(304, 224)
    assert grid.words_below(2, 3) == []


def test_names_and_tags_are_painted_where_they_belong(seen: HeadWall) -> None:
    grid = grid_of(seen)
    seen.set_sort("entropy")
    seen.set_choice(9, 0)  # none in this model
    seen.show_prediction(make_prediction())
    theme, pixels = theme_of(grid), painted(grid)
    for position in (0, 20, 47):
        name = words_area(grid.plan(), position)
        name.setHeight(grid.plan().line_px - 3)
        tag = name.translated(0, grid.plan().line_px)
        text, quiet_text = color_of(theme.text)[0], color_of(theme.quiet_text)[0]
        shades = [brightest(pixels, words)[0] for words in (name, tag)]
        assert shades == pytest.approx([text, quiet_text], abs=abs(text - quiet_text) / 3)
        assert not is_accent(pixels, name)
    seen.show_prediction(None)
    assert any(brightest(painted(grid), name))
    assert brightest(painted(grid), tag) == [0, 0, 0]


# Painting


@pytest.mark.parametrize("field", ["place", "ink"])
@pytest.mark.parametrize("case", CASES)
def test_every_prediction_is_shown(seen: HeadWall, case: str, field: str) -> None:
    grid = grid_of(seen)
    seen.set_sort(field)
    seen.show_prediction(make_prediction(revision=1))
    painted(grid)
    assert seen.shown_revision == 1
    prediction = CASES[case]
    seen.show_prediction(None if prediction is None else dataclasses.replace(prediction, revision=5))
    assert seen.shown_revision == 1  # still: nothing new is painted
    painted(grid)
    assert seen.shown_revision == (None if prediction is None else 5)


@pytest.mark.parametrize("field", ["place", "ink"])
@pytest.mark.parametrize(("width", "height"), [(1, 1), (40, 30), (2000, 20), (20, 2000)])
def test_no_size_is_too_small(seen: HeadWall, field: str, width: int, height: int) -> None:
    grid = grid_of(seen)
    seen.set_sort(field)
    grid.resize(width, height)
    for revision, (depth, num_heads) in enumerate(SHAPES):
        seen.show_prediction(make_prediction(depth=depth, num_heads=num_heads, revision=revision))
        painted(grid)
        assert seen.shown_revision == revision
        assert len(grid.plan().squares) == depth * num_heads


@pytest.mark.parametrize("field", ["place", "itself"])
@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
def test_each_thumbnail_shows_its_own_head_upright(seen: HeadWall, scale: float, field: str) -> None:
    patches = [[0, 1, 2], [3, 2, 0]]
    prediction = looks_at(patches)
    attention = prediction.attention.copy()
    for number in range(6):  # an order of its own: the later, the more on itself
        attention[number // 3, number % 3, 1:, 0] = 1 - number / 10
        attention[number // 3, number % 3, [1, 2, 3, 4], [1, 2, 3, 4]] = number / 10
    seen.set_sort(field)
    seen.show_prediction(dataclasses.replace(prediction, attention=attention))
    grid = grid_of(seen)
    expected = [(block, head) for block in range(2) for head in range(3)]
    assert shown_heads(grid) == (expected if field == "place" else expected[::-1])
    pixels = painted(grid, scale)
    for block, row in enumerate(patches):
        for head, hot in enumerate(row):
            square = grid.place_of(block, head)
            assert square.width() > 40
            for patch in range(4):
                for u, v in ((0.1, 0.1), (0.5, 0.5), (0.9, 0.9)):
                    x = (square.left() + 2 + (square.width() - 4) / 2 * (patch % 2 + u)) * scale
                    y = (square.top() + 2 + (square.height() - 4) / 2 * (patch // 2 + v)) * scale
                    hottest = COLOR_TABLE[255 if patch == hot else 0, :3]
                    assert pixels[int(y), int(x)].tolist() == hottest.tolist()


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 1.75, 2.0])
def test_no_thumbnail_bleeds_into_the_next(grid: HeadWallGrid, scale: float) -> None:
    attention = np.zeros((6, 8, 65, 65), np.float32)
    attention[:, ::2, 0] = 1.0  # every other head is hot all over
    grid.show_prediction(make_prediction(attention=attention))
    pixels = painted(grid, scale)
    ground, hot, cold = [0, 0, 0], COLOR_TABLE[255, :3].tolist(), COLOR_TABLE[0, :3].tolist()
    for block in range(6):
        for head in range(8):
            square = grid.place_of(block, head)
            left, top, right, bottom = (
                round(edge * scale) for edge in (square.left(), square.top(), square.right(), square.bottom())
            )
            part = pixels[top:bottom, left:right].reshape(-1, 3)
            own = hot if head % 2 == 0 else cold
            assert {tuple(color) for color in part.tolist()} <= {tuple(own), tuple(ground)}
            assert (part == own).all(axis=-1).mean() > 0.9


def test_all_thumbnails_share_one_scale_and_it_is_told(grid: HeadWallGrid) -> None:
    attention = np.zeros((2, 2, 5, 5), np.float32)
    attention[0, 0, 0, 1:], attention[1, 1, 0, 1:] = 0.2, 0.05
    grid.show_prediction(make_prediction(grid=2, attention=attention))
    pixels = painted(grid)
    for (block, head), share in {(0, 0): 1.0, (1, 1): 0.25, (0, 1): 0.0}.items():
        centre = grid.place_of(block, head).center().toPoint()
        expected = COLOR_TABLE[round(255 * share), :3].astype(int)
        np.testing.assert_allclose(pixels[centre.y() - 5, centre.x() - 5], expected, atol=6)
    words = "What the class token looks at, all thumbnails on one scale: 0 to 20 % a patch"
    assert grid.describe_scale() == words
    assert words in grid.accessibleDescription()
    grid.show_prediction(make_prediction(grid=2, attention=0.9 * attention))
    assert grid.describe_scale() == words  # kept: the colours don't flicker between two scales
    grid.show_prediction(None)
    assert grid.describe_scale() == ""
    assert "scale" not in grid.accessibleDescription()


def test_another_model_gets_a_scale_of_its_own(grid: HeadWallGrid) -> None:
    grid.show_prediction(looks_at([[0, 0]], share=0.11))
    assert "0 to 15 %" in grid.describe_scale()
    grid.show_prediction(looks_at([[0, 0, 0]], share=0.099))
    assert "0 to 10 %" in grid.describe_scale()


def test_paper_and_palette_change_the_colours(wall: HeadWall) -> None:
    grid = grid_of(wall)
    wall.show_prediction(looks_at([[0]]))
    square = grid.place_of(0, 0)
    hot = (square.topLeft() + QPointF(5, 5)).toPoint()

    def color() -> list[int]:
        found: list[int] = painted(grid)[hot.y(), hot.x()].tolist()
        return found

    assert color() == COLOR_TABLE[255, :3].tolist()
    wall.set_paper("light")
    assert color() == COLOR_TABLE[0, :3].tolist()  # the hot end stands out from the paper
    wall.set_palette("grey")
    assert color() == COLOR_TABLES["grey"][0, :3].tolist()


def test_an_empty_pad_leaves_the_cells_blank(grid: HeadWallGrid) -> None:
    grid.show_prediction(make_prediction())
    grid.show_prediction(None)
    pixels, track = painted(grid), color_of(theme_of(grid).track)
    for square in grid.plan().squares:
        area = square.toAlignedRect()
        assert (pixels[area.top() : area.bottom() + 1, area.left() : area.right() + 1] == track).all()
    assert len(grid.plan().squares) == 48


def test_a_model_that_has_not_answered_has_its_own_cells(wall: HeadWall) -> None:
    grid = grid_of(wall)
    wall.show_prediction(make_prediction(revision=3))
    painted(grid)
    wall.set_shape(6, 8)
    assert grid.describe_scale()  # the same heads: the answer stays
    wall.set_shape(12, 3)
    assert len(grid.plan().squares) == 36
    assert grid.plan().columns == 3
    assert grid.describe_scale() == ""  # the old answer has other heads
    painted(grid)
    assert wall.shown_revision is None
    wall.set_shape(6, 0)
    assert not grid.plan().squares


def test_a_shape_is_sorted_by_place_until_it_is_measured(seen: HeadWall) -> None:
    seen.set_sort("entropy")
    seen.show_prediction(spread([0.1, 0.9]))
    seen.set_shape(1, 3)
    assert shown_heads(grid_of(seen)) == [(0, 0), (0, 1), (0, 2)]


def test_a_model_without_attention_says_so(seen: HeadWall, qtbot: QtBot) -> None:
    grid = grid_of(seen)
    seen.set_choice(0, 3)
    seen.show_prediction(make_prediction())
    seen.show_prediction(CASES["no attention"])
    assert grid.accessibleDescription() == "This model has no attention."
    assert any(brightest(painted(grid), QRectF(grid.rect())))
    with qtbot.assertNotEmitted(seen.head_chosen):
        QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
        for key in (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Right, Qt.Key.Key_Down):
            QTest.keyClick(grid, key)


def test_the_chosen_head_is_framed_and_its_words_are_in_accent(seen: HeadWall) -> None:
    grid = grid_of(seen)
    seen.show_prediction(make_prediction())
    seen.set_choice(2, 5)
    accent, pixels = theme_of(grid).accent, painted(grid)
    for block in range(6):
        for head in range(8):
            square = grid.place_of(block, head)
            frame = (round(square.center().y()), round(square.left()) - 1)
            is_chosen = (block, head) == (2, 5)
            assert (pixels[frame].tolist() == color_of(accent)) == is_chosen
            assert is_accent(pixels, words_area(grid.plan(), 8 * block + head)) == is_chosen
    assert not any(is_accent(pixels, label) for label in grid.plan().row_labels)


@pytest.mark.parametrize("joined", [-1, -2, -3])
def test_joined_heads_are_told_by_the_label_of_their_block(seen: HeadWall, joined: int) -> None:
    grid = grid_of(seen)
    seen.show_prediction(make_prediction())
    seen.set_choice(2, joined)
    pixels = painted(grid)
    assert [is_accent(pixels, label) for label in grid.plan().row_labels] == [row == 2 for row in range(6)]
    assert not any(is_accent(pixels, words_area(grid.plan(), position)) for position in range(48))
    for square in grid.plan().squares:
        assert not pixels[round(square.center().y()), round(square.left()) - 1].any()
    assert grid.accessibleDescription().startswith("All heads of block 3 are chosen together.")
    seen.set_sort("entropy")
    pixels = painted(grid)
    for position, (block, _) in enumerate(shown_heads(grid)):
        assert is_accent(pixels, words_area(grid.plan(), position)) == (block == 2)


@pytest.mark.parametrize("head", [4, -1])
def test_focus_is_seen(wall: HeadWall, qtbot: QtBot, head: int) -> None:
    grid = grid_of(wall)
    wall.show_prediction(make_prediction())
    wall.set_choice(1, head)
    with qtbot.waitExposed(wall):
        wall.show()
    wall.activateWindow()
    sort_of(wall).setFocus()
    without_focus = painted(grid)
    grid.setFocus()
    qtbot.waitUntil(grid.hasFocus)
    assert (painted(grid) != without_focus).any()
    assert grid.focusPolicy() == Qt.FocusPolicy.StrongFocus


@pytest.fixture
def other_look(qapp: QApplication) -> Iterator[QApplication]:
    """Whatever a test does to palette, font and style sheet is undone."""
    palette, font, style_sheet = qapp.palette(), qapp.font(), qapp.styleSheet()
    yield qapp
    qapp.setPalette(palette)
    qapp.setFont(font)
    qapp.setStyleSheet(style_sheet)


def test_colours_follow_the_theme(seen: HeadWall, other_look: QApplication, qtbot: QtBot) -> None:
    grid = grid_of(seen)
    seen.show_prediction(make_prediction())
    shades = []
    for theme in (LIGHT, DARK):
        apply_theme(other_look, theme.name)
        qtbot.waitUntil(lambda theme=theme: theme_of(grid) is theme)  # type: ignore[misc]
        shades.append(brightest(painted(grid), grid.plan().row_labels[0])[0])
    assert 0 < shades[0] < 100 < shades[1]


def test_room_for_words_follows_the_size_of_the_text(seen: HeadWall, other_look: QApplication, qtbot: QtBot) -> None:
    apply_theme(other_look, "light")
    grid = grid_of(seen)
    before = grid.plan()
    apply_theme(other_look, "light", 200)
    qtbot.waitUntil(lambda: grid.plan().line_px > 1.3 * before.line_px)
    assert grid.plan().row_labels[0].width() > before.row_labels[0].width()


def test_a_wall_of_another_size_is_laid_out_anew(seen: HeadWall) -> None:
    grid = grid_of(seen)
    seen.show_prediction(make_prediction())
    before = painted(grid)
    side = grid.place_of(0, 0).width()
    seen.resize(800, 800)
    assert grid.place_of(0, 0).width() > side
    assert painted(grid).shape != before.shape
    assert any(brightest(painted(grid), grid.plan().row_labels[5]))


def test_words_are_as_sharp_as_the_screen(seen: HeadWall) -> None:
    class FineGrid(HeadWallGrid):
        ratio = 1.0

        def devicePixelRatioF(self) -> float:
            return self.ratio

    fine = FineGrid(seen)
    fine.resize(*GRID_SIZE)
    once = painted(fine, 2.0)
    fine.ratio = 2.0  # the window moved to another screen
    assert (painted(fine, 2.0) != once).any()


# Choosing


@pytest.mark.parametrize("field", ["place", "entropy"])
def test_a_click_chooses_the_head_under_it(seen: HeadWall, field: str) -> None:
    grid = grid_of(seen)
    seen.set_sort(field)
    seen.show_prediction(make_prediction())
    chosen: list[tuple[int, int]] = []
    seen.head_chosen.connect(lambda block, head: chosen.append((block, head)))
    wanted = [(2, 4), (5, 7), (0, 0)]
    for block, head in wanted:
        QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=grid.place_of(block, head).center().toPoint())
    assert chosen == wanted
    QTest.mouseClick(grid, Qt.MouseButton.RightButton, pos=grid.place_of(3, 3).center().toPoint())
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=grid.place_of(0, 0).center().toPoint())  # is chosen already
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=QPoint(grid.width() - 1, grid.height() - 1))
    assert chosen == wanted
    square = grid.place_of(1, 6)
    below = QPointF(square.center().x(), square.bottom() + grid.plan().num_lines * grid.plan().line_px - 3)
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=below.toPoint())
    assert chosen[-1] == (1, 6)


def keys(grid: HeadWallGrid, *pressed: Qt.Key) -> list[tuple[int, int]]:
    chosen: list[tuple[int, int]] = []
    connection = grid.head_chosen.connect(lambda block, head: chosen.append((block, head)))
    for key in pressed:
        QTest.keyClick(grid, key)
    grid.head_chosen.disconnect(connection)
    return chosen


LEFT, RIGHT, UP, DOWN = Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down
HOME, END = Qt.Key.Key_Home, Qt.Key.Key_End


def test_keys_go_through_the_table(grid: HeadWallGrid) -> None:
    grid.show_prediction(make_prediction())
    grid.set_choice(0, 0)
    assert keys(grid, LEFT, UP) == []  # nothing before the first
    assert keys(grid, RIGHT, DOWN, DOWN, UP, LEFT) == [(0, 1), (1, 1), (2, 1), (1, 1), (1, 0)]
    assert keys(grid, LEFT) == [(0, 7)]  # on to the row before
    assert keys(grid, END, RIGHT, DOWN, UP, HOME) == [(5, 7), (4, 7), (0, 0)]


def test_keys_follow_the_order_shown(seen: HeadWall) -> None:
    grid = grid_of(seen)
    seen.set_sort("entropy")
    seen.show_prediction(spread([0.1, 0.5, 0.9], [0.8, 0.2, 0.6]))
    order = [(0, 2), (1, 0), (1, 2), (0, 1), (1, 1), (0, 0)]
    assert shown_heads(grid) == order
    assert keys(grid, HOME, *[RIGHT] * 7) == order
    assert keys(grid, *[LEFT] * 7, END) == [*order[-2::-1], order[-1]]
    columns = grid.plan().columns
    assert 1 < columns < 6
    assert keys(grid, HOME, DOWN) == [order[0], order[columns]]


@pytest.mark.parametrize("key", [LEFT, RIGHT, UP, DOWN])
@pytest.mark.parametrize(("block", "first"), [(3, 3), (40, 5)])
def test_keys_find_a_way_in_where_no_head_is_framed(grid: HeadWallGrid, key: Qt.Key, block: int, first: int) -> None:
    grid.show_prediction(make_prediction())
    grid.set_choice(block, -1)
    assert keys(grid, key) == [(first, 0)]


def test_a_choice_that_is_not_in_the_model_frames_none(grid: HeadWallGrid) -> None:
    grid.show_prediction(make_prediction())
    grid.set_choice(2, -1)
    joined = painted(grid)
    for block, head in ((2, 8), (6, 0)):
        grid.set_choice(block, head)
        frames = painted(grid) != joined
        assert not any(
            frames[square.toAlignedRect().top(), square.toAlignedRect().left() - 2].any()
            for square in grid.plan().squares
        )
        painted(grid)


def test_other_keys_are_left_to_others(qtbot: QtBot) -> None:
    class Listener(QWidget):
        def __init__(self) -> None:
            super().__init__()
            self.heard: list[int] = []

        def keyPressEvent(self, event: object) -> None:
            self.heard.append(event.key())  # type: ignore[attr-defined]

    listener = Listener()
    qtbot.addWidget(listener)
    grid = HeadWallGrid(listener)
    QTest.keyClick(grid, Qt.Key.Key_A)
    QTest.keyClick(grid, RIGHT)
    grid.set_shape(0, 0)
    QTest.keyClick(grid, HOME)
    assert listener.heard == [Qt.Key.Key_A, HOME]


def test_the_tool_tip_tells_of_the_head_under_the_mouse(seen: HeadWall, qtbot: QtBot) -> None:
    grid = grid_of(seen)
    handle = seen.windowHandle()

    def point_at(position: QPointF) -> None:
        QTest.mouseMove(handle, grid.mapTo(seen, position.toPoint()))

    point_at(grid.place_of(3, 3).center())
    point_at(grid.place_of(2, 1).center())  # where the mouse is already, it doesn't move
    qtbot.waitUntil(lambda: grid.toolTip() == "Head 2 of block 3")
    seen.show_prediction(make_prediction())
    lines = grid.toolTip().split("\n")
    assert lines == [*grid.describe_head(2, 1), grid.describe_scale()]
    assert len(lines) == 8
    seen.set_sort("entropy")  # another head lies there now
    pointed = grid.head_at(grid._pointer or QPointF())
    assert pointed is not None
    assert grid.toolTip().startswith(f"Head {pointed[1] + 1} of block {pointed[0] + 1}\n")
    assert pointed != (2, 1)
    seen.show_prediction(None)
    assert grid.toolTip() == f"Head {pointed[1] + 1} of block {pointed[0] + 1}"
    point_at(QPointF(grid.width() - 1, grid.height() - 1))
    qtbot.waitUntil(lambda: grid.toolTip() == "")


def test_names_are_those_other_programs_rely_on(wall: HeadWall) -> None:
    grid = grid_of(wall)
    assert (wall.objectName(), wall.accessibleName()) == ("headWall", "All heads")
    assert (grid.objectName(), grid.accessibleName()) == ("headWallGrid", "Heads of all blocks")
    assert wall.minimumSizeHint().width() <= 310
    assert wall.minimumSizeHint().height() <= 240


def test_image_holds_all_maps_at_once(grid: HeadWallGrid) -> None:
    grid.show_prediction(make_prediction())
    assert isinstance(grid._image, QImage)
    assert (grid._image.width(), grid._image.height()) == (8, 6 * 8 * 8)


def test_all_heads_are_seen_from_the_token_that_asks(seen: HeadWall) -> None:
    grid = grid_of(seen)
    seen.show_prediction(make_prediction())
    from_class_token = painted(grid)
    seen.set_look(Look(token=9))
    from_patch = painted(grid)
    assert (from_patch != from_class_token).any()
    seen.set_look(Look(token=9, is_reversed=True))
    assert (painted(grid) != from_patch).any()
    seen.set_look(Look())
    assert (painted(grid) == from_class_token).all()
