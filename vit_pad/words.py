"""The library's sentences in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from training.errors import Message


def translated(message: Message) -> str:
    """Translate the sentence, then fill in what it speaks of."""
    return QCoreApplication.translate("Message", message.template).format(**message.fields)
