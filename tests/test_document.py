"""The drawing being made, and its undo."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.facts import Box
from training.strokes import Stroke
from vit_pad.document import UNDO_LIMIT, Content, PadDocument


class Listener:
    """Counts the changes of a document."""

    def __init__(self, document: PadDocument) -> None:
        self.count = 0
        document.changed.connect(self._hear)

    def _hear(self) -> None:
        self.count += 1


@pytest.fixture
def document(qapp: object) -> PadDocument:
    return PadDocument()


def draw(document: PadDocument, *points: tuple[float, float]) -> Stroke:
    document.begin_stroke(*points[0], 20)
    for point in points[1:]:
        document.extend_stroke(*point)
    document.end_stroke()
    return document.strokes[-1]


def stroke_of(*points: tuple[float, float]) -> Stroke:
    return Stroke(np.array(points, np.float64))


def test_each_point_is_one_change(document: PadDocument) -> None:
    listener = Listener(document)
    draw(document, (1, 2), (3, 4), (390, 0))
    assert document.strokes[0].points.tolist() == [[1, 2], [3, 4], [390, 0]]
    assert document.strokes[0].width == 20
    assert listener.count == document.revision == 3


def test_a_place_outside_the_pad_counts_as_the_nearest_on_it(document: PadDocument) -> None:
    stroke = draw(document, (-5, 20), (500, -20), (30, 401))
    assert stroke.points.tolist() == [[0, 20], [400, 0], [30, 400]]


def test_a_press_alone_leaves_a_dot(document: PadDocument) -> None:
    assert draw(document, (7, 8)).points.tolist() == [[7, 8]]


def test_lifting_the_pen_changes_nothing(document: PadDocument) -> None:
    document.begin_stroke(1, 1, 20)
    document.extend_stroke(2, 2)
    before, listener = document.strokes, Listener(document)
    document.end_stroke()
    assert document.strokes is before
    assert listener.count == 0
    document.extend_stroke(3, 3)
    assert document.strokes is before


def test_a_snapshot_stays_as_it_was_and_costs_no_copy(document: PadDocument) -> None:
    document.begin_stroke(0, 0, 20)
    snapshots = [document.strokes[0].points]
    for step in range(1, 2000):
        document.extend_stroke(step / 8, step / 16)
        snapshots.append(document.strokes[0].points)
    for count, points in enumerate(snapshots, start=1):
        assert not points.flags.writeable
        assert points.shape == (count, 2)
        assert points[-1].tolist() == [(count - 1) / 8, (count - 1) / 16]
    pairs = itertools.pairwise(snapshots)
    assert sum(not np.shares_memory(old, new) for old, new in pairs) <= 6  # the buffer is doubled now and then


def test_strokes_that_are_not_touched_stay_the_same_objects(document: PadDocument) -> None:
    first = draw(document, (10, 10), (20, 10))
    second = draw(document, (10, 300), (390, 300))
    document.begin_erase(200, 280, 10)
    document.erase_to(200, 320, 10)
    document.end_erase()
    assert document.strokes[0] is first
    assert len(document.strokes) == 3
    document.undo_stack.undo()
    assert list(document.strokes) == [first, second]


def test_each_gesture_is_one_step(document: PadDocument) -> None:
    first = draw(document, (10, 10), (20, 10), (30, 10))
    second = draw(document, (100, 100))
    document.clear()
    assert document.is_empty
    assert [document.undo_stack.text(index) for index in range(3)] == ["Draw", "Draw", "Clear"]
    document.undo_stack.undo()
    assert list(document.strokes) == [first, second]
    document.undo_stack.undo()
    assert list(document.strokes) == [first]
    document.undo_stack.redo()
    document.undo_stack.redo()
    assert document.is_empty


def test_an_eraser_that_meets_nothing_is_no_step(document: PadDocument) -> None:
    draw(document, (10, 10))
    document.undo_stack.undo()
    revision = document.revision
    document.begin_erase(200, 200, 10)
    document.erase_to(300, 300, 10)
    document.end_erase()
    assert document.undo_stack.canRedo()
    assert document.revision == revision


def test_an_eraser_gesture_is_one_step_and_names_the_area(document: PadDocument) -> None:
    line = draw(document, (0, 100), (400, 100))
    document.begin_erase(50, 100, 10)
    assert document.changed_area == Box(20, 70, 60, 60)  # radius and a line's width around
    document.erase_to(100, 100, 10)
    document.erase_to(150, 100, 10)
    document.end_erase()
    assert [each.points.tolist() for each in document.strokes] == [[[0, 100], [30, 100]], [[170, 100], [400, 100]]]
    document.undo_stack.undo()
    assert list(document.strokes) == [line]
    document.erase_to(300, 100, 10)
    assert list(document.strokes) == [line]


def test_undo_in_the_middle_of_a_stroke_takes_that_stroke(document: PadDocument) -> None:
    first = draw(document, (10, 10), (20, 10))
    document.begin_stroke(100, 100, 20)
    document.extend_stroke(110, 100)
    document.undo_stack.undo()
    assert list(document.strokes) == [first]
    document.extend_stroke(120, 100)
    document.end_stroke()
    assert list(document.strokes) == [first]
    document.undo_stack.redo()
    assert document.strokes[-1].points.tolist() == [[100, 100], [110, 100]]


def test_undo_in_the_middle_of_erasing_takes_the_erasing(document: PadDocument) -> None:
    line = draw(document, (0, 100), (400, 100))
    document.begin_erase(200, 100, 10)
    document.undo_stack.undo()
    document.erase_to(300, 100, 10)
    assert list(document.strokes) == [line]


def test_clear_in_the_middle_of_a_stroke_can_be_undone(document: PadDocument) -> None:
    document.begin_stroke(1, 1, 20)
    document.extend_stroke(2, 2)
    document.clear()
    document.extend_stroke(3, 3)
    assert document.is_empty
    document.undo_stack.undo()
    assert document.strokes[0].points.tolist() == [[1, 1], [2, 2]]


@pytest.mark.parametrize("gesture", ["stroke", "eraser"])
def test_a_cancelled_gesture_leaves_no_trace(document: PadDocument, gesture: str) -> None:
    line = draw(document, (0, 10), (400, 10))
    GESTURES[gesture](document)
    assert document.undo_stack.count() == 2
    document.cancel_stroke()
    assert list(document.strokes) == [line]
    assert document.undo_stack.count() == document.undo_stack.index() == 1
    document.cancel_stroke()  # again, with no gesture under way
    assert list(document.strokes) == [line]


def test_what_is_opened_can_be_undone(document: PadDocument) -> None:
    line = draw(document, (0, 100), (400, 100))
    opened = (stroke_of((1, 1)), stroke_of((2, 2)))
    document.replace(opened)
    assert document.strokes == opened
    document.undo_stack.undo()
    assert list(document.strokes) == [line]


def test_a_remembered_drawing_comes_back_without_a_step(document: PadDocument) -> None:
    document.restore(Content((stroke_of((1, 1)),)))
    assert len(document.to_drawing().strokes) == 1
    assert not document.undo_stack.canUndo()


def test_clearing_an_empty_pad_is_no_step(document: PadDocument) -> None:
    document.clear()
    assert document.undo_stack.count() == document.revision == 0


def test_the_oldest_steps_are_forgotten(document: PadDocument) -> None:
    for index in range(UNDO_LIMIT + 5):
        draw(document, (index, index))
    for _ in range(UNDO_LIMIT + 5):
        document.undo_stack.undo()
    assert len(document.strokes) == 5


GESTURES: dict[str, Callable[[PadDocument], None]] = {
    "stroke": lambda pad: pad.begin_stroke(10, 10, 20),
    "on": lambda pad: pad.extend_stroke(50 + pad.revision % 7, 10),
    "lift": lambda pad: pad.end_stroke(),
    "eraser": lambda pad: pad.begin_erase(30, 10, 5),
    "erase on": lambda pad: pad.erase_to(80, 10, 5),
    "clear": lambda pad: pad.clear(),
    "open": lambda pad: pad.replace((stroke_of((10, 10), (90, 10)),)),
    "undo": lambda pad: pad.undo_stack.undo(),
    "redo": lambda pad: pad.undo_stack.redo(),
    "cancel": lambda pad: pad.cancel_stroke(),
}


@given(st.lists(st.sampled_from(sorted(GESTURES)), max_size=40))
def test_whatever_is_done_all_undo_ends_empty_and_all_redo_ends_where_it_was(names: list[str]) -> None:
    document = PadDocument()
    listener = Listener(document)
    for name in names:
        before, revision = document.strokes, document.revision
        GESTURES[name](document)
        assert (document.revision > revision) == (document.strokes is not before)
        assert listener.count == document.revision
    while document.undo_stack.canRedo():
        document.undo_stack.redo()
    last = document.strokes
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert document.is_empty
    while document.undo_stack.canRedo():
        document.undo_stack.redo()
    assert document.strokes == last
