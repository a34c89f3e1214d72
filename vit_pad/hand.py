"""The tool at work on the pad, whoever holds it, in four words: press, move, lift, cancel."""

from __future__ import annotations

from typing import Literal

from training.strokes import DEFAULT_WIDTH
from vit_pad.document import PadDocument
from vit_pad.eraser import Point

Tool = Literal["pen", "eraser"]

DEFAULT_ERASER_RADIUS = 18.0  # pad units

# Who can hold the tool; a finger is its number, which is never negative.
MOUSE, TABLET, KEYS = -1, -2, -3


class Hand:
    """Draws or erases in a document for one holder at a time, from press to lift. All places are in pad units."""

    def __init__(self, document: PadDocument) -> None:
        self.tool: Tool = "pen"  # that is chosen
        self.pen_width = DEFAULT_WIDTH
        self.eraser_radius = DEFAULT_ERASER_RADIUS
        self.holder: int | None = None  # who draws or erases now
        self._document = document
        self._tool_down: Tool = "pen"

    @property
    def is_finger(self) -> bool:
        """Whether a finger holds the tool."""
        return self.holder is not None and self.holder >= 0

    def is_at_work(self, holder: int) -> bool:
        """Tell whether a holder draws or erases, and no undo or clear has ended that meanwhile."""
        return self.holder == holder and self._document.has_gesture

    def press(self, holder: int, place: Point, tool: Tool | None = None, pressure: float | None = None) -> None:
        """Put a tool down, the chosen one if none is named; what was under way is lifted."""
        self.lift()
        self.holder = holder
        self._tool_down = tool or self.tool
        if self._tool_down == "pen":
            self._document.begin_stroke(*place, self.pen_width, pressure)
        else:
            self._document.begin_erase(*place, self.eraser_radius)

    def move(self, place: Point, pressure: float | None = None, t_ms: float = 0.0) -> None:
        """Go on in a straight line; `t_ms` is the time since the press."""
        if self._tool_down == "pen":
            self._document.extend_stroke(*place, pressure, t_ms)
        else:
            self._document.erase_to(*place, self.eraser_radius)

    def lift(self) -> None:
        """End the stroke or the erasing, if one is under way."""
        if self.holder is None:
            return
        self.holder = None
        if self._tool_down == "pen":
            self._document.end_stroke()
        else:
            self._document.end_erase()

    def cancel(self) -> None:
        """Take back the stroke or the erasing under way."""
        if self.holder is not None:
            self.holder = None
            self._document.cancel_stroke()
