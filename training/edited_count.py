"""How many images a changed model reads rightly, as far as they are counted: facts without torch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class EditedAccuracy:
    """A count on its way, or at its end."""

    num_right: int  # of those that are done
    num_done: int
    num_images: int  # that are counted in the end

    @property
    def is_done(self) -> bool:
        """Whether all images are counted."""
        return self.num_done == self.num_images

    @property
    def share(self) -> float:
        """The share that is read rightly of those that are done, 0 to 1; 0 where none is."""
        return self.num_right / self.num_done if self.num_done else 0.0
