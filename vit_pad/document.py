"""The drawing on the pad: strokes being made, cut and taken back, with undo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from training.facts import Box
from training.strokes import PAD_SIZE, Drawing, Stroke
from vit_pad.eraser import Point, erase, path_box
from vit_pad.undo import ChangeContent

if TYPE_CHECKING:
    from training.errors import Message
    from training.pictures import Picture

UNDO_LIMIT = 200
_FIRST_CAPACITY = 64  # points


@dataclass(frozen=True, eq=False)
class Content:
    """What lies on a pad: strokes in pad units, and the picture under them."""

    strokes: tuple[Stroke, ...] = ()
    picture: Picture | None = None
    note: Message | None = None  # what a person should know of how it was read


EMPTY = Content()


class GrowingStroke:
    """A stroke that points are added to; what was taken from it before stays as it was.

    Points are only ever added behind those that a snapshot shows, and a full buffer is left to the snapshots that show
    it. So a snapshot is a view, whatever the length, and may be read on another thread.
    """

    def __init__(self, point: tuple[float, ...], width: float) -> None:
        self._buffer: npt.NDArray[np.float64] = np.empty((_FIRST_CAPACITY, len(point)))
        self._num_points = 0
        self._width = width
        self.snapshot = self._with(point)

    def add(self, point: tuple[float, ...]) -> None:
        """Add a point, of as many values as the first; `snapshot` is a new stroke from now on."""
        self.snapshot = self._with(point)

    def _with(self, point: tuple[float, ...]) -> Stroke:
        if self._num_points == len(self._buffer):
            self._buffer = np.concatenate((self._buffer, np.empty_like(self._buffer)))
        self._buffer[self._num_points] = point
        self._num_points += 1
        points = self._buffer[: self._num_points]
        points.flags.writeable = False
        return Stroke(points, self._width)


class PadDocument(QObject):
    """The drawing on the pad. All positions and widths are in pad units.

    A gesture, such as a stroke from press to release, is one step of undo. It is over as soon as something else changes
    the content, an undo too; what the hand still adds to it then is ignored.
    """

    changed = Signal()  # once for every change, every added point too
    about_to_be_replaced = Signal()  # by `clear` or `replace`; what was drawn is still there

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.revision = 0  # grows by one with every change
        self.changed_area: Box | None = None  # where the last change took ink away; None: anywhere
        self.undo_stack = QUndoStack(self)
        self.undo_stack.setUndoLimit(UNDO_LIMIT)
        self._finished: tuple[Stroke, ...] = ()
        self._picture: Picture | None = None
        self._growing: GrowingStroke | None = None
        self._eraser: Point | None = None  # where it is, while it is down
        self._step: ChangeContent | None = None  # that of the gesture under way, once it changed something
        self._strokes: tuple[Stroke, ...] = ()

    @property
    def strokes(self) -> tuple[Stroke, ...]:
        """All strokes in order; the growing one, as far as it got, is the last."""
        return self._strokes

    @property
    def picture(self) -> Picture | None:
        """The picture under the strokes."""
        return self._picture

    @property
    def content(self) -> Content:
        """Strokes and picture as they are now."""
        return Content(self._strokes, self._picture)

    @property
    def is_empty(self) -> bool:
        """Whether there is neither a stroke nor a picture."""
        return not self._strokes and self._picture is None

    @property
    def is_stroke_growing(self) -> bool:
        """Whether the last stroke is still being drawn."""
        return self._growing is not None

    @property
    def has_gesture(self) -> bool:
        """Whether a stroke is being drawn or the eraser is down."""
        return self._growing is not None or self._eraser is not None

    def to_drawing(self) -> Drawing:
        """Give the strokes as a drawing, which can be written to a file."""
        return Drawing(strokes=self._strokes)

    def begin_stroke(self, x: float, y: float, width: float, pressure: float | None = None) -> None:
        """Put the pen down; it leaves a dot.

        Here and in the rest of the stroke a place outside the pad counts as the nearest one on it: ink that can't be
        seen would still move the box of the ink, and with it what the model sees. A stroke whose first point has a
        pressure, 0 to 1, has one at every point.
        """
        self._end_gesture()
        self._push(self.tr("Draw"))
        self._growing = GrowingStroke(_point(x, y, pressure, 0.0), width)
        self._note_change(None)

    def extend_stroke(self, x: float, y: float, pressure: float | None = None, t_ms: float = 0.0) -> None:
        """Draw on in a straight line, if a stroke is being drawn; `t_ms` after its begin, kept with a pressure."""
        if self._growing is not None:
            self._growing.add(_point(x, y, pressure, t_ms))
            self._note_change(None)

    def end_stroke(self) -> None:
        """Lift the pen. What is on the pad stays as it is."""
        self._end_gesture()

    def cancel_stroke(self) -> None:
        """Take back the stroke or the erasing under way, without a step of undo."""
        step = self._step
        self._eraser = None
        if step is not None:
            self.restore(step.before)
            step.setObsolete(True)
            self.undo_stack.undo()  # only takes the obsolete step off the stack

    def begin_erase(self, x: float, y: float, radius: float) -> None:
        """Put the eraser down. It cuts strokes; a picture under them stays whole, as it is replaced, not redrawn."""
        self._end_gesture()
        self._eraser = (x, y)
        self.erase_to(x, y, radius)

    def erase_to(self, x: float, y: float, radius: float) -> None:
        """Erase on in a straight line, if the eraser is down."""
        if self._eraser is None:
            return
        start, self._eraser = self._eraser, (x, y)
        kept = erase(self._finished, start, (x, y), radius)
        if kept is self._finished:
            return
        if self._step is None:
            self._push(self.tr("Erase"))
        widest = max(stroke.width for stroke in self._finished)
        self._finished = kept
        self._note_change(path_box(start, (x, y), radius + widest))

    def end_erase(self) -> None:
        """Lift the eraser."""
        self._end_gesture()

    def clear(self) -> None:
        """Empty the pad."""
        if not self.is_empty:
            self._replace(self.tr("Clear"), EMPTY)

    def replace(self, strokes: tuple[Stroke, ...], picture: Picture | None = None) -> None:
        """Put something else on the pad, such as what was opened, pasted or dropped."""
        self._replace(self.tr("Open"), Content(strokes, picture))

    def restore(self, content: Content) -> None:
        """Show a content, without a step of undo: for the steps themselves, and for what a new window begins with.

        A gesture under way is over; what it made so far is not kept.
        """
        self._growing = self._eraser = self._step = None
        self._finished = content.strokes
        self._picture = content.picture
        self._note_change(None)

    def _replace(self, text: str, content: Content) -> None:
        self._end_gesture()
        self.about_to_be_replaced.emit()
        self._push(text)
        self.restore(content)

    def _push(self, text: str) -> None:
        self._step = ChangeContent(self, text)
        self.undo_stack.push(self._step)

    def _end_gesture(self) -> None:
        self._finished = self._strokes
        self._growing = self._eraser = self._step = None

    def _note_change(self, area: Box | None) -> None:
        growing = () if self._growing is None else (self._growing.snapshot,)
        self._strokes = self._finished + growing
        self.changed_area = area
        self.revision += 1
        self.changed.emit()


def _point(x: float, y: float, pressure: float | None, t_ms: float) -> tuple[float, ...]:
    x, y = min(max(x, 0.0), PAD_SIZE), min(max(y, 0.0), PAD_SIZE)
    return (x, y) if pressure is None else (x, y, t_ms, pressure)
