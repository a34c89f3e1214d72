"""Who asks: pinned patches, one that is only peeked at, the class token otherwise."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from vit_pad.query import Query


def test_the_class_token_asks_unless_a_patch_is_pinned_or_peeked_at(qtbot: QtBot) -> None:
    query = Query()
    assert (query.token, query.pinned) == (0, ())
    query.peek(4)
    assert (query.token, query.pinned) == (5, ())
    query.peek(None)
    assert query.token == 0
    query.pin(7)
    assert (query.token, query.pinned) == (8, (8,))
    query.peek(2)
    assert (query.token, query.pinned) == (3, (8,))
    query.peek(None)
    assert query.token == 8


def test_two_patches_at_most_are_pinned_and_pinning_again_lets_go(qtbot: QtBot) -> None:
    query = Query()
    for patch in (1, 2, 3):
        query.pin(patch)
    assert (query.token, query.pinned) == (4, (3, 4))
    query.pin(3)
    assert (query.token, query.pinned) == (3, (3,))
    query.clear()
    assert (query.token, query.pinned) == (0, ())


def test_a_patch_that_is_pinned_is_seen_as_pinned_at_once(qtbot: QtBot) -> None:
    query = Query()
    query.pin(1)
    query.peek(6)
    query.pin(6)  # the pointer is still on it
    assert (query.token, query.pinned) == (7, (2, 7))
    query.pin(6)
    assert query.token == 2  # not the one that was just let go


def test_what_a_model_does_not_have_is_let_go(qtbot: QtBot) -> None:
    query = Query()
    query.pin(3)
    query.pin(15)
    query.peek(16)
    query.fit(16)
    assert (query.token, query.pinned) == (16, (4, 16))
    query.fit(4)
    assert (query.token, query.pinned) == (4, (4,))
    query.fit(3)
    assert (query.token, query.pinned) == (0, ())


def test_only_changes_are_told(qtbot: QtBot) -> None:
    query = Query()
    told: list[int] = []
    query.changed.connect(lambda: told.append(query.token))
    query.clear()
    query.peek(None)
    query.peek(1)
    query.peek(1)
    query.fit(16)
    assert told == [2]
