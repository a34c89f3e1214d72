"""The library's sentences in the language of the window, and its names as they are shown."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale

from training.errors import Message, UserError
from training.models import SUFFIX, find_model, read_info
from vit_pad.percent import percent


def translated(message: Message) -> str:
    """Translate the sentence, then fill in what it speaks of, which may be a sentence too."""
    fields = {
        name: translated(value) if isinstance(value, Message) else value for name, value in message.fields.items()
    }
    return QCoreApplication.translate("Message", message.template).format(**fields)


IN_TRAINING = "(in training)"  # stands for the model that is being trained; no file is called so


def model_title(model: str) -> str:
    """Give what a model is called: its name, or that of its file."""
    if model == IN_TRAINING:
        return QCoreApplication.translate("model_title", "In training")
    return Path(model).name.removesuffix(SUFFIX)


def own_model_entry(model: str) -> str:
    """Give what a chooser calls a model that a person trained: its title and how well it reads."""
    try:
        accuracy = float(read_info(find_model(model)).metrics["val_accuracy"])
    except (UserError, KeyError, TypeError, ValueError):  # a file that is none is told of when it is chosen
        return model_title(model)
    return f"{model_title(model)} · {percent(accuracy, QLocale(), 1)}"
