"""Who asks: the token whose attention is shown, and the patches that are pinned."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from vit_pad.look import CLASS_TOKEN

_MOST_PINNED = 2  # that can be compared


class Query(QObject):
    """The class token asks, unless a patch is pinned; and while the pointer rests on a patch, that one does.

    Patches count from 0, row by row; tokens from 0, the class token first.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._peeked: int | None = None  # tokens
        self._pinned: tuple[int, ...] = ()

    @property
    def token(self) -> int:
        """The token that asks now."""
        if self._peeked is not None:
            return self._peeked
        return self._pinned[-1] if self._pinned else CLASS_TOKEN

    @property
    def pinned(self) -> tuple[int, ...]:
        """The tokens that are pinned, at most two, the newest last."""
        return self._pinned

    def peek(self, patch: int | None) -> None:
        """Let a patch ask as long as the pointer is on it; None: on none."""
        self._set(None if patch is None else patch + 1, self._pinned)

    def pin(self, patch: int) -> None:
        """Pin a patch, in place of the older of two; one that is pinned is let go."""
        token = patch + 1
        if token in self._pinned:
            self._set(None, tuple(each for each in self._pinned if each != token))
        else:
            self._set(None, (*self._pinned, token)[-_MOST_PINNED:])

    def clear(self) -> None:
        """Let the class token ask again."""
        self._set(None, ())

    def fit(self, num_patches: int) -> None:
        """Let go of what a model with so many patches doesn't have."""
        peeked = self._peeked if self._peeked is not None and self._peeked <= num_patches else None
        self._set(peeked, tuple(each for each in self._pinned if each <= num_patches))

    def _set(self, peeked: int | None, pinned: tuple[int, ...]) -> None:
        if (peeked, pinned) != (self._peeked, self._pinned):
            self._peeked, self._pinned = peeked, pinned
            self.changed.emit()
