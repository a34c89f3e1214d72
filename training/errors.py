"""Sentences for a person, and the errors that carry them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


def first_line(error: Exception) -> str:
    """Give the first line of what an exception says, its kind where it says nothing."""
    return str(error).partition("\n")[0] or type(error).__name__


class Message:
    """An English sentence with named holes, and what goes into them.

    The window translates `template` and then fills in `fields`; `str()` gives the English sentence.
    """

    __slots__ = ("fields", "template")

    template: str
    fields: Mapping[str, Any]

    def __init__(self, template: str, **fields: Any) -> None:
        self.template = template
        self.fields = MappingProxyType(fields)

    def __str__(self) -> str:
        return self.template.format(**self.fields)

    def __repr__(self) -> str:
        return f"Message({str(self)!r})"


class UserError(Exception):
    """Something a person can act on: the thing, the reason, the next step, in one sentence.

    The template is a literal wherever one is raised, so that a catalogue can be extracted for translation.
    """

    message: Message

    def __init__(self, template: str, **fields: Any) -> None:
        self.message = Message(template, **fields)
        super().__init__(str(self.message))
