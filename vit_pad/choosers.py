"""Small helps for choosers and labels: items with data, changes that aren't the person's, words for screen readers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QCoreApplication, QSignalBlocker
from PySide6.QtWidgets import QComboBox, QLabel, QWidget


def fill_chooser(chooser: QComboBox, items: Iterable[tuple[str, Any]]) -> None:
    """Give a chooser its items (text and data), keeping what is chosen where it is still there; no signal is sent."""
    kept = chooser.currentData()
    with QSignalBlocker(chooser):
        chooser.clear()
        for text, data in items:
            chooser.addItem(text, data)
    choose(chooser, kept)


def fill_devices(chooser: QComboBox, devices: Iterable[str]) -> None:
    """List the devices there are, after the one that leaves the choice to the program."""
    translate = QCoreApplication.translate
    texts = {
        "auto": translate("devices", "Automatic"),
        "cpu": translate("devices", "CPU"),
        "mps": translate("devices", "Apple GPU"),
    }
    names = dict.fromkeys(("auto", *devices))
    fill_chooser(chooser, ((texts.get(name, name), name) for name in names))


def choose(chooser: QComboBox, data: Any) -> None:
    """Show the item with this data, if there is one; no signal is sent."""
    index = chooser.findData(data)
    if index >= 0:
        with QSignalBlocker(chooser):
            chooser.setCurrentIndex(index)


def name_widget(widget: QWidget, object_name: str, accessible_name: str) -> None:
    """Give a widget the name that programs know it by, and the one that a screen reader says."""
    widget.setObjectName(object_name)
    widget.setAccessibleName(accessible_name)


def say(label: QLabel, text: str) -> None:
    """Show a text; a screen reader, which is told the label's accessible name, gets the text as its description."""
    if label.text() == text:
        return
    label.setText(text)
    label.setAccessibleDescription(text)
