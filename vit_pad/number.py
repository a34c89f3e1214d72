"""The digits on the pad taken together: the whole answer, and the one that the views show."""

from __future__ import annotations

from dataclasses import dataclass

from training.digits import whole_answer
from training.facts import Prediction

UNSURE = "{} ?"  # how an answer that is unsure is written


@dataclass(frozen=True)
class Number:
    """The answers to what is on the pad, from left to right; none on an empty pad. Places in pad units.

    One of them is chosen for the views, that nearest to `place`: where one drew last, or what was pointed at.
    """

    digits: tuple[Prediction, ...] = ()
    place: float = 0.0

    @property
    def index(self) -> int:
        """Which of the digits is chosen, from 0; also 0 where there is none."""
        distances = [_distance(digit, self.place) for digit in self.digits]
        return distances.index(min(distances)) if distances else 0

    @property
    def chosen(self) -> Prediction | None:
        """The digit that is chosen; None on an empty pad."""
        return self.digits[self.index] if self.digits else None

    @property
    def text(self) -> str:
        """The whole answer, as one reads it; nothing on an empty pad."""
        return whole_answer([digit.top for digit in self.digits if digit.top is not None])

    @property
    def is_unsure(self) -> bool:
        """Whether any of the digits is unsure."""
        return any(digit.unsure for digit in self.digits)

    def next_place(self, steps: int) -> float:
        """Give the place of the digit so many to the right of the chosen one, or to the left; there is a last one."""
        if not self.digits:
            return self.place
        box = self.digits[min(max(self.index + steps, 0), len(self.digits) - 1)].box
        return box.x + box.width / 2


def _distance(digit: Prediction, place: float) -> float:
    """Give how far a place is left or right of the ink of a digit, 0 above, in or below it."""
    return max(digit.box.x - place, place - digit.box.x - digit.box.width, 0.0)
