"""What a person changes inside a model while it reads: heads turned down, paths left out, patches blanked or moved."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple

from training.config import NetworkConfig
from training.errors import UserError


class BlockEdits(NamedTuple):
    """What is changed in one block. None and False leave it as it is."""

    head_scales: tuple[float, ...] | None = None  # (H,), what each head says is multiplied by it
    attention_temperature: float | None = None
    skips_attention: bool = False
    skips_mlp: bool = False
    skips_residuals: bool = False


NO_BLOCK_EDITS = BlockEdits()


@dataclass(frozen=True, kw_only=True)
class Edits:
    """Changes to a pass through a model; no weight is touched. None is neutral for any model. Blocks count from 0.

    Written out with neutral values, scales and temperatures of 1 and the patches in their order, it changes no bit. A
    CNN has no blocks and no patches: nothing but the temperature of its answer can be changed.

    Raises:
        UserError: a value makes no sense for any model.
    """

    head_scales: tuple[tuple[float, ...], ...] | None = None  # depth x (H,), on a head's output before the projection
    attention_temperature: float | None = None  # divides the scores of every head
    softmax_temperature: float | None = None  # divides the logits of the answer, beside the model's own temperature
    skipped_attention: frozenset[int] | None = None  # blocks whose attention adds nothing
    skipped_mlps: frozenset[int] | None = None  # blocks whose MLP adds nothing
    skipped_residuals: frozenset[int] | None = None  # blocks that pass on what they compute alone
    blanked_patches: frozenset[int] | None = None  # row by row, whose pixels become paper
    patch_order: tuple[int, ...] | None = None  # which patch comes to each place, before positions are added

    def __post_init__(self) -> None:
        for temperature in (self.attention_temperature, self.softmax_temperature):
            if temperature is not None and not 0 < temperature < float("inf"):
                raise UserError("A temperature is {value!r}; it must be above 0.", value=temperature)
        if self.patch_order is not None and sorted(self.patch_order) != list(range(len(self.patch_order))):
            raise UserError("An order of patches must name each of them once.")

    @property
    def is_neutral(self) -> bool:
        """Tell whether nothing is changed, as far as can be told without a model."""
        return self == NO_EDITS

    def of_block(self, block: int) -> BlockEdits:
        """Give what is changed in a block, counted from 0."""
        if self.is_neutral:
            return NO_BLOCK_EDITS
        return BlockEdits(
            None if self.head_scales is None else self.head_scales[block],
            self.attention_temperature,
            block in (self.skipped_attention or ()),
            block in (self.skipped_mlps or ()),
            block in (self.skipped_residuals or ()),
        )

    def fitted_to(self, config: NetworkConfig) -> Edits:
        """Give what of it a model of another shape can take; the rest becomes neutral."""
        has_heads = self.head_scales is not None and (
            (len(self.head_scales), {len(each) for each in self.head_scales}) == (config.depth, {config.num_heads})
        )
        num_patches = config.grid**2
        has_order = self.patch_order is not None and len(self.patch_order) == num_patches
        return dataclasses.replace(
            self,
            head_scales=self.head_scales if has_heads else None,
            skipped_attention=_below(self.skipped_attention, config.depth),
            skipped_mlps=_below(self.skipped_mlps, config.depth),
            skipped_residuals=_below(self.skipped_residuals, config.depth),
            blanked_patches=_below(self.blanked_patches, num_patches),
            patch_order=self.patch_order if has_order else None,
        )


def _below(numbers: frozenset[int] | None, end: int) -> frozenset[int] | None:
    """Keep the numbers from 0 up to `end`; None where none is left."""
    return frozenset(each for each in numbers or () if 0 <= each < end) or None


NO_EDITS = Edits()
