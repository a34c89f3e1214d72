"""One step of undo: what was on the pad before a gesture, and what after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

if TYPE_CHECKING:
    from vit_pad.document import Content, PadDocument


class ChangeContent(QUndoCommand):
    """A gesture on the pad, from what was there before it begins.

    It is pushed when the gesture begins and takes what the gesture made when it is undone. So an undo that comes in the
    middle of a stroke, from wherever, undoes that stroke. Contents share their strokes; a step costs a tuple.
    """

    def __init__(self, document: PadDocument, text: str) -> None:
        super().__init__(text)
        self._document = document
        self.before = document.content
        self._after: Content | None = None

    def undo(self) -> None:
        self._after = self._document.content
        self._document.restore(self.before)

    def redo(self) -> None:
        """Show again what the gesture made. Pushing calls this too, when there is nothing to show again yet."""
        if self._after is not None:
            self._document.restore(self._after)
