"""The history: past drawings with their answers, in one drawing file, the newest last.

Several windows may share the file. Each change reads it, changes it and writes it whole while it holds a lock file, so
no window writes over what another one added.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QLockFile

from training.atomic import atomic_write
from training.errors import Message, UserError
from training.strokes import Drawing, Stroke, drawing_from_json, drawing_to_json, on_pad

FILE_NAME = "history.jsonl"
MAX_DRAWINGS = 500  # the oldest go first
_WAIT_MS = 2000  # for another window to finish writing, which takes it some 10 ms
_STROKES = '"strokes":'  # the last key of a line as we write it


@dataclass(frozen=True, eq=False)
class HistoryEntry:
    """A past drawing. `line` is how the file has it, and what it is known by; the rest is read from it."""

    line: str
    drawing: Drawing

    @functools.cached_property
    def strokes(self) -> tuple[Stroke, ...]:
        """The strokes in pad units."""
        return on_pad(self.drawing).strokes

    @property
    def label(self) -> str | None:
        """What it really is, as far as the person said so."""
        return self.drawing.label

    @property
    def top(self) -> str | None:
        """What it was read as."""
        return self._text("top")

    @property
    def model(self) -> str | None:
        """Who read it."""
        return self._text("model")

    @property
    def probability(self) -> float | None:
        """How probable `top` was, 0 to 1."""
        value = self.drawing.extra.get("probability")
        is_share = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
        return float(value) if is_share else None  # type: ignore[arg-type]

    @property
    def date(self) -> datetime | None:
        """When it left the pad."""
        with contextlib.suppress(ValueError):
            return datetime.fromisoformat(self._text("date") or "")
        return None

    def _text(self, key: str) -> str | None:
        value = self.drawing.extra.get(key)
        return value if isinstance(value, str) else None


class History(NamedTuple):
    """All past drawings, the newest first, and what a person should know of how they were read."""

    entries: tuple[HistoryEntry, ...]
    note: Message | None = None


class HistoryStore:
    """The file of past drawings in `folder`. All methods raise UserError where it can't be read or written."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._lock = QLockFile(str(folder / f"{FILE_NAME}.lock"))
        self._read: dict[str, HistoryEntry] = {}  # by line: reading one takes 0.3 ms, and all the same object

    def load(self) -> History:
        """Read all drawings. Where some can't be read, the file as it was is kept beside the one without them."""
        lines = self._lines()
        good = [line for line in lines if self._entry(line) is not None]
        note = self._set_aside() if len(good) < len(lines) else None
        entries = [self._read[line] for line in dict.fromkeys(good)]
        self._read = {entry.line: entry for entry in entries}
        return History(tuple(reversed(entries)), note)

    def add(self, drawing: Drawing) -> bool:
        """Add a drawing as the newest, unless one with the same strokes is there; tell whether it was added."""
        line = drawing_to_json(drawing)
        strokes = line[line.rindex(_STROKES) :]
        with self._held():
            lines = self._lines()
            if any(each.endswith(strokes) for each in lines):
                return False
            self._write([*lines, line])
        return True

    def relabel(self, lines: Collection[str], label: str | None) -> set[str]:
        """Say what drawings really are, None: nobody knows. Gives their new lines; what is gone by now stays away."""
        renamed = {
            line: drawing_to_json(dataclasses.replace(entry.drawing, label=label))
            for line in lines
            if (entry := self._entry(line)) is not None
        }
        with self._held():
            self._write([renamed.get(line, line) for line in self._lines()])
        return set(renamed.values())

    def remove(self, lines: Collection[str]) -> None:
        """Delete drawings."""
        with self._held():
            self._write([line for line in self._lines() if line not in lines])

    def put_back(self, lines: Iterable[str]) -> None:
        """Bring deleted drawings back to where they were among the others, which are in order of their dates."""
        with self._held():
            self._write(sorted(dict.fromkeys([*self._lines(), *lines]), key=self._date_key))

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """Keep other windows from changing the file."""
        if not self._lock.tryLock(_WAIT_MS):
            raise UserError(
                "{path} can't be changed: another window holds it, or its folder can't be written to. Try again.",
                path=self._path,
            )
        try:
            yield
        finally:
            self._lock.unlock()

    def _set_aside(self) -> Message | None:
        """Keep a copy of the file as it is, then take out what can't be read."""
        with self._held():
            lines = self._lines()
            good = [line for line in lines if self._entry(line) is not None]
            if len(good) == len(lines):
                return None  # another window has done it
            aside = self._free_name()
            with atomic_write(aside) as temporary:
                temporary.write_bytes(self._path.read_bytes())
            self._write(good)
        return Message(
            "{count} of the past drawings can't be read and were taken out; the file as it was is kept as {path}.",
            count=len(lines) - len(good),
            path=aside,
        )

    def _free_name(self) -> Path:
        number = 1
        while (path := self._path.with_name(f"history-broken-{number}.jsonl")).exists():
            number += 1
        return path

    def _lines(self) -> list[str]:
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise UserError(
                "The past drawings in {path} can't be read ({reason}). Make it readable, or move it away.",
                path=self._path,
                reason=error.strerror or str(error),
            ) from error
        text = content.decode("utf-8", "surrogateescape")  # a line that isn't text is a bad line, and stays what it is
        return [line.strip() for line in text.split("\n") if line.strip()]

    def _write(self, lines: list[str]) -> None:
        kept = self._without_oldest(lines)
        content = "".join(line + "\n" for line in kept).encode("utf-8", "surrogateescape")
        with atomic_write(self._path) as temporary:
            temporary.write_bytes(content)

    def _without_oldest(self, lines: list[str]) -> list[str]:
        """Drop the oldest drawings beyond the limit. A line that can't be read is left for `load` to set aside."""
        num_left = len(lines) - MAX_DRAWINGS
        kept = []
        for line in lines:
            if num_left > 0 and self._entry(line) is not None:
                num_left -= 1
            else:
                kept.append(line)
        return kept

    def _entry(self, line: str) -> HistoryEntry | None:
        if line not in self._read:
            try:
                self._read[line] = HistoryEntry(line, drawing_from_json(line))
            except UserError:
                return None
        return self._read[line]

    def _date_key(self, line: str) -> float:
        entry = self._entry(line)
        return 0.0 if entry is None or entry.date is None else entry.date.timestamp()
