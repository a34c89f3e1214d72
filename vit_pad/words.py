"""The library's sentences in the language of the window, and its names as they are shown."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication

from training.errors import Message
from training.models import SUFFIX


def translated(message: Message) -> str:
    """Translate the sentence, then fill in what it speaks of, which may be a sentence too."""
    fields = {
        name: translated(value) if isinstance(value, Message) else value for name, value in message.fields.items()
    }
    return QCoreApplication.translate("Message", message.template).format(**fields)


def model_title(model: str) -> str:
    """Give what a model is called: its name, or that of its file."""
    return Path(model).name.removesuffix(SUFFIX)
