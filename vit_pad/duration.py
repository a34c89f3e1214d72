"""How long something takes, in words that are no more exact than they should be."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale


def duration(seconds: float, locale: QLocale) -> str:
    """Write a time: seconds up to a minute and a half, then minutes, from two hours on hours with one decimal."""
    if seconds < 90:
        return QCoreApplication.translate("duration", "{number} s").format(number=locale.toString(round(seconds)))
    if seconds < 7200:
        minutes = locale.toString(round(seconds / 60))
        return QCoreApplication.translate("duration", "{number} min").format(number=minutes)
    hours = locale.toString(seconds / 3600, "f", 1)
    return QCoreApplication.translate("duration", "{number} h").format(number=hours)
