"""Shares as per cents, written as the person's language does."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale


def percent(share: float, locale: QLocale, decimals: int | None = None) -> str:
    """Write a share of 0 to 1 as a per cent, such as "12.5 %"; without `decimals` with as many as it needs, up to 2."""
    number = locale.toString(100 * share, "g", 3) if decimals is None else locale.toString(100 * share, "f", decimals)
    return QCoreApplication.translate("percent", "{number} %").format(number=number)
