"""Sentences for a person."""

from __future__ import annotations

import pytest

from training.errors import Message, UserError


def test_message_fills_its_fields_into_the_sentence() -> None:
    message = Message("{path} has {count:d} lines.", path="seven.jsonl", count=3)
    assert str(message) == "seven.jsonl has 3 lines."


def test_message_keeps_template_and_fields_apart_for_translation() -> None:
    message = Message("{path} is empty.", path="seven.jsonl")
    assert message.template == "{path} is empty."
    assert dict(message.fields) == {"path": "seven.jsonl"}


def test_message_fields_cannot_be_changed() -> None:
    message = Message("{path} is empty.", path="seven.jsonl")
    with pytest.raises(TypeError):
        message.fields["path"] = "other.jsonl"  # type: ignore[index]  # that it can't be assigned to is what is tested


def test_braces_in_a_field_are_left_as_they_are() -> None:
    assert str(Message("{path} is empty.", path="{odd}.jsonl")) == "{odd}.jsonl is empty."


def test_user_error_reads_as_its_message() -> None:
    error = UserError("{name} is {value!r}.", name="depth", value="six")
    assert str(error) == str(error.message) == "depth is 'six'."
