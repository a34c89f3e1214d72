"""Random changes of the training images."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from training import augment
from training.config import AUGMENTATIONS


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


def change(images: Tensor, kind: str = "affine", seed: int = 0) -> Tensor:
    return augment.augment(images, [kind], torch.Generator().manual_seed(seed))


every_kind = pytest.mark.parametrize("kind", AUGMENTATIONS)


@every_kind
def test_every_image_is_changed_by_a_draw_of_its_own(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(augment, "HOLE_SHARE", 1.0)
    changed = change(torch.rand(1, 1, 16, 16, generator=torch.Generator().manual_seed(0)).expand(5, -1, -1, -1), kind)
    assert changed.shape == (5, 1, 16, 16)
    for one in range(5):
        for other in range(one):
            assert (changed[one] - changed[other]).abs().max() > 1e-2


@every_kind
def test_the_generator_alone_decides(kind: str) -> None:
    images, before = torch.rand(40, 3, 16, 16), torch.get_rng_state()
    one = change(images, kind)
    torch.rand(3)
    assert torch.equal(one, change(images, kind))
    assert not torch.equal(one, change(images, kind, seed=1))
    torch.set_rng_state(before)
    change(images, kind)
    assert torch.equal(torch.get_rng_state(), before)


@every_kind
def test_values_stay_between_paper_and_pen(kind: str) -> None:
    changed = change(torch.rand(200, 1, 16, 16), kind)
    assert changed.min() >= 0
    assert changed.max() <= 1 + 1e-6


@pytest.mark.parametrize("kind", ["affine", "randaugment", "elastic", "occlusion"])
def test_new_ground_is_paper(kind: str) -> None:
    assert change(torch.ones(200, 1, 16, 16), kind).min() == 0  # some corner comes from outside


@every_kind
def test_all_channels_are_changed_alike(kind: str) -> None:
    changed = change(torch.rand(30, 1, 16, 16).expand(-1, 3, -1, -1), kind)
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


def test_nothing_asked_changes_nothing() -> None:
    images = torch.rand(3, 1, 16, 16)
    assert torch.equal(augment.augment(images, [], torch.Generator()), images)


def test_several_changes_resample_once_and_all_take_part(monkeypatch: pytest.MonkeyPatch) -> None:
    images = torch.rand(3, 1, 16, 16)
    monkeypatch.setattr(augment, "ELASTIC_REACH", 0.0)
    both = augment.augment(images, ["affine", "elastic"], torch.Generator().manual_seed(0))
    torch.testing.assert_close(both, change(images), atol=1e-5, rtol=0)


def test_rand_operations_are_a_turn_a_shear_or_a_shift(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(augment, "RAND_OPERATIONS", 1)
    middle = centres_of(change(dot_at(32, 32), "randaugment"))
    right = centres_of(change(dot_at(44, 32), "randaugment")) - middle
    below = centres_of(change(dot_at(32, 44), "randaugment")) - middle
    shifted = middle.abs().max(dim=-1).values > 0.01
    assert 0.25 < shifted.float().mean() < 0.5  # two of five operations, some of them small
    assert middle.abs().max() < augment.RAND_SHIFT + 0.01
    step = 12 / 64
    upright = right[:, 1].abs() < 0.1 * step  # a shear to the side, or a shift: what is level stays so
    assert 0.5 < upright.float().mean() < 0.95
    assert right[:, 1].abs().max() < 1.2 * step * max(augment.RAND_SHEAR, math.sin(augment.RAND_TURN))
    assert below[:, 0].abs().max() < 1.2 * step * max(augment.RAND_SHEAR, math.sin(augment.RAND_TURN))


def test_an_elastic_change_moves_near_places_alike_and_far_ones_apart() -> None:
    here, near, far = (centres_of(change(dot_at(x, 32), "elastic")) for x in (14, 17, 50))
    assert 0.25 < here.std(dim=0).mean() * 2 / augment.ELASTIC_REACH < 1.2

    def alike(one: Tensor, other: Tensor) -> float:
        return torch.corrcoef(torch.stack([one[:, 0], other[:, 0]]))[0, 1].item()

    assert alike(here, near) > 0.9
    assert abs(alike(here, far)) < 0.3


def test_thickness_adds_and_takes_away_at_the_rim() -> None:
    images = torch.zeros(300, 1, 16, 16)
    images[:, :, :, 6:9] = 1.0  # a line three pixels wide
    widths = change(images, "thickness")[:, 0, 8].sum(dim=-1)
    assert widths.max() == pytest.approx(3 + 2 * augment.MAX_THICKNESS, abs=0.05)
    assert widths.min() == pytest.approx(3 - 2 * augment.MAX_THICKNESS, abs=0.05)
    assert widths.mean() == pytest.approx(3, abs=0.15)


def test_an_occlusion_is_one_small_rectangle_in_some_images() -> None:
    holes = (change(torch.ones(2_000, 1, 32, 32), "occlusion") == 0)[:, 0]
    is_hit = holes.flatten(1).any(dim=-1)
    assert is_hit.float().mean() == pytest.approx(augment.HOLE_SHARE, abs=0.03)
    for hole in holes[is_hit][:50]:
        rows, columns = hole.any(dim=1).sum(), hole.any(dim=0).sum()
        assert hole.sum() == rows * columns
        assert max(rows, columns) <= augment.MAX_HOLE * 32 + 1
