"""Strokes and pictures as the image that a model gets."""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from PIL import Image

from training.facts import FloatArray, Placement, PlacementMode
from training.ink import BOX_SHARE, InkImage, ink_box, make_image, place
from training.paths import asset
from training.pictures import Picture
from training.strokes import Stroke

SIZE = 32
MIDDLE = 14.5 / 28 * SIZE  # where MNIST's digits have their centre of mass
Line = Sequence[tuple[float, float]] | npt.NDArray[np.float64]
MODES: tuple[PlacementMode, ...] = ("like-mnist", "as-drawn")

# Whole numbers: what they are moved and scaled by loses no digits that a picture could show.
POINTS = st.lists(st.tuples(st.integers(-500, 500), st.integers(-500, 500)), min_size=1, max_size=30)
LINES = st.lists(POINTS, min_size=1, max_size=4)
ANY_POINTS = st.lists(st.tuples(*[st.floats(allow_nan=True, allow_infinity=True)] * 2), min_size=1, max_size=8)


def strokes_of(lines: Sequence[Line], width: float = 22.0) -> tuple[Stroke, ...]:
    return tuple(Stroke(np.array(line, dtype=np.float64), width) for line in lines)


def made(strokes: tuple[Stroke, ...], mode: PlacementMode = "like-mnist", picture: Picture | None = None) -> InkImage:
    result = make_image(strokes, picture, mode, SIZE, 1)
    assert result is not None
    return result


def drawn(strokes: tuple[Stroke, ...], mode: PlacementMode = "like-mnist") -> FloatArray:
    image: FloatArray = made(strokes, mode).image[0]
    return image


def a_picture(ink: FloatArray) -> Picture:
    """Make a picture of white paper with this ink."""
    rgb = np.repeat(np.rint(255 * (1 - ink)).astype(np.uint8)[:, :, None], 3, axis=2)
    return Picture(ink.astype(np.float32), rgb)


def mass(image: FloatArray) -> tuple[float, float]:
    centres = np.arange(len(image)) + 0.5
    return float(image.sum(0) @ centres / image.sum()), float(image.sum(1) @ centres / image.sum())


def box_px(image: FloatArray) -> tuple[int, int]:
    """Measure width and height, in pixels, of the box round what is at least half ink."""
    rows, columns = np.nonzero(image >= 0.5)
    return int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1


def distance_field(lines: list[npt.NDArray[np.float64]], width: float, edge: float) -> FloatArray:
    """Draw lines, in pixels, the plain way: every pixel's distance to every segment."""
    starts = np.concatenate([line[:-1] for line in lines]).astype(np.float32)
    steps = np.concatenate([np.diff(line, axis=0) for line in lines]).astype(np.float32)
    y, x = np.mgrid[:SIZE, :SIZE].reshape(2, -1, 1).astype(np.float32) + np.float32(0.5)
    off_x, off_y = x - starts[:, 0], y - starts[:, 1]
    square = np.maximum((steps**2).sum(axis=1), np.float32(1e-12))
    along = np.clip((off_x * steps[:, 0] + off_y * steps[:, 1]) / square, 0, 1)
    off_x, off_y = off_x - along * steps[:, 0], off_y - along * steps[:, 1]
    distance = np.sqrt((off_x * off_x + off_y * off_y).min(axis=1))
    half = width / 2
    share = (np.minimum(half, distance + edge / 2) - np.maximum(-half, distance - edge / 2)) / edge
    share = np.clip(share, 0, 1).astype(np.float32).reshape(SIZE, SIZE)
    return np.asarray(share * share * (3 - 2 * share), dtype=np.float32)


def an_eight(points: int) -> npt.NDArray[np.float64]:
    turn = np.linspace(0, 2 * np.pi, points)
    return np.column_stack([200 + 90 * np.sin(2 * turn), 200 + 150 * np.cos(turn)])


# What the two modes promise.


@given(LINES, st.floats(1e-3, 1e3), st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_like_mnist_is_unmoved_by_shifting_and_scaling(
    lines: list[list[tuple[float, float]]], scale: float, shift_x: float, shift_y: float
) -> None:
    strokes = strokes_of(lines)
    moved = tuple(Stroke(each.points * scale + (shift_x, shift_y), each.width * scale) for each in strokes)
    np.testing.assert_allclose(drawn(moved), drawn(strokes), atol=1e-4)


@given(LINES, st.floats(0.1, 100))
def test_like_mnist_is_blind_to_the_pens_width(lines: list[list[tuple[float, float]]], width: float) -> None:
    assume(len({point for line in lines for point in line}) > 1)
    np.testing.assert_allclose(drawn(strokes_of(lines, width)), drawn(strokes_of(lines)), atol=1e-6)


@given(LINES)
def test_like_mnist_fills_the_box_and_centres_the_mass(lines: list[list[tuple[float, float]]]) -> None:
    image = drawn(strokes_of(lines))
    width, height = box_px(image)
    if len({point for line in lines for point in line}) > 1:
        assert max(width, height) == pytest.approx(BOX_SHARE * SIZE, abs=1)
    x, y = mass(image)
    # Where the mass is far from the box's middle, the box stops at the image's border.
    assert abs(x - MIDDLE) < 0.1 or image[:, [1, -2]].any()
    assert abs(y - MIDDLE) < 0.1 or image[[1, -2]].any()


def test_like_mnist_keeps_the_aspect() -> None:
    image = drawn(strokes_of([[(0, 0), (100, 0), (100, 50), (0, 50), (0, 0)]]))
    width, height = box_px(image)
    line = 2.9  # the lines' own width doesn't shrink with their distance
    assert (height - line) / (width - line) == pytest.approx(0.5, abs=0.06)


def test_as_drawn_shows_position_size_and_width() -> None:
    image = drawn(strokes_of([[(100, 300), (200, 300)]], width=50), "as-drawn")
    ys, xs = np.nonzero(image >= 0.5)
    assert (ys.min(), ys.max()) == (22, 25)  # 300 / 12.5 = 24, and 4 pixels wide
    assert (xs.min(), xs.max()) == (6, 17)  # 8 to 16, and round ends of 2
    assert place(strokes_of([[(1, 1)]]), None, "as-drawn", SIZE) == Placement(SIZE / 400, 0, 0)


def test_as_drawn_ink_off_the_pad_is_no_error() -> None:
    for far in (strokes_of([[(-500, 0), (-500, 400)]]), strokes_of([[(1e12, 1e12)]])):
        assert not made(far, "as-drawn").image.any()


def test_as_drawn_ink_that_reaches_in_from_off_the_pad() -> None:
    for x, y, row, column in ((405, 200, 16, -1), (-5, 200, 16, 0), (200, 405, -1, 16), (200, -5, 0, 16)):
        for line in ([(x, y)], [(x, y), (x, y + 1e-3)], [(x, y), (x + 1e-3, y)]):
            image = drawn(strokes_of([line], width=40), "as-drawn")
            assert image[row, column] > 0.5


def test_as_drawn_line_from_far_away_still_crosses_the_pad() -> None:
    near = drawn(strokes_of([[(-400, 200), (800, 200)]]), "as-drawn")
    far = drawn(strokes_of([[(-1e12, 200), (1e12, 200)]]), "as-drawn")
    np.testing.assert_allclose(far, near, atol=0.01)


@given(LINES, st.sampled_from(MODES))
def test_placement_leads_to_the_ink(lines: list[list[tuple[float, float]]], mode: PlacementMode) -> None:
    strokes = strokes_of(lines)
    result = made(strokes, mode)
    assert place(strokes, None, mode, SIZE) == result.placement
    for x, y in (point for line in lines for point in line):
        column, row = result.placement.to_image(x, y)
        if 0 <= column < SIZE and 0 <= row < SIZE:
            # A pixel's centre may be 0.7 px away: at this width that is ink still.
            assert result.image[0, int(row), int(column)] > 0.5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("points", [7, 200])
def test_equals_a_plain_distance_field(mode: PlacementMode, points: int) -> None:
    strokes = strokes_of([an_eight(points), [(20, 350), (380, 350)]], width=40)
    result = made(strokes, mode)
    scale, *shift = result.placement
    lines = [each.points * scale + shift for each in strokes]
    expected = distance_field(lines, *((2.9, 2.45) if mode == "like-mnist" else (40 * scale, 1.5)))
    np.testing.assert_allclose(result.image[0], expected, atol=1e-4)


def test_looks_like_mnist() -> None:
    """Line width and softness of digits drawn as strokes are those of MNIST, resized as for training."""
    with gzip.open(asset("mnist/train-images-idx3-ubyte.gz")) as file:
        digits = np.frombuffer(file.read(16 + 784 * 500)[16:], np.uint8).reshape(-1, 28, 28)
    mnist = [np.asarray(Image.fromarray(each).resize((SIZE, SIZE), Image.Resampling.BILINEAR)) / 255 for each in digits]
    turn = np.linspace(0, 2 * np.pi, 60)
    pen = [
        drawn(strokes_of([np.column_stack([w * np.sin(k * turn), 150 * np.cos(turn)])]))
        for w in (60, 90, 120)
        for k in (0.5, 1, 1.5, 2)
    ]
    (width, softness), (mnist_width, mnist_softness) = line_of(pen), line_of(mnist)
    assert width == pytest.approx(mnist_width, rel=0.08)
    assert softness == pytest.approx(mnist_softness, rel=0.08)
    middles = [mass(each.astype(np.float32)) for each in mnist]
    assert np.mean(middles, axis=0) == pytest.approx((MIDDLE, MIDDLE), abs=0.1)


def line_of(images: list[npt.NDArray[np.float64]] | list[FloatArray]) -> tuple[float, float]:
    """Measure line width and width of a line's edge, in pixels: means over images."""
    padded = np.pad(np.stack(images), ((0, 0), (1, 1), (1, 1)))
    right, down = np.diff(padded, axis=2), np.diff(padded, axis=1)
    slope = np.hypot((right[:, 1:] + right[:, :-1]) / 2, (down[:, :, 1:] + down[:, :, :-1]) / 2)
    ink, total, square = (each.sum(axis=(1, 2)) for each in (padded, slope, slope**2))
    return float(np.mean(2 * ink / total)), float(np.mean(total / square))


# Drawings that are out of the ordinary.


def test_empty_pad_gives_nothing() -> None:
    blank = a_picture(np.zeros((20, 20), dtype=np.float32))
    for picture in (None, blank):
        for mode in MODES:
            assert make_image((), picture, mode, SIZE, 1) is None
            assert place((), picture, mode, SIZE) is None
        assert ink_box((), picture) is None


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "lines", [[[(200, 200)]], [[(200, 200)] * 9], [[(200, 200)], [(200, 200), (200, 200)]], [[(399, 1)]]]
)
@pytest.mark.parametrize("width", [1e-9, 0.5, 22])
def test_dot_leaves_ink(mode: PlacementMode, lines: list[list[tuple[float, float]]], width: float) -> None:
    image = drawn(strokes_of(lines, width), mode)
    assert image.max() > 0.1
    if mode == "like-mnist":
        assert mass(image) == pytest.approx((MIDDLE, MIDDLE), abs=0.01)


@given(st.lists(ANY_POINTS, min_size=1, max_size=3), st.sampled_from(MODES), st.floats(0, 1e300))
def test_never_outside_0_to_1(lines: list[list[tuple[float, float]]], mode: PlacementMode, width: float) -> None:
    result = make_image(strokes_of(lines, width), None, mode, SIZE, 1)
    if not np.isfinite([point for line in lines for point in line]).all(axis=1).any():
        assert result is None
        return
    assert result is not None
    assert result.image.dtype == np.float32
    assert result.image.min() >= 0
    assert result.image.max() <= 1  # False for NaN
    assert np.isfinite([*result.placement, *result.box]).all()


def test_far_off_line_no_longer_than_a_rounding_error_is_a_dot() -> None:
    far = 1e13
    image = drawn(strokes_of([[(0, far - 1), (0, far)]], 1e-9), "like-mnist")
    np.testing.assert_allclose(image, drawn(strokes_of([[(0, far)]], 1e-9), "like-mnist"))
    assert mass(image) == pytest.approx((MIDDLE, MIDDLE), abs=0.01)


def test_far_off_point_leaves_ink() -> None:
    image = drawn(strokes_of([[(0, 0), (1e12, 0), (1e12, 1e12)]]))
    np.testing.assert_allclose(image, drawn(strokes_of([[(0, 0), (1, 0), (1, 1)]])), atol=1e-4)


def test_many_points_look_like_few() -> None:
    np.testing.assert_allclose(drawn(strokes_of([an_eight(100_000)])), drawn(strokes_of([an_eight(2_000)])), atol=0.03)


@pytest.mark.parametrize("mode", MODES)
def test_scribble_of_100_000_points_is_all_ink(mode: PlacementMode) -> None:
    points = np.random.default_rng(0).uniform(0, 400, (100_000, 2))
    image = make_image((Stroke(points),), None, mode, SIZE, 1)
    assert image is not None
    assert image.image[0, 8:24, 8:24].min() > 0.99


@pytest.mark.parametrize("mode", MODES)
def test_dense_drawing_with_a_line_of_any_width_takes_little_memory(mode: PlacementMode) -> None:
    points = np.random.default_rng(0).uniform(0, 400, (20_000, 2))
    tracemalloc.start()
    image = make_image((Stroke(points, 1e9), Stroke(points[:2], 5.0)), None, mode, SIZE, 1)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert image is not None
    assert image.image[0, 8:24, 8:24].min() > 0.99
    assert most < 500e6


def test_far_off_stroke_beside_a_picture_takes_little_memory() -> None:
    picture = a_picture(np.ones((300, 300), dtype=np.float32))
    tracemalloc.start()
    image = make_image(strokes_of([[(1e9, 0.0), (1e9, 10.0)]]), picture, "like-mnist", SIZE, 1)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert image is not None
    assert np.isfinite(image.image).all()
    assert most < 500e6


def test_dense_drawing_is_where_it_is_drawn() -> None:
    """Past the number of pieces that are drawn one by one, cells of a quarter pixel stand for them."""
    there_and_back = [(0.0, 200.0), (400.0, 200.0)] * 10_000
    np.testing.assert_allclose(
        drawn(strokes_of([there_and_back]), "as-drawn"), drawn(strokes_of([there_and_back[:2]]), "as-drawn"), atol=0.12
    )


@pytest.mark.parametrize("mode", MODES)
def test_nothing_joins_one_stroke_to_the_next(mode: PlacementMode) -> None:
    lines = [[(100, 100)], [(300, 100)], [(100, 300), (120, 300)], [(280, 300), (300, 300)]]
    result = made(strokes_of(lines), mode)
    column = int(result.placement.to_image(200, 200)[0])
    assert not result.image[0, :, column].any()
    assert result.image[0, :, :column].any()
    assert result.image[0, :, column + 1 :].any()


def test_widths_differ_as_drawn() -> None:
    thin, thick = Stroke(np.array([[100.0, 20.0], [100.0, 380.0]]), 10), Stroke(np.array([[300.0, 20], [300, 380]]), 60)
    image = drawn((thin, thick), "as-drawn")
    assert image[:, :16].sum() * 4 < image[:, 16:].sum()
    np.testing.assert_array_equal(image, np.maximum(drawn((thin,), "as-drawn"), drawn((thick,), "as-drawn")))


def test_image_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        made(strokes_of([[(1, 2)]])).image[0, 0, 0] = 1


def test_ink_box_has_the_lines_width() -> None:
    assert ink_box(strokes_of([[(100, 50), (200, 80)], [(150, 90)]], width=20), None) == (90, 40, 120, 60)


# Pictures.


def test_mnist_picture_comes_out_as_it_is_resized_for_training() -> None:
    digit = np.zeros((28, 28), dtype=np.float32)
    digit[4:24, 6:20] = np.random.default_rng(0).uniform(0.2, 1, (20, 14))
    expected = np.asarray(Image.fromarray(digit).resize((SIZE, SIZE), Image.Resampling.BILINEAR))
    np.testing.assert_allclose(made((), "as-drawn", a_picture(digit)).image[0], expected, atol=1e-5)


@pytest.mark.parametrize("side", [500, 501, 1999])
def test_large_picture_is_resized_without_gaps(side: int) -> None:
    ink = np.zeros((side, side), dtype=np.float32)
    ink[side // 4 : side // 2, side // 3 : side // 2] = 1
    ink[:: side // 7] = 0.5
    expected = np.asarray(Image.fromarray(ink).resize((SIZE, SIZE), Image.Resampling.BILINEAR))
    image = made((), "as-drawn", a_picture(ink)).image[0]
    np.testing.assert_allclose(image[1:-1, 1:-1], expected[1:-1, 1:-1], atol=0.02)


@settings(max_examples=20)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 4))
def test_like_mnist_picture_is_unmoved_by_shifting_and_scaling(x: int, y: int, scale: int) -> None:
    shape = np.kron(np.array([[1.0, 0, 1], [1, 1, 1], [0, 0, 1]]), np.ones((10, 10)))
    ink = np.zeros((120, 120), dtype=np.float32)
    ink[y : y + 30, x : x + 30] = shape
    larger: FloatArray = np.kron(ink, np.ones((scale, scale), dtype=np.float32))
    image = made((), picture=a_picture(larger)).image[0]
    expected = np.kron(shape, np.ones((20, 20))).astype(np.float32)
    np.testing.assert_allclose(image, made((), picture=a_picture(expected)).image[0], atol=0.15)
    assert max(box_px(image)) == pytest.approx(BOX_SHARE * SIZE, abs=1)


@pytest.mark.parametrize("mode", MODES)
def test_strokes_and_picture_make_one_image(mode: PlacementMode) -> None:
    ink = np.zeros((200, 200), dtype=np.float32)
    ink[20:180, 20:40] = 0.6
    picture = a_picture(ink)  # on the pad from (40, 40) to (80, 360)
    strokes = strokes_of([[(300, 60), (300, 340)]], width=30)
    result = made(strokes, mode, picture)
    assert result.box == pytest.approx((40, 40, 275, 320))
    for x, y, level in ((60, 200, 0.6), (300, 200, 1)):
        column, row = result.placement.to_image(x, y)
        assert result.image[0, int(row), int(column)] == pytest.approx(level, abs=0.15)
    if mode == "like-mnist":
        assert box_px(result.image[0])[1] == pytest.approx(BOX_SHARE * SIZE, abs=1)


def test_color_picture_keeps_its_colors_and_takes_white_strokes() -> None:
    rgb = np.zeros((300, 400, 3), dtype=np.uint8)
    rgb[:] = (200, 100, 50)
    rgb[:, :50] = rgb[:, 350:] = (0, 0, 255)  # cut off
    picture = Picture(np.zeros((300, 400), dtype=np.float32), rgb)
    strokes = strokes_of([[(200, 100), (200, 300)]], width=30)
    result = make_image(strokes, picture, "like-mnist", 64, 3)
    assert result is not None
    image = result.image
    np.testing.assert_allclose(image[:, 10, 2], np.array([200, 100, 50]) / 255, atol=0.01)
    np.testing.assert_allclose(image[:, 10, -2], np.array([200, 100, 50]) / 255, atol=0.01)
    np.testing.assert_allclose(image[:, 32, 32], 1, atol=0.01)
    column, row = result.placement.to_image(50, 50)  # the cut's upper left corner on the pad
    assert (column, row) == pytest.approx((0, 0))
    assert result.placement.to_image(350, 350) == pytest.approx((64, 64))


def test_color_model_takes_a_picture_without_ink() -> None:
    picture = a_picture(np.zeros((30, 60), dtype=np.float32))
    result = make_image((), picture, "as-drawn", SIZE, 3)
    assert result is not None
    np.testing.assert_array_equal(result.image, np.ones((3, SIZE, SIZE)))
    assert result.box == (0, 100, 400, 200)


def test_color_model_without_picture_gets_the_grey_ink_thrice() -> None:
    strokes = strokes_of([[(10, 10), (100, 90)]])
    result = make_image(strokes, None, "like-mnist", SIZE, 3)
    assert result is not None
    np.testing.assert_array_equal(result.image, np.repeat(drawn(strokes)[None], 3, axis=0))


# Cost.


def shortest(*calls: Callable[[], object], rounds: int = 60) -> list[float]:
    """Time calls in turns, now in this order and now in that, and give the shortest of each.

    On a busy machine the system's time slices can fall in step with the turns, so that one call waits in most of them.
    """
    times: dict[Callable[[], object], float] = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        calls = calls[::-1]
        for call in calls:
            start = time.perf_counter()
            call()
            times[call] = min(times[call], time.perf_counter() - start)
    return list(times.values())


def test_drawing_is_faster_than_a_distance_field() -> None:
    strokes = strokes_of([an_eight(200)])
    pixels = [strokes[0].points * SIZE / 400]
    ours, plain = shortest(lambda: drawn(strokes), lambda: distance_field(pixels, 2.9, 2.45))
    assert ours < plain


def test_cost_of_very_many_points_is_bounded() -> None:
    few, many = an_eight(200) * SIZE / 400, strokes_of([an_eight(100_000)])
    ours, plain = shortest(lambda: drawn(many), lambda: distance_field([few], 2.9, 2.45), rounds=9)
    assert ours < plain * 500 / 10  # a tenth of what 500 times the points would take the plain way


def test_ink_loads_neither_torch_nor_pillow_nor_qt() -> None:
    code = (
        "import sys, training.ink; print([n for n in ('torch', 'PIL', 'PySide6', 'torchvision') if n in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
