"""Past drawings as a list for Qt's views: a small picture, what it was read as, and when."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QDateTime, QLocale, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPixmap

from vit_pad.document import Content
from vit_pad.history import HistoryEntry
from vit_pad.percent import percent
from vit_pad.save_file import pad_picture

THUMBNAIL_PX = 88
_Index = QModelIndex | QPersistentModelIndex


class HistoryModel(QAbstractListModel):
    """The entries in order. Pictures are drawn when a view first shows them, at `ratio` device pixels a pixel."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[HistoryEntry, ...] = ()
        self._thumbnails: dict[str, QPixmap] = {}
        self.ratio = 1.0

    @property
    def entries(self) -> tuple[HistoryEntry, ...]:
        """The entries in the order of the rows."""
        return self._entries

    def set_entries(self, entries: tuple[HistoryEntry, ...]) -> None:
        """Show other entries; a picture of a line that stays is kept."""
        self.beginResetModel()
        self._entries = entries
        lines = {entry.line for entry in entries}
        self._thumbnails = {line: pixmap for line, pixmap in self._thumbnails.items() if line in lines}
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{self._answer(entry)}\n{_short_date(entry.date)}"
        if role == Qt.ItemDataRole.DecorationRole:
            return self._thumbnail(entry)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._description(entry)
        return entry if role == Qt.ItemDataRole.UserRole else None

    def _thumbnail(self, entry: HistoryEntry) -> QPixmap:
        pixmap = self._thumbnails.get(entry.line)
        if pixmap is None or pixmap.devicePixelRatio() != self.ratio:
            pixmap = QPixmap.fromImage(pad_picture(Content(entry.strokes), round(THUMBNAIL_PX * self.ratio)))
            pixmap.setDevicePixelRatio(self.ratio)
            self._thumbnails[entry.line] = pixmap
        return pixmap

    def _answer(self, entry: HistoryEntry) -> str:
        parts = [] if entry.top is None else [entry.top]
        if entry.probability is not None:
            parts.append(percent(entry.probability, QLocale(), 0))
        if entry.label is not None and entry.label != entry.top:
            parts.append(self.tr("is {label}").format(label=entry.label))
        return " · ".join(parts)

    def _description(self, entry: HistoryEntry) -> str:
        lines = []
        if entry.top is not None and entry.model is not None:
            lines.append(self.tr("{model} read it as {answer}").format(model=entry.model, answer=entry.top))
        if entry.label is not None:
            lines.append(self.tr("It really is {label}").format(label=entry.label))
        if entry.date is not None:
            lines.append(QLocale().toString(_local(entry.date), QLocale.FormatType.LongFormat))
        return "\n".join(lines)


def _local(date: datetime) -> QDateTime:
    return QDateTime.fromMSecsSinceEpoch(round(date.timestamp() * 1000))


def _short_date(date: datetime | None) -> str:
    """Give the time of a day that is today, else the day."""
    if date is None:
        return ""
    local, short = _local(date), QLocale.FormatType.ShortFormat
    is_today = local.date() == QDateTime.currentDateTime().date()
    return QLocale().toString(local.time() if is_today else local.date(), short)
