"""What the mixing desk says of a model's heads and paths: the arithmetic of mute, solo and scale.

A row is a block. Its columns are its heads, then a fader for all of them together, then the paths that can be left out.
Blocks, heads and columns count from 0.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal, NamedTuple

from training.edits import Edits

PathName = Literal["attention", "mlp", "residual"]
PATHS: tuple[PathName, ...] = ("attention", "mlp", "residual")
HIGHEST = 2.0
_PARTS = 20  # of a unit, that a fader comes to rest at
_SNAP = 0.07  # this near, 1 is meant


class Fader(NamedTuple):
    """What a head, or a whole block, is multiplied by."""

    level: float = 1.0  # not 0: what it has unless it is muted
    is_muted: bool = False

    @property
    def scale(self) -> float:
        """What it comes to."""
        return 0.0 if self.is_muted else self.level

    def at(self, scale: float) -> Fader:
        """Move it; pulled down to 0 it is muted, and at 1 once it is heard again."""
        if scale == self.scale:
            return self
        return Fader(scale) if scale else Fader(is_muted=True)


NEUTRAL = Fader()


@dataclass(frozen=True)
class BlockMix:
    """The row of a block."""

    heads: tuple[Fader, ...]
    whole: Fader = NEUTRAL  # over all heads, which keep what they have
    skipped: frozenset[PathName] = frozenset()
    muted_before_solo: frozenset[int] | None = None  # the heads that are muted again when the solo ends

    @property
    def num_heads(self) -> int:
        """Heads of the block."""
        return len(self.heads)

    @property
    def scales(self) -> tuple[float, ...]:
        """What each head is multiplied by (H,)."""
        return tuple(head.scale * self.whole.scale for head in self.heads)

    @property
    def is_silent(self) -> bool:
        """Whether no head is heard, whatever its own fader says."""
        return self.whole.is_muted or "attention" in self.skipped

    @property
    def soloed(self) -> int | None:
        """The head that alone is heard, and whose solo can be ended."""
        if self.muted_before_solo is None:
            return None
        (head,) = frozenset(range(self.num_heads)) - self._muted
        return head

    def fader(self, column: int) -> Fader | None:
        """Give the fader in a column; None where there is a switch."""
        if column < self.num_heads:
            return self.heads[column]
        return self.whole if column == self.num_heads else None

    def path(self, column: int) -> PathName:
        """Give the path whose switch is in a column."""
        return PATHS[column - self.num_heads - 1]

    def moved(self, column: int, scale: float) -> BlockMix:
        """Move a fader."""
        fader = self.fader(column)
        return self if fader is None else self._with_fader(column, fader.at(scale))

    def switched(self, column: int, *, is_on: bool) -> BlockMix:
        """Take a path in or leave it out."""
        path = {self.path(column)}
        return dataclasses.replace(self, skipped=self.skipped - path if is_on else self.skipped | path)

    def toggled(self, column: int) -> BlockMix:
        """Mute a fader or let it be heard again, leave a path out or take it in again."""
        fader = self.fader(column)
        if fader is None:
            return self.switched(column, is_on=self.path(column) in self.skipped)
        return self._with_fader(column, fader._replace(is_muted=not fader.is_muted))

    def solo_toggled(self, head: int) -> BlockMix:
        """Mute all other heads; a second time, mute those again that were muted before the first solo."""
        before = self._muted if self.muted_before_solo is None else self.muted_before_solo
        if self.soloed == head:
            muted, kept = before, None
        else:
            muted, kept = frozenset(range(self.num_heads)) - {head}, before
        heads = tuple(fader._replace(is_muted=index in muted) for index, fader in enumerate(self.heads))
        return dataclasses.replace(self, heads=heads, muted_before_solo=kept)

    def rested(self, column: int) -> BlockMix:
        """Bring a fader or a switch back to what changes nothing."""
        if self.fader(column) is None:
            return self.switched(column, is_on=True)
        return self._with_fader(column, NEUTRAL)

    @property
    def _muted(self) -> frozenset[int]:
        return frozenset(index for index, head in enumerate(self.heads) if head.is_muted)

    def _with_fader(self, column: int, fader: Fader) -> BlockMix:
        if column == self.num_heads:
            return dataclasses.replace(self, whole=fader)
        changed = dataclasses.replace(self, heads=(*self.heads[:column], fader, *self.heads[column + 1 :]))
        if changed._muted == self._muted:
            return changed
        return dataclasses.replace(changed, muted_before_solo=None)  # it is no longer that head alone that is heard


Mix = tuple[BlockMix, ...]  # one a block


def mix_of(edits: Edits, depth: int, num_heads: int) -> Mix:
    """Give the faders and switches that make these edits, which must fit a model of that shape."""
    rows = []
    for each in map(edits.of_block, range(depth)):
        skips = zip(PATHS, (each.skips_attention, each.skips_mlp, each.skips_residuals), strict=True)
        heads = tuple(NEUTRAL.at(scale) for scale in each.head_scales or (1.0,) * num_heads)
        rows.append(BlockMix(heads, skipped=frozenset(path for path, is_skipped in skips if is_skipped)))
    return tuple(rows)


def edits_of(mix: Mix, others: Edits) -> Edits:
    """Give the edits that faders and switches make, all else as in `others`; what changes nothing is None."""
    scales = tuple(row.scales for row in mix)
    is_neutral = all(scale == 1.0 for row in scales for scale in row)
    attention, mlps, residuals = (
        frozenset(block for block, row in enumerate(mix) if path in row.skipped) or None for path in PATHS
    )
    return dataclasses.replace(
        others,
        head_scales=None if is_neutral else scales,
        skipped_attention=attention,
        skipped_mlps=mlps,
        skipped_residuals=residuals,
    )


def snapped(scale: float) -> float:
    """Give the scale that is meant: within the fader's ends, a round number, and 1 if it is near."""
    within = min(max(scale, 0.0), HIGHEST)
    return 1.0 if abs(within - 1) <= _SNAP else round(_PARTS * within) / _PARTS
