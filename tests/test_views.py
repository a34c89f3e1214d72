"""The views, offscreen: what they paint, where, and what a click or a key does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.predictions import AS_DRAWN, LIKE_MNIST, make_prediction
from training.config import DIGITS
from training.facts import Placement, Prediction
from vit_pad.attention_overlay import AttentionOverlay, ColorBar
from vit_pad.head_strip import HeadStrip, lay_out_cells
from vit_pad.heat import COLOR_TABLES
from vit_pad.input_preview import InputPreview, fit_side, grid_lines, image_colors
from vit_pad.look import Look
from vit_pad.probability_bars import ProbabilityBars, choose_rows, lay_out_rows
from vit_pad.rgba_image import rgba_image
from vit_pad.theme import theme_of

Pixels = npt.NDArray[np.uint8]
View = AttentionOverlay | HeadStrip | InputPreview | ProbabilityBars
VIEWS: tuple[type[View], ...] = (AttentionOverlay, HeadStrip, InputPreview, ProbabilityBars)
GROUND = 0
COLOR_TABLE = COLOR_TABLES["violet"]


def pixels_of(image: QImage) -> Pixels:
    rgba = image.convertToFormat(QImage.Format.Format_RGBA8888)
    pixels: Pixels = np.array(rgba.constBits(), np.uint8).reshape(rgba.height(), rgba.width(), 4)
    return pixels


def painted(widget: QWidget, scale: float = 1.0) -> Pixels:
    """Give what a widget itself paints on black, as (height, width, 3) device pixels."""
    image = QImage(
        round(widget.width() * scale), round(widget.height() * scale), QImage.Format.Format_ARGB32_Premultiplied
    )
    image.setDevicePixelRatio(scale)
    image.fill(QColor(GROUND, GROUND, GROUND))
    widget.render(image, QPoint(), QRegion(), QWidget.RenderFlag(0))
    return pixels_of(image)[..., :3]


def color_of(name: str) -> list[int]:
    color = QColor(name)
    return [color.red(), color.green(), color.blue()]


def hot_patch(row: int, column: int, placement: Placement = AS_DRAWN, grid: int = 8) -> Prediction:
    """A prediction whose every head looks at one patch alone."""
    attention = np.zeros((2, 3, grid**2 + 1, grid**2 + 1), np.float32)
    attention[:, :, 0, 1 + row * grid + column] = 1.0
    return make_prediction(grid=grid, image_size=32, attention=attention, placement=placement)


def make(qtbot: QtBot, kind: Callable[[], Any], width: int, height: int) -> Any:
    widget = kind()
    qtbot.addWidget(widget)
    widget.resize(width, height)
    return widget


CASES = {
    "empty pad": None,
    "pad-4": make_prediction(),
    "coarse": make_prediction(grid=2, image_size=32),
    "fine": make_prediction(grid=16, image_size=32),
    "colour": make_prediction(grid=14, image_size=224, in_channels=3, num_heads=3, depth=12),
    "two channels": make_prediction(in_channels=2),
    "no attention": make_prediction(num_heads=0, depth=0),
    "two classes": make_prediction(class_names=("cat", "a dog of a breed whose name is too long for any bar chart")),
    "many classes": make_prediction(class_names=tuple(f"class {number}" for number in range(1000))),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", VIEWS)
def test_every_view_shows_every_prediction(qtbot: QtBot, kind: type[View], case: str) -> None:
    view = make(qtbot, kind, 280, 240)
    view.show_prediction(make_prediction(revision=1))
    painted(view)
    prediction = CASES[case]
    view.show_prediction(prediction)
    assert view.shown_revision == 1  # still: nothing new is painted
    painted(view)
    assert view.shown_revision == (None if prediction is None else prediction.revision)
    assert view.objectName()
    assert view.accessibleName()


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize(("width", "height"), [(1, 1), (40, 30), (2000, 20)])
def test_no_size_is_too_small(qtbot: QtBot, kind: type[View], width: int, height: int) -> None:
    view = make(qtbot, kind, width, height)
    view.show_prediction(make_prediction(revision=5))
    painted(view)
    assert view.shown_revision == 5


def test_image_owns_its_pixels() -> None:
    colors = np.zeros((3, 5, 4), np.uint8)
    colors[1, 4] = [10, 20, 30, 255]
    image = rgba_image(colors)
    colors[:] = 77
    assert (image.width(), image.height()) == (5, 3)
    assert pixels_of(image)[1, 4].tolist() == [10, 20, 30, 255]
    assert pixels_of(image)[0, 0].tolist() == [0, 0, 0, 0]


# Overlay


@pytest.mark.parametrize("placement", [AS_DRAWN, LIKE_MNIST], ids=["as drawn", "like MNIST"])
@pytest.mark.parametrize("patch", [(0, 0), (2, 5), (7, 7)])
@pytest.mark.parametrize("side", [400, 613])
def test_overlay_lies_where_the_patch_was_cut_out(
    qtbot: QtBot, placement: Placement, patch: tuple[int, int], side: int
) -> None:
    overlay = make(qtbot, AttentionOverlay, side, side)
    overlay.show_prediction(hot_patch(*patch, placement))
    ys, xs = np.nonzero(painted(overlay).any(axis=-1))
    corners = [placement.to_pad(4 * (patch[1] + step), 4 * (patch[0] + step)) for step in (0, 1)]
    found = [xs.min(), ys.min(), xs.max() + 1, ys.max() + 1]
    np.testing.assert_allclose(found, np.ravel(corners) * side / 400, atol=1.01)


def test_overlay_keeps_to_the_chosen_head(qtbot: QtBot) -> None:
    attention = np.zeros((2, 2, 17, 17), np.float32)
    attention[1, 0, 0, 1] = attention[1, 1, 0, 16] = 0.4
    overlay = make(qtbot, AttentionOverlay, 400, 400)
    overlay.show_prediction(make_prediction(grid=4, image_size=32, attention=attention))
    overlay.set_look(Look(block=1, head=0))
    first = painted(overlay)
    assert first[50, 50].any()
    assert not first[350, 350].any()
    overlay.set_look(Look(block=1, head=1))
    second = painted(overlay)
    assert not second[50, 50].any()
    assert second[350, 350].any()
    overlay.set_look(Look(block=1, head=-1))
    mean = painted(overlay)
    assert mean[50, 50].any()
    assert mean[350, 350].any()


@pytest.mark.parametrize("case", ["empty pad", "no attention"])
def test_overlay_without_a_map_is_blank(qtbot: QtBot, case: str) -> None:
    overlay = make(qtbot, AttentionOverlay, 200, 200)
    overlay.show_prediction(hot_patch(3, 3))
    assert painted(overlay).any()
    with qtbot.waitSignal(overlay.scale_changed) as changed:
        overlay.show_prediction(CASES[case])
    assert changed.args == [0.0]
    assert not painted(overlay).any()


def test_overlay_without_strength_is_blank(qtbot: QtBot) -> None:
    overlay = make(qtbot, AttentionOverlay, 200, 200)
    overlay.show_prediction(hot_patch(3, 3))
    overlay.set_strength(0.0)
    assert not painted(overlay).any()
    assert overlay.scale == 1.0


def test_overlay_lets_the_mouse_through(qtbot: QtBot) -> None:
    window = make(qtbot, QWidget, 100, 100)
    canvas, overlay = QWidget(window), AttentionOverlay(window)
    for each in (canvas, overlay):
        each.setGeometry(0, 0, 100, 100)
    assert window.childAt(50, 50) is canvas


def test_scale_is_told_once_and_starts_anew_with_another_head(qtbot: QtBot) -> None:
    def heads(first: float, second: float) -> Prediction:
        attention = np.zeros((1, 2, 5, 5), np.float32)
        attention[0, 0, 0, 1], attention[0, 1, 0, 1] = first, second
        return make_prediction(grid=2, attention=attention)

    overlay = make(qtbot, AttentionOverlay, 100, 100)
    scales: list[float] = []
    overlay.scale_changed.connect(scales.append)
    overlay.set_look(Look(block=0, head=0))
    overlay.show_prediction(heads(0.11, 0.09))
    overlay.show_prediction(heads(0.095, 0.09))  # kept: 10 % would be barely enough
    assert scales == [pytest.approx(0.15)]
    overlay.set_look(Look(block=0, head=1))
    assert overlay.scale == pytest.approx(0.1)


def test_color_bar_says_the_scale(qtbot: QtBot) -> None:
    bar = make(qtbot, ColorBar, 240, 24)
    blank = painted(bar)
    bar.show_scale(0.15)
    assert bar.accessibleDescription() == "0 to 15 %"
    shown = painted(bar)
    assert (shown != blank).any()
    line = shown[12].astype(int).sum(axis=-1)
    assert line[30] < line[100] < line[180]  # on dark paper the hot end is the light one
    bar.set_paper("light")
    line = painted(bar)[12].astype(int).sum(axis=-1)
    assert line[30] > line[100] > line[180]
    bar.show_scale(0.0)
    assert bar.accessibleDescription() == ""


# Bars


def row_of(bars: ProbabilityBars, index: int) -> slice:
    pitch = bars.height() / 10
    return slice(round(index * pitch), round((index + 1) * pitch))


def test_bars_are_as_long_as_the_probabilities(qtbot: QtBot) -> None:
    probabilities = np.full(10, 0.025, np.float32)
    probabilities[[3, 8]] = 0.6, 0.2
    bars = make(qtbot, ProbabilityBars, 300, 250)
    bars.show_prediction(make_prediction(probabilities=probabilities))
    theme = theme_of(bars)
    middle = painted(bars)[12::25]  # (10, width, 3): the middle line of each row
    grey = (middle == color_of(theme.bar)).all(axis=-1).sum(axis=-1)
    accent = (middle == color_of(theme.accent)).all(axis=-1).sum(axis=-1)
    track = (middle == color_of(theme.track)).all(axis=-1).sum(axis=-1) + grey + accent
    assert accent[3] / track[3] == pytest.approx(0.6, abs=0.03)
    assert grey[8] / track[8] == pytest.approx(0.2, abs=0.03)
    assert not grey[3]
    assert not np.delete(accent, 3).any()


def test_bars_rest_on_an_empty_pad(qtbot: QtBot) -> None:
    bars = make(qtbot, ProbabilityBars, 300, 250)
    rest = painted(bars)
    assert (rest == color_of(theme_of(bars).track)).all(axis=-1).any()
    bars.show_prediction(make_prediction())
    assert (painted(bars) != rest).any()
    bars.show_prediction(None)
    np.testing.assert_array_equal(painted(bars), rest)
    assert bars.accessibleDescription() == "Nothing is drawn yet."


def test_numbers_keep_their_place(qtbot: QtBot) -> None:
    bars = make(qtbot, ProbabilityBars, 300, 250)
    columns = []
    for top in (1.0, 0.2):  # 100.0 % has one digit more
        probabilities = np.full(10, (1 - top) / 9, np.float32)
        probabilities[3] = top
        bars.show_prediction(make_prediction(probabilities=probabilities))
        tracks = (painted(bars)[12::25] == color_of(theme_of(bars).track)).all(axis=-1)
        columns.append(np.nonzero(tracks[5])[0].max())
    assert columns[0] == columns[1]


def _shows(view: ProbabilityBars, revision: int) -> bool:
    return view.shown_revision == revision


def test_bars_paint_what_changed_and_look_as_if_painted_anew(qtbot: QtBot) -> None:
    first, second = np.full(10, 0.05, np.float32), np.full(10, 0.05, np.float32)
    first[3], second[7] = 0.55, 0.55
    bars = make(qtbot, ProbabilityBars, 300, 250)
    anew = make(qtbot, ProbabilityBars, 300, 250)
    for view, answers in ((bars, (first, second)), (anew, (second,))):
        with qtbot.waitExposed(view):
            view.show()
        for revision, probabilities in enumerate(answers):
            view.show_prediction(make_prediction(revision=revision, probabilities=probabilities))
            qtbot.waitUntil(partial(_shows, view, revision))
    assert bars.screen().grabWindow(bars.winId()).toImage() == anew.screen().grabWindow(anew.winId()).toImage()
    bars.show_prediction(make_prediction(revision=2, probabilities=second))
    qtbot.waitUntil(partial(_shows, bars, 2))
    bars.show_prediction(make_prediction(revision=3, probabilities=second))
    assert _shows(bars, 3)  # it can be seen already


def test_bars_say_the_three_likeliest(qtbot: QtBot) -> None:
    probabilities = np.array([0.02, 0.9, 0.05, 0.03], np.float32)
    bars = make(qtbot, ProbabilityBars, 300, 250)
    bars.show_prediction(make_prediction(probabilities=probabilities, class_names=("ant", "bee", "cow", "doe")))
    qtbot.waitUntil(lambda: bars.accessibleDescription() != "Nothing is drawn yet.")
    assert bars.accessibleDescription() == "bee with 90.0 %, cow with 5.0 %, doe with 3.0 %"


def test_another_model_sets_the_rows(qtbot: QtBot) -> None:
    bars = make(qtbot, ProbabilityBars, 300, 250)
    bars.show_prediction(make_prediction())
    ten = bars.sizeHint().height()
    bars.set_class_names(("yes", "no"))
    assert bars.sizeHint().height() < ten
    painted(bars)
    assert bars.shown_revision is None  # the old answer has other classes


def test_a_long_name_leaves_room_for_its_bar(qtbot: QtBot) -> None:
    bars = make(qtbot, ProbabilityBars, 300, 60)
    bars.show_prediction(CASES["two classes"])
    track = (painted(bars)[14] == color_of(theme_of(bars).track)).all(axis=-1)
    assert track.sum() > 40


def test_more_classes_than_rows_show_the_likeliest_in_order() -> None:
    probabilities = np.array([0.1, 0.3, 0.05, 0.4, 0.15], np.float32)
    assert choose_rows(probabilities, 5, 10) == [0, 1, 2, 3, 4]
    assert choose_rows(probabilities, 5, 3) == [1, 3, 4]
    assert choose_rows(None, 5, 3) == [0, 1, 2]


@given(st.floats(60, 2000), st.floats(10, 2000), st.integers(1, 40))
def test_rows_stay_inside_and_apart(width: float, height: float, num_rows: int) -> None:
    rows = lay_out_rows(width, height, num_rows, name_px=10, number_px=30)
    for row, following in pairwise(rows):
        assert row.track.bottom() <= following.track.top()
    for row in rows:
        assert row.name.right() <= row.track.left()
        assert row.track.right() <= row.number.left()
        assert row.number.bottom() <= height + 1e-6
        assert row.number.right() == width


# Head strip


def head_square(strip: HeadStrip, head: int) -> QRectF:
    """Give the square of a head's thumbnail in widget pixels, -1 for the mean."""
    return lay_out_cells(strip.width(), strip.height(), strip._num_heads + 1)[1][head + 1]


@pytest.mark.parametrize(("width", "height"), [(520, 72), (240, 300), (90, 700)])
def test_a_click_chooses_the_head_under_it(qtbot: QtBot, width: int, height: int) -> None:
    strip = make(qtbot, HeadStrip, width, height)
    strip.show_prediction(make_prediction(num_heads=8))
    chosen: list[int] = []
    strip.head_chosen.connect(chosen.append)
    for head in (5, -1, 0, 7):
        centre = head_square(strip, head).center().toPoint()
        QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=centre)
    assert chosen == [5, -1, 0, 7]
    QTest.mouseClick(strip, Qt.MouseButton.RightButton, pos=head_square(strip, 2).center().toPoint())
    assert chosen == [5, -1, 0, 7]


def test_arrow_keys_choose_and_stop_at_the_ends(qtbot: QtBot) -> None:
    strip = make(qtbot, HeadStrip, 520, 72)  # all in one row
    strip.show_prediction(make_prediction(num_heads=3))
    chosen: list[int] = []
    strip.head_chosen.connect(chosen.append)
    keys = Qt.Key
    for key in (keys.Key_Left, keys.Key_Right, keys.Key_Right, keys.Key_End, keys.Key_Right, keys.Key_Home):
        QTest.keyClick(strip, key)
    assert chosen == [0, 1, 2, -1]
    assert strip.focusPolicy() == Qt.FocusPolicy.StrongFocus


def test_up_and_down_go_by_rows(qtbot: QtBot) -> None:
    strip = make(qtbot, HeadStrip, 240, 300)
    strip.show_prediction(make_prediction(num_heads=8))
    columns, _ = lay_out_cells(240, 300, 9)
    assert columns == 3
    QTest.keyClick(strip, Qt.Key.Key_Down)
    with qtbot.waitSignal(strip.head_chosen) as signal:
        QTest.keyClick(strip, Qt.Key.Key_Down)
    assert signal.args == [5]


def test_the_tool_tip_names_the_head_under_the_mouse(qtbot: QtBot) -> None:
    strip = make(qtbot, HeadStrip, 520, 72)
    strip.set_choice(2, -1)
    with qtbot.waitExposed(strip):
        strip.show()
    for head in (5, 3):  # where the mouse is already, it doesn't move
        QTest.mouseMove(strip.windowHandle(), head_square(strip, head).center().toPoint())
    qtbot.waitUntil(lambda: strip.toolTip() == "Head 4 of block 3")


def test_setting_a_choice_is_no_wish(qtbot: QtBot) -> None:
    strip = make(qtbot, HeadStrip, 520, 72)
    with qtbot.assertNotEmitted(strip.head_chosen):
        strip.set_choice(2, 4)
    assert strip.accessibleDescription() == "Head 5 of 8 is chosen."


def test_thumbnails_share_one_scale(qtbot: QtBot) -> None:
    attention = np.zeros((1, 2, 5, 5), np.float32)
    attention[0, 0, 0, 1:], attention[0, 1, 0, 1:] = 0.2, 0.05
    strip = make(qtbot, HeadStrip, 300, 90)
    strip.show_prediction(make_prediction(grid=2, attention=attention))
    seen = painted(strip)
    for head, share in ((0, 1.0), (1, 0.25), (-1, 0.625)):
        centre = head_square(strip, head).center().toPoint()
        expected = COLOR_TABLE[round(255 * share), :3].astype(int)
        np.testing.assert_allclose(seen[centre.y() - 5, centre.x() - 5], expected, atol=6)
    assert "20 %" in strip.describe_head(0)


def test_thumbnails_show_the_chosen_block_upright(qtbot: QtBot) -> None:
    attention = np.zeros((2, 1, 5, 5), np.float32)
    attention[1, 0, 0, 2] = 1.0  # the upper right patch
    strip = make(qtbot, HeadStrip, 200, 90)
    strip.show_prediction(make_prediction(grid=2, attention=attention))
    strip.set_choice(1, -1)
    square: QRectF = head_square(strip, 0)
    seen = painted(strip)
    left, right, upper, lower = (
        round(edge + offset)
        for edge, offset in ((square.left(), 6), (square.right(), -6), (square.top(), 6), (square.bottom(), -6))
    )
    assert seen[upper, right].tolist() == COLOR_TABLE[255, :3].tolist()
    for y, x in ((upper, left), (lower, left), (lower, right)):
        assert seen[y, x].tolist() == COLOR_TABLE[0, :3].tolist()


def test_the_chosen_head_is_framed_and_focus_is_seen(qtbot: QtBot) -> None:
    window = make(qtbot, QWidget, 520, 72)
    strip = HeadStrip(window)
    strip.resize(520, 72)
    strip.show_prediction(make_prediction())
    strip.set_choice(0, 4)
    square = head_square(strip, 4)
    edge = painted(strip)[round(square.center().y()), round(square.left()) - 1]
    assert edge.tolist() == color_of(theme_of(strip).accent)
    without_focus = painted(strip)
    with qtbot.waitExposed(window):
        window.show()
    strip.setFocus()
    qtbot.waitUntil(strip.hasFocus)
    assert (painted(strip) != without_focus).any()


def test_a_model_without_attention_says_so(qtbot: QtBot) -> None:
    strip = make(qtbot, HeadStrip, 520, 72)
    strip.set_choice(0, 3)
    strip.show_prediction(CASES["no attention"])
    assert strip.accessibleDescription() == "This model has no attention."
    with qtbot.assertNotEmitted(strip.head_chosen):
        QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
        QTest.keyClick(strip, Qt.Key.Key_Home)


@given(st.integers(60, 2000), st.integers(40, 1000), st.integers(1, 17))
def test_cells_stay_inside_and_apart(width: int, height: int, num_cells: int) -> None:
    _, squares = lay_out_cells(width, height, num_cells)
    assert len(squares) == num_cells
    if squares[0].width() > 1:  # else there is no room at all
        for square in squares:
            assert QRectF(0, 0, width, height).contains(square)
    for index, square in enumerate(squares):
        assert not any(square.intersects(other) for other in squares[:index])


# Preview


def test_preview_shows_every_pixel_and_the_patch_grid(qtbot: QtBot) -> None:
    image = np.zeros((1, 8, 8), np.float32)
    image[0, 1, 6] = 1.0
    image[0, 5, 2] = 0.5
    preview = make(qtbot, InputPreview, 80, 80)
    preview.show_prediction(make_prediction(grid=2, image=image))
    seen = painted(preview)
    assert seen[15, 65].tolist() == [255, 255, 255]
    assert seen[55, 25].tolist() == [128, 128, 128]
    line = seen[40, 5].tolist()  # between the two rows of patches
    assert line != [0, 0, 0]
    np.testing.assert_array_equal(seen[5, 40], line)
    assert seen[39, 5].tolist() == seen[41, 5].tolist() == [0, 0, 0]


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 1.75, 2.0])
def test_preview_is_crisp_at_any_scale(qtbot: QtBot, scale: float) -> None:
    checks = (np.indices((32, 32)).sum(axis=0) % 2).astype(np.float32)[None]
    preview = make(qtbot, InputPreview, 171, 163)
    preview.show_prediction(make_prediction(grid=1, image=checks))
    seen = painted(preview, scale)[..., 0]
    assert set(np.unique(seen)) == {0, 255}  # nothing blurred
    rows, columns = (np.nonzero(seen.any(axis=axis))[0] for axis in (1, 0))
    cell = (rows.max() + 1 - rows.min()) // 32
    assert cell == int(163 * scale) // 32
    shown = seen[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    np.testing.assert_array_equal(shown, np.kron(255 * checks[0], np.ones((cell, cell))))


def test_preview_keeps_colours_and_its_place_on_an_empty_pad(qtbot: QtBot) -> None:
    image = np.zeros((3, 4, 4), np.float32)
    image[0, 0, 0] = image[2, 3, 3] = 1.0
    preview = make(qtbot, InputPreview, 40, 40)
    preview.show_prediction(make_prediction(grid=1, image=image))
    seen = painted(preview)
    assert seen[5, 5].tolist() == [255, 0, 0]
    assert seen[35, 35].tolist() == [0, 0, 255]
    preview.set_grid(2)
    preview.show_prediction(None)
    seen, theme = painted(preview), theme_of(preview)
    is_line = np.zeros((40, 40), bool)
    is_line[20], is_line[:, 20] = True, True
    assert (seen[is_line] == color_of(theme.line)).all()
    assert (seen[~is_line] == color_of(theme.track)).all()


def test_colours_stay_in_range() -> None:
    colors = image_colors(np.array([[[-0.5, 1.5]]], np.float32))
    assert colors.tolist() == [[[0, 0, 0, 255], [255, 255, 255, 255]]]


def test_grid_lines_and_side() -> None:
    assert grid_lines(4, 128) == [32, 64, 96]
    assert grid_lines(1, 128) == []
    assert fit_side(170, 32) == 160
    assert fit_side(100, 224) == 100


@pytest.mark.parametrize("kind", [*VIEWS, ColorBar])
def test_colours_follow_the_theme(qtbot: QtBot, qapp: QApplication, kind: type[View] | type[ColorBar]) -> None:
    view = make(qtbot, kind, 300, 200)
    before = qapp.palette()
    seen = []
    try:
        for ground in ("#ffffff", "#202020"):
            palette = qapp.palette()
            palette.setColor(palette.ColorRole.Window, QColor(ground))
            qapp.setPalette(palette)
            qtbot.waitUntil(lambda: view.palette() == qapp.palette())
            seen.append(painted(view))
    finally:
        qapp.setPalette(before)
    assert (seen[0] == seen[1]).all() == (kind is AttentionOverlay)


def test_names_are_those_other_programs_rely_on(qtbot: QtBot) -> None:
    names = {make(qtbot, kind, 10, 10).objectName() for kind in VIEWS}
    assert names == {"attentionOverlay", "headStrip", "inputPreview", "probabilityBars"}
    assert len(DIGITS) == 10
