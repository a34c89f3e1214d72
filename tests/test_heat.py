"""Heat maps: the right numbers, in the right place, in honest colours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.predictions import AS_DRAWN
from training.facts import Box, Placement
from vit_pad.heat import (
    COLOR_TABLES,
    PALETTES,
    Palette,
    colorize,
    difference_colors,
    image_box,
    nice_scale,
    overlay_colors,
    patch_at,
    patch_box,
)

placements = st.builds(
    Placement,
    scale=st.floats(0.01, 50),
    shift_x=st.floats(-1000, 1000),
    shift_y=st.floats(-1000, 1000),
)


def lightness_of(rgb: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """CIELAB lightness of sRGB colours, 0 to 255 a channel."""
    share = rgb / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    y = linear @ np.array([0.2126, 0.7152, 0.0722])
    lightness: npt.NDArray[np.float64] = np.where(y > 216 / 24389, 116 * np.cbrt(y) - 16, y * 24389 / 27)
    return lightness


@given(placements, st.integers(8, 224))
def test_the_image_lies_where_it_was_taken_from(placement: Placement, image_size: int) -> None:
    box = image_box(image_size, placement)
    corners = (box.x, box.y), (box.x + box.width, box.y + box.height)
    in_image = [placement.to_image(*corner) for corner in corners]
    np.testing.assert_allclose(in_image, [(0, 0), (image_size, image_size)], rtol=1e-6, atol=1e-6)


def test_as_drawn_the_image_is_the_whole_pad() -> None:
    assert image_box(32, AS_DRAWN) == (0, 0, 400, 400)


@given(st.floats(0.002, 1))
def test_scale_is_just_above_the_map(maximum: float) -> None:
    assert maximum * (1 - 1e-5) <= nice_scale(maximum) <= min(maximum * 1.7, 1.0)


@pytest.mark.parametrize(
    ("maximum", "scale"),
    [(0.0, 0.001), (1 / 64, 0.02), (0.05, 0.05), (0.1000001, 0.1), (0.12, 0.15), (0.71, 1.0), (1.0000001, 1.0)],
)
def test_scale_is_a_round_number(maximum: float, scale: float) -> None:
    assert nice_scale(maximum) == scale


def test_scale_does_not_flicker() -> None:
    scale = nice_scale(0.11)
    for maximum in (0.099, 0.101, 0.09, 0.149):  # about the border between 10 and 15 %
        scale = nice_scale(maximum, scale)
        assert scale == 0.15
    assert nice_scale(0.16, scale) == 0.2  # a map that doesn't fit is never cut
    assert nice_scale(0.07, scale) == 0.1  # one clearly smaller gets its own scale


COLOR_TABLE = COLOR_TABLES["violet"]


def test_colours_run_from_violet_to_yellow_and_stop_at_the_ends() -> None:
    colors = colorize(np.array([-1, 0, 5, 10, 11, np.nan], np.float32), 0, 10)
    np.testing.assert_array_equal(colors[0], COLOR_TABLE[0])
    np.testing.assert_array_equal(colors[1], COLOR_TABLE[0])
    np.testing.assert_array_equal(colors[2], COLOR_TABLE[128])
    np.testing.assert_array_equal(colors[3], COLOR_TABLE[255])
    np.testing.assert_array_equal(colors[4], COLOR_TABLE[255])
    np.testing.assert_array_equal(colors[5], COLOR_TABLE[0])
    assert COLOR_TABLE[0, 2] > COLOR_TABLE[0, 1]
    assert COLOR_TABLE[255, 1] > 200 > 100 > COLOR_TABLE[255, 2]
    assert (COLOR_TABLES["grey"][:, :1] == COLOR_TABLES["grey"][:, :3]).all()
    np.testing.assert_array_equal(colorize(np.zeros(1), 0, 1, palette="blue"), COLOR_TABLES["blue"][:1])
    swapped = colorize(np.array([0, 10], np.float32), 0, 10, reverse=True)
    np.testing.assert_array_equal(swapped, COLOR_TABLE[[255, 0]])


@pytest.mark.parametrize("palette", PALETTES)
def test_lightness_rises_evenly(palette: Palette) -> None:
    lightness = lightness_of(COLOR_TABLES[palette][:, :3].astype(np.float64))
    steps = np.diff(lightness)
    assert steps.min() >= 0
    assert (steps[1:] + steps[:-1]).min() > 0  # in 8 bits a channel two neighbours may come out equally light
    straight = np.linspace(lightness[0], lightness[-1], 256)
    assert np.abs(lightness - straight).max() < 1  # 8 bits a channel leave that much
    assert lightness[-1] - lightness[0] > 70


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize(
    "matrix",
    [
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ],
    ids=["protanopia", "deuteranopia", "tritanopia"],
)
def test_order_is_kept_for_the_colour_blind(matrix: list[list[float]], palette: Palette) -> None:
    """Simulated after Machado, Oliveira and Fernandes, 2009; every fourth colour lighter than the one before."""
    share = COLOR_TABLES[palette][::4, :3] / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.array(matrix).T, 0, 1)
    shown = np.where(seen <= 0.0031308, 12.92 * seen, 1.055 * seen ** (1 / 2.4) - 0.055)
    assert np.diff(lightness_of(255 * shown)).min() > 0


@pytest.mark.parametrize(("paper", "ground"), [("dark", 15), ("light", 250)])
def test_overlay_stands_out_the_more_the_higher_the_value(paper: str, ground: int) -> None:
    values = np.linspace(0, 0.2, 50, dtype=np.float32)
    colors = overlay_colors(values, 0.2, 0.7, "dark" if paper == "dark" else "light").astype(np.float64)
    opacity = colors[:, 3:] / 255
    shown = opacity * colors[:, :3] + (1 - opacity) * ground
    distance = np.abs(lightness_of(shown) - lightness_of(np.full((1, 3), float(ground))))
    assert distance[0] == 0
    assert distance[-1] > 40
    smoothed = distance[5:]  # the first colours differ less than a step of 8 bits
    assert np.diff(smoothed).min() > 0


def test_strength_sets_the_opacity() -> None:
    values = np.full((1, 1), 0.2, np.float32)
    opacities = [int(overlay_colors(values, 0.2, strength, "dark")[0, 0, 3]) for strength in (0, 0.25, 0.5, 1)]
    assert opacities[0] == 0
    assert opacities[1] * 2 == pytest.approx(opacities[2], abs=1)
    assert opacities[2] * 2 == pytest.approx(opacities[3], abs=1)
    assert opacities[3] < 255


def test_an_even_head_is_seen_and_is_even() -> None:
    even = np.full((8, 8), 1 / 65, np.float32)
    colors = overlay_colors(even, nice_scale(float(even.max())), 1.0, "dark")
    assert (colors == colors[0, 0]).all()
    assert colors[0, 0, 3] > 128


def test_differences_are_blue_below_and_orange_above_and_nothing_at_0() -> None:
    colors = difference_colors(np.array([-2, -1, 0, 0.25, 1], np.float32), 1.0, 0.5).astype(int)
    assert colors[:, 3].tolist() == [round(0.95 * 127.5)] * 2 + [0, round(0.95 * 127.5 / 2), round(0.95 * 127.5)]
    assert (colors[:2, 2] > colors[:2, 0] + 100).all()
    assert (colors[3:, 0] > colors[3:, 2] + 100).all()
    assert not difference_colors(np.zeros(3, np.float32), 0.0, 1.0)[:, 3].any()


@given(placements, st.integers(1, 16), st.data())
def test_the_patch_at_a_place_is_the_one_whose_box_holds_it(
    placement: Placement, grid: int, data: st.DataObject
) -> None:
    box = image_box(32, placement)
    patch = data.draw(st.integers(0, grid**2 - 1))
    place = patch_box(patch, grid, box)
    assert place is not None
    assert patch_at(place.x + place.width / 2, place.y + place.height / 2, grid, box) == patch


def test_there_is_no_patch_outside() -> None:
    box = Box(10, 20, 40, 40)
    assert patch_box(0, 4, box) == Box(10, 20, 10, 10)
    assert patch_box(7, 4, box) == Box(40, 30, 10, 10)
    assert (patch_box(16, 4, box), patch_box(-1, 4, box), patch_box(0, 0, box)) == (None, None, None)
    assert (patch_at(10, 20, 4, box), patch_at(49.9, 59.9, 4, box)) == (0, 15)
    for x, y in ((9.9, 30), (50, 30), (30, 19.9), (30, 60)):
        assert patch_at(x, y, 4, box) is None
    assert patch_at(30, 30, 0, box) is None
