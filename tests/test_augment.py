"""Random changes of the training images."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from training import augment
from training.augment import random_affine


def dot_at(x: int, y: int, size: int = 64, count: int = 400) -> Tensor:
    """Make images (count, 1, size, size) of one soft dot."""
    ticks = torch.arange(size)
    spot = torch.exp(-((ticks[None] - x) ** 2 + (ticks[:, None] - y) ** 2) / 18)
    return spot.expand(count, 1, -1, -1)


def centres_of(images: Tensor) -> Tensor:
    """Give the centres of mass (B, 2), x and y from the middle, in shares of the side."""
    size = images.shape[-1]
    places = (torch.arange(size) + 0.5) / size - 0.5
    mass = images.sum(dim=(1, 2, 3))
    return torch.stack(
        [(images.sum(dim=(1, 2)) * places).sum(dim=-1) / mass, (images.sum(dim=(1, 3)) * places).sum(dim=-1) / mass],
        dim=-1,
    )


def change(images: Tensor, seed: int = 0) -> Tensor:
    return random_affine(images, torch.Generator().manual_seed(seed))


def test_every_image_is_changed_by_a_draw_of_its_own() -> None:
    changed = change(torch.rand(1, 1, 16, 16, generator=torch.Generator().manual_seed(0)).expand(5, -1, -1, -1))
    assert changed.shape == (5, 1, 16, 16)
    for one in range(5):
        for other in range(one):
            assert (changed[one] - changed[other]).abs().max() > 1e-2


def test_the_generator_alone_decides() -> None:
    images, before = torch.rand(4, 3, 16, 16), torch.get_rng_state()
    one = change(images)
    torch.rand(3)
    assert torch.equal(one, change(images))
    assert not torch.equal(one, change(images, seed=1))
    torch.set_rng_state(before)
    change(images)
    assert torch.equal(torch.get_rng_state(), before)


def test_values_stay_between_paper_and_pen_and_new_ground_is_paper() -> None:
    changed = change(torch.ones(200, 1, 16, 16))
    assert changed.min() == 0  # some corner comes from outside
    assert changed.max() <= 1 + 1e-6


def test_all_channels_move_alike() -> None:
    changed = change(torch.rand(3, 1, 16, 16).expand(-1, 3, -1, -1))
    assert torch.equal(changed[:, 0], changed[:, 2])


def test_shifts_reach_the_limit_and_no_farther() -> None:
    # A dot in the middle is moved by the shift alone; turn, shear and scale only multiply it.
    moved = centres_of(change(dot_at(32, 32)))
    assert moved.abs().max() > 0.8 * augment.MAX_SHIFT
    reach = augment.MAX_SHIFT * augment.SCALE_RANGE[1] * (1 + augment.MAX_SHEAR + math.tan(augment.MAX_TURN))
    assert moved.abs().max() < reach
    assert moved.mean(dim=0).abs().max() < 0.01


def test_turns_shears_and_scales_are_those_of_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(augment, "MAX_SHIFT", 0.0)
    right = centres_of(change(dot_at(44, 32))) / (12.5 / 64)
    below = centres_of(change(dot_at(32, 44))) / (12.5 / 64)
    lengths = torch.cat([right[:, 0], below[:, 1]])
    assert lengths.min() < 0.8
    assert lengths.max() > 1.15
    assert lengths.min() > 0.65
    assert lengths.max() < 1.35
    sideways = below[:, 0]  # turn and shear both push what is below to a side
    assert sideways.min() < -0.4
    assert sideways.max() > 0.4
    assert sideways.mean().abs() < 0.05
    assert right[:, 1].abs().max() < 1.2 * math.tan(augment.MAX_TURN) * augment.SCALE_RANGE[1] / augment.SCALE_RANGE[0]


def test_with_no_room_for_change_images_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_TURN", "MAX_SHEAR", "MAX_SHIFT"):
        monkeypatch.setattr(augment, name, 0.0)
    monkeypatch.setattr(augment, "SCALE_RANGE", (1.0, 1.0))
    images = torch.rand(3, 1, 16, 16)
    torch.testing.assert_close(change(images), images, atol=1e-5, rtol=0)
