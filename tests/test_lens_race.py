"""The answer being made and the size of the residual stream, offscreen: what is read, painted, chosen and said."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget
from pytestqt.qtbot import QtBot

from tests.predictions import make_prediction
from tests.test_views import GROUND, Pixels, color_of, make, painted
from training.config import DIGITS
from training.facts import FloatArray, Prediction
from vit_pad.inside.lens_race import (
    LensRace,
    Measures,
    PatchAnswers,
    RacePlan,
    answer_colors,
    deciding_layer,
    is_dark,
    lay_out_race,
    layer_label,
    place_word,
    race_of,
)
from vit_pad.inside.residual_chart import ChartPlan, ResidualChart, lay_out_chart, lengths_of, round_top
from vit_pad.theme import DARK, LIGHT, Theme, apply_theme, font, theme_of

WIDTH, HEIGHT = 320, 420
NO_BLOCKS = "This model has no blocks to read from."
NOTHING = "Nothing is drawn yet."
# Four layers, three classes: c leads at first, then b, and b in the end after losing to a once.
LENS = np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1], [0.5, 0.4, 0.1], [0.25, 0.7, 0.05]], np.float32)
ABC = ("a", "b", "c")


def read(
    lens: FloatArray = LENS,
    *,
    class_names: tuple[str, ...] = ABC,
    grid: int = 2,
    patch_lens: FloatArray | None = None,
    norms: FloatArray | None = None,
    revision: int = 1,
) -> Prediction:
    """A prediction whose answer was made like this."""
    depth = len(lens) - 1
    answer = lens[-1] if len(lens) else np.full(len(class_names), 1 / len(class_names), np.float32)
    prediction = make_prediction(
        grid=grid,
        depth=max(depth, 0),
        num_heads=0 if depth < 0 else 2,
        class_names=class_names,
        probabilities=answer.copy(),
        revision=revision,
    )
    return dataclasses.replace(prediction, lens=lens, patch_lens=patch_lens, residual_norms=norms)


def made_up(depth: int, num_classes: int, grid: int) -> Prediction:
    """A prediction of random numbers that has all extras."""
    generator = np.random.default_rng(3)
    names = DIGITS if num_classes == 10 else tuple(f"class {number}" for number in range(num_classes))
    lens = generator.dirichlet(np.ones(num_classes), depth + 1).astype(np.float32)
    patch_lens = generator.dirichlet(np.ones(num_classes), (depth + 1, grid, grid)).astype(np.float32)
    norms = generator.random((depth + 1, grid**2 + 1), np.float32)
    return read(lens, class_names=names, grid=grid, patch_lens=patch_lens, norms=norms, revision=8)


CNN = read(np.zeros((0, 3), np.float32), grid=0)
CASES = {
    "empty pad": None,
    "pad-4": made_up(6, 10, 8),
    "one block": made_up(1, 2, 2),
    "large": made_up(12, 1000, 16),
    "no extras": read(),
    "no blocks": CNN,
}


def make_race(qtbot: QtBot, prediction: Prediction | None = None, *, shows_patches: bool = False) -> LensRace:
    race: LensRace = make(qtbot, LensRace, WIDTH, HEIGHT)
    switch_of(race).setChecked(shows_patches)
    race.show_prediction(prediction)
    return race


def resize(race: LensRace, width: int, height: int) -> None:
    race.resize(width, height)
    painted(race)  # a widget that isn't shown learns its new size with the next paint


def switch_of(race: LensRace) -> QCheckBox:
    switch = race.findChild(QCheckBox, "patchLensSwitch")
    assert isinstance(switch, QCheckBox)
    return switch


def patches_of(race: LensRace) -> PatchAnswers:
    patches = race.findChild(PatchAnswers, "patchLens")
    assert isinstance(patches, PatchAnswers)
    return patches


def part(pixels: Pixels, place: QRectF) -> Pixels:
    """Cut out what lies in a place."""
    rect = place.toAlignedRect()
    return pixels[max(rect.top(), 0) : rect.bottom() + 1, max(rect.left(), 0) : rect.right() + 1]


def has_paint(pixels: Pixels, place: QRectF) -> bool:
    return bool((part(pixels, place) != GROUND).any())


def is_color(pixels: Pixels, color: str) -> np.ndarray:
    found: np.ndarray = (pixels == color_of(color)).all(axis=-1)
    return found


@pytest.fixture(params=[DARK, LIGHT], ids=["dark", "light"])
def theme(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[Theme]:
    """Dress the application, and undress it."""
    before = qapp.font(), qapp.palette(), qapp.styleSheet()
    apply_theme(qapp, request.param.name)
    yield request.param
    qapp.setFont(before[0])
    qapp.setPalette(before[1])
    qapp.setStyleSheet(before[2])


# Which block decides


def lead(*leaders: int) -> FloatArray:
    """A lens of three classes in which these lead, one a layer."""
    return np.array([[0.8 if index == leader else 0.1 for index in range(3)] for leader in leaders], np.float32)


@pytest.mark.parametrize(
    ("leaders", "layer"),
    [
        ((2, 2, 2), 0),
        ((0, 2, 2), 1),
        ((2, 0, 2, 2), 2),  # lost once
        ((2, 2, 2, 0), 3),
        ((1, 2, 0, 2, 2, 2), 3),
        ((1,), 0),
    ],
)
def test_the_block_decides_after_which_the_lead_is_never_lost(leaders: tuple[int, ...], layer: int) -> None:
    assert deciding_layer(lead(*leaders)) == layer


def test_no_block_decides_where_there_is_none() -> None:
    assert deciding_layer(np.zeros((0, 10), np.float32)) is None
    assert race_of(np.zeros((0, 10), np.float32)) is None


@given(arrays(np.float32, st.tuples(st.integers(1, 13), st.integers(1, 12)), elements=st.floats(0, 1, width=32)))
def test_what_decides_leads_to_the_end(lens: FloatArray) -> None:
    layer = deciding_layer(lens)
    assert layer is not None
    leaders = lens.argmax(axis=1)
    assert (leaders[layer:] == leaders[-1]).all()
    assert layer == 0 or leaders[layer - 1] != leaders[-1]


def test_the_race_tells_of_all_classes_and_of_who_leads() -> None:
    race = race_of(LENS)
    assert race is not None
    assert race.classes == [0, 1, 2]
    np.testing.assert_array_equal(np.array(race.shares, np.float32), LENS.T)
    assert race.leaders == [2, 1, 0, 1]
    assert race.best == pytest.approx([0.5, 0.8, 0.5, 0.7])
    assert race.deciding_layer == 3


def test_of_many_classes_the_ten_that_are_likeliest_in_the_end_race_in_their_order() -> None:
    lens = np.zeros((3, 1000), np.float32)
    lens[0, 5] = 1.0
    likeliest = [3, 17, 100, 101, 400, 555, 700, 800, 900, 999]
    lens[2, likeliest] = [0.1, 0.05, 0.2, 0.03, 0.04, 0.06, 0.3, 0.1, 0.02, 0.1]
    race = race_of(lens)
    assert race is not None
    assert race.classes == likeliest
    assert race.leaders == [5, 0, 700]
    assert race.shares[6] == pytest.approx([0.0, 0.0, 0.3])


# Where everything lies


def measures(
    *, name: float = 20, number: float = 50, text: float = 16, small: float = 14, sentence: float = 16
) -> Measures:
    return Measures(name=name, number=number, text=text, small=small, sentence=sentence, switch=20)


@given(
    st.floats(1, 2000),
    st.floats(1, 2000),
    st.integers(1, 10),
    st.integers(0, 13),
    st.booleans(),
)
def test_parts_lie_below_one_another(
    width: float, height: float, num_rows: int, num_columns: int, shows_patches: bool
) -> None:
    plan = lay_out_race(width, height, num_rows, num_columns, measures(), shows_patches=shows_patches)
    assert len(plan.names) == len(plan.numbers) == len(plan.tracks) == num_rows
    assert len(plan.columns) == len(plan.labels) == num_columns
    below = (plan.mark, plan.matrix, plan.corner, *plan.sentences, plan.switch, plan.patches, plan.source)
    for upper, lower in pairwise(below):
        assert upper.bottom() <= lower.top()
    assert plan.patches.height() == 0 or shows_patches
    if plan.matrix.height() > num_rows:  # else there is no room at all
        assert plan.source.bottom() <= height + 1e-6
    has_room = plan.matrix.height() >= 5 * num_rows
    for row, following in pairwise(plan.tracks):
        assert all(one.bottom() < other.top() or not has_room for one, other in zip(row, following, strict=True))
    for one, other in pairwise(plan.columns):
        assert one.right() == other.left()
    for column, label, *tracks in zip(plan.columns, plan.labels, *plan.tracks, strict=True):
        assert (label.left(), label.right(), label.bottom()) == (column.left(), column.right(), column.bottom())
        assert label.top() >= tracks[-1].bottom()
        if column.width() > 8:  # else there is no room at all
            assert all(column.left() + 2 < track.left() for track in tracks)
            assert all(track.right() + 2 < column.right() for track in tracks)
        assert all(column.top() + 2 <= track.top() for track in tracks)
    for name, number, tracks in zip(plan.names, plan.numbers, plan.tracks, strict=True):
        assert all(name.right() < track.left() for track in tracks)
        assert all(name.center().y() == pytest.approx(each.center().y()) or not has_room for each in tracks)
        if width > 200:
            assert all(track.right() < number.left() for track in tracks)
            assert number.right() <= width
        assert name.top() == number.top()


def test_rows_and_columns_grow_no_larger_than_they_need() -> None:
    plan = lay_out_race(2000, 2000, 10, 3, measures(), shows_patches=False)
    assert plan.tracks[1][0].top() - plan.tracks[0][0].top() == 26
    assert plan.columns[0].width() == 64
    assert plan.numbers[0].left() < 300  # beside the last column
    assert plan.switch.top() < 400  # close below


def test_patches_get_what_the_rows_leave() -> None:
    without = lay_out_race(300, 700, 10, 7, measures(), shows_patches=False)
    plan = lay_out_race(300, 700, 10, 7, measures(), shows_patches=True)
    assert plan.patches.top() >= plan.switch.bottom()
    assert plan.patches.height() > 200
    assert plan.source.bottom() == pytest.approx(700)
    assert plan.matrix.height() <= without.matrix.height()
    low = lay_out_race(300, 420, 10, 7, measures(), shows_patches=True)
    assert low.matrix.height() == 160  # rows stay as high as their words


def test_rows_begin_on_whole_pixels() -> None:
    plan = lay_out_race(333.3, 401.7, 10, 7, measures(name=33.3), shows_patches=False)
    for track in (track for row in plan.tracks for track in row):
        assert all(edge == round(edge) for edge in (track.left(), track.top(), track.right(), track.bottom()))


def test_a_word_stands_above_the_middle_of_its_column_or_as_near_as_it_can() -> None:
    line = QRectF(20, 3, 200, 14)
    assert place_word(40, QRectF(100, 20, 20, 50), line) == QRectF(90, 3, 40, 14)
    assert place_word(40, QRectF(20, 20, 20, 50), line).left() == 20
    assert place_word(40, QRectF(200, 20, 20, 50), line).right() == 220
    assert place_word(400, QRectF(100, 20, 20, 50), line).left() == 20


def test_the_first_layer_has_a_word_where_there_is_room(qapp: QApplication) -> None:
    metrics = QFontMetrics(font("small"))
    word_px = metrics.horizontalAdvance("start")
    assert layer_label(0, metrics, word_px) == "start"
    assert layer_label(0, metrics, word_px - 1) == "0"
    assert layer_label(12, metrics, 1000) == "12"


# The race


def plan_of(race: LensRace) -> RacePlan:
    return race._planned()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("scale", [1.0, 1.25, 2.0])
def test_every_prediction_is_shown(qtbot: QtBot, case: str, scale: float) -> None:
    race = make_race(qtbot, read(revision=1), shows_patches=True)
    chart = make(qtbot, ResidualChart, 300, 120)
    views: tuple[LensRace | PatchAnswers | ResidualChart, ...] = (race, patches_of(race), chart)
    chart.show_prediction(read(revision=1))
    for view in views:
        painted(view)
    prediction = CASES[case]
    race.show_prediction(prediction)
    chart.show_prediction(prediction)
    for view in views:
        assert view.shown_revision == 1  # still: nothing new is painted
        painted(view, scale)
        assert view.shown_revision == (None if prediction is None else prediction.revision)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (40, 30), (2000, 20), (20, 2000)])
def test_no_size_is_too_small(qtbot: QtBot, width: int, height: int) -> None:
    for kind in (LensRace, PatchAnswers, ResidualChart):
        view = make(qtbot, kind, width, height)
        view.show_prediction(CASES["pad-4"])
        painted(view)
        assert view.shown_revision == 8
    race = make_race(qtbot, CASES["pad-4"], shows_patches=True)
    resize(race, width, height)


def test_bars_are_as_high_as_the_probabilities_and_the_leader_stands_out(qtbot: QtBot, theme: Theme) -> None:
    race = make_race(qtbot, read())
    race.set_layer(0)
    seen = painted(race)
    leaders = LENS.argmax(axis=1)
    for index, tracks in enumerate(plan_of(race).tracks):
        for layer, track in enumerate(tracks):
            cell = part(seen, track)
            middle = cell[:, cell.shape[1] // 2]
            color, other = (theme.accent, theme.bar) if leaders[layer] == index else (theme.bar, theme.accent)
            height = is_color(middle, color).sum()
            assert height == pytest.approx(LENS[layer, index] * track.height(), abs=1)
            assert is_color(middle[-height:], color).all()  # it stands on the ground
            assert is_color(middle[: -height - 1], theme.track).all()
            assert not is_color(middle, other).any()
            assert (is_color(cell[-1], color)).all()  # as wide as the cell


def test_the_race_rests_on_an_empty_pad(qtbot: QtBot) -> None:
    race = make_race(qtbot, read())
    race.show_prediction(None)
    rest, plan = painted(race), plan_of(race)
    theme = theme_of(race)
    for track in (track for row in plan.tracks for track in row):
        assert is_color(part(rest, track), theme.track).all()
    assert not any(has_paint(rest, place) for place in (*plan.numbers, *plan.sentences, plan.mark))
    assert all(has_paint(rest, place) for place in (*plan.names, *plan.labels, plan.source, plan.corner))
    assert race.accessibleDescription() == NOTHING
    assert race.sentences() == ("", "")
    race.show_prediction(read())
    assert (painted(race) != rest).any()
    race.show_prediction(None)
    np.testing.assert_array_equal(painted(race), rest)
    assert race.accessibleDescription() == NOTHING


def test_before_any_answer_there_are_ten_digits_and_six_blocks(qtbot: QtBot) -> None:
    plan = plan_of(make_race(qtbot))
    assert (len(plan.names), len(plan.columns)) == (10, 7)


def test_nothing_moves_while_answers_come_and_go(qtbot: QtBot) -> None:
    race = make_race(qtbot, made_up(6, 10, 8))
    plan = plan_of(race)
    sure = np.zeros((7, 10), np.float32)
    sure[:, 4] = 1.0
    for prediction in (read(sure, class_names=DIGITS, revision=2), None):
        race.show_prediction(prediction)
        assert plan_of(race) == plan
    columns = []
    for share in (1.0, 0.2):  # 100.0 % has one digit more
        lens = np.full((7, 10), (1 - share) / 9, np.float32)
        lens[:, 4] = share
        race.show_prediction(read(lens, class_names=DIGITS))
        number = part(painted(race), plan.numbers[4])
        columns.append(np.nonzero(number.any(axis=(0, 2)))[0].max())
    assert columns[0] == columns[1]


def test_names_and_numbers_are_those_of_the_chosen_layer(qtbot: QtBot, theme: Theme) -> None:
    race = make_race(qtbot, read())
    for layer, leader in enumerate(LENS.argmax(axis=1)):
        race.set_layer(layer)
        seen, plan = painted(race), plan_of(race)
        for index in range(3):
            for place in (plan.names[index], plan.numbers[index]):
                assert is_color(part(seen, place), theme.accent).any() == (index == leader)
                assert has_paint(seen, place)
    race.set_layer(1)
    first = part(painted(race), plan_of(race).numbers[0])  # 10.0 %
    race.set_layer(2)
    assert (part(painted(race), plan_of(race).numbers[0]) != first).any()


def test_the_chosen_column_is_framed_and_focus_is_seen(qtbot: QtBot, theme: Theme) -> None:
    window = make(qtbot, QWidget, WIDTH, HEIGHT)
    race = LensRace(window)
    race.resize(WIDTH, HEIGHT)
    race.show_prediction(read())
    for layer in (0, 2):
        race.set_layer(layer)
        seen = painted(race)
        for each, column in enumerate(plan_of(race).columns):
            edge = part(seen, QRectF(column.left(), column.center().y(), 2, 1))
            assert is_color(edge, theme.accent).all() == (each == layer)
    label = plan_of(race).labels[2].adjusted(3, 2, -3, -3)
    assert not is_color(part(painted(race), label)[:, 0], theme.accent).any()
    with qtbot.waitExposed(window):
        window.show()
    race.setFocus()
    qtbot.waitUntil(race.hasFocus)
    filled = part(painted(race), label)
    assert is_color(filled[:, 0], theme.accent).all()
    ground, words = (np.array(color_of(color)) for color in (theme.accent, theme.on_accent))
    assert (
        np.abs(filled - words).sum(axis=-1) < np.abs(ground - words).sum() / 2
    ).any()  # of small text nothing is full


def test_the_column_that_decides_is_marked(qtbot: QtBot) -> None:
    race = make_race(qtbot)
    word_px = QFontMetrics(font("small")).horizontalAdvance("decides")
    for leaders in ((2, 0, 0, 0, 1, 1, 1), (2, 1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 1, 1, 1)):
        lens = lead(*leaders)
        race.show_prediction(read(lens))
        plan, layer = plan_of(race), deciding_layer(lens)
        assert layer is not None
        seen = painted(race)
        assert has_paint(seen, place_word(word_px, plan.columns[layer], plan.mark))
        tick = seen[round(plan.mark.bottom())]  # below the word
        assert np.nonzero(tick.any(axis=-1))[0].mean() == pytest.approx(plan.columns[layer].center().x(), abs=1)


def test_what_is_seen_is_said_in_words(qtbot: QtBot) -> None:
    race = make_race(qtbot, read())
    assert race.sentences() == ("Block 3 decides: from there on b leads.", "After block 3 it says b, with 70.0 %.")
    assert all(has_paint(painted(race), place) for place in plan_of(race).sentences)
    race.set_layer(2)
    assert race.sentences() == ("Block 3 decides: from there on b leads.", "After block 2 it says a, with 50.0 %.")
    race.set_layer(0)
    assert race.sentences()[1] == "Before block 1 it says c, with 50.0 %."
    assert race.accessibleDescription() == (
        "Block 3 decides: from there on b leads. Before block 1: c with 50.0 %, b with 30.0 %, a with 20.0 %."
    )
    race.show_prediction(read(lead(1, 1, 1, 1)))
    assert race.sentences()[0] == "b leads from the start."
    expected = "b leads from the start. Before block 1: b with 80.0 %, a with 10.0 %, c with 10.0 %."
    qtbot.waitUntil(lambda: race.accessibleDescription() == expected)


def test_only_the_three_likeliest_are_told(qtbot: QtBot) -> None:
    lens = np.tile(np.array([0.1, 0.4, 0.05, 0.25, 0.2], np.float32), (2, 1))
    race = make_race(qtbot, read(lens, class_names=("a", "b", "c", "d", "e")))
    expected = "b leads from the start. After block 1: b with 40.0 %, d with 25.0 %, e with 20.0 %."
    qtbot.waitUntil(lambda: race.accessibleDescription() == expected)


def test_a_long_name_leaves_room_for_the_bars_and_is_shortened_in_words(qtbot: QtBot) -> None:
    names = ("cat", "a dog of a breed whose name is too long for any bar chart")
    race = make_race(qtbot, read(np.array([[0.7, 0.3], [0.1, 0.9]], np.float32), class_names=names))
    assert plan_of(race).names[0].width() == 96
    assert plan_of(race).columns[0].width() > 40
    words = race.sentences()[0]
    assert words.startswith("Block 1 decides: from there on a dog")
    assert names[1] not in words
    race._describe()
    assert names[1] in race.accessibleDescription()
    resize(race, 1000, HEIGHT)
    assert plan_of(race).names[0].width() == pytest.approx(300)


def test_a_model_without_blocks_says_so(qtbot: QtBot) -> None:
    race = make_race(qtbot, read())
    before = plan_of(race)
    race.show_prediction(CNN)
    plan, seen = plan_of(race), painted(race)
    assert has_paint(seen, plan.matrix)
    assert not any(has_paint(seen, place) for place in (plan.corner, plan.mark, *plan.sentences))
    assert (plan.matrix, plan.sentences, plan.switch, plan.source) == (
        before.matrix,
        before.sentences,
        before.switch,
        before.source,
    )
    assert race.accessibleDescription() == NO_BLOCKS
    assert not switch_of(race).isEnabled()
    with qtbot.assertNotEmitted(race.layer_chosen):
        QTest.mouseClick(race, Qt.MouseButton.LeftButton, pos=before.columns[0].center().toPoint())
        for key in (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Left):
            QTest.keyClick(race, key)
    race.show_prediction(None)
    assert race.accessibleDescription() == NO_BLOCKS  # the model is still the same
    race.show_prediction(read())
    assert switch_of(race).isEnabled()


# Choosing a layer


def test_arrow_keys_choose_and_stop_at_the_ends(qtbot: QtBot) -> None:
    race = make_race(qtbot, read())
    chosen: list[int] = []
    race.layer_chosen.connect(chosen.append)
    keys = Qt.Key
    for key in (keys.Key_Right, keys.Key_Left, keys.Key_Left, keys.Key_Right, keys.Key_Home, keys.Key_Left):
        QTest.keyClick(race, key)
    QTest.keyClick(race, keys.Key_End)
    assert chosen == [2, 1, 2, 0, 3]
    assert race.focusPolicy() == Qt.FocusPolicy.StrongFocus
    assert race.sentences()[1].startswith("After block 3")


def test_other_keys_are_left_to_others(qtbot: QtBot) -> None:
    class Window(QWidget):
        keys: tuple[int, ...] = ()

        def keyPressEvent(self, event: object) -> None:
            self.keys += (event.key(),)  # type: ignore[attr-defined]

    window = make(qtbot, Window, WIDTH, HEIGHT)
    race = LensRace(window)
    patches = PatchAnswers(window)
    for view in (race, patches):
        QTest.keyClick(view, Qt.Key.Key_A)
        QTest.keyClick(view, Qt.Key.Key_Left)
    assert window.keys == (Qt.Key.Key_A, Qt.Key.Key_A)


def test_a_click_chooses_the_column_under_it(qtbot: QtBot) -> None:
    race = make_race(qtbot, read())
    plan = plan_of(race)
    chosen: list[int] = []
    race.layer_chosen.connect(chosen.append)
    for layer in (0, 2, 2, 1):
        QTest.mouseClick(race, Qt.MouseButton.LeftButton, pos=plan.columns[layer].center().toPoint())
    QTest.mouseClick(race, Qt.MouseButton.LeftButton, pos=plan.labels[3].center().toPoint())
    assert chosen == [0, 2, 1, 3]
    QTest.mouseClick(race, Qt.MouseButton.RightButton, pos=plan.columns[0].center().toPoint())
    for place in (plan.names[0], plan.numbers[0], plan.source):
        QTest.mouseClick(race, Qt.MouseButton.LeftButton, pos=place.center().toPoint())
    assert chosen == [0, 2, 1, 3]
    assert race.layer_at(QPointF(plan.names[0].center())) is None


def test_setting_a_layer_is_no_wish(qtbot: QtBot) -> None:
    race = make_race(qtbot, read())
    with qtbot.assertNotEmitted(race.layer_chosen):
        race.set_layer(1)
        assert race.sentences()[1].startswith("After block 1")
        race.set_layer(99)
        assert race.sentences()[1].startswith("After block 3")
        race.set_layer(-3)
        assert race.sentences()[1].startswith("Before")


def test_the_layer_is_kept_and_the_end_stays_the_end(qtbot: QtBot) -> None:
    race = make_race(qtbot, made_up(6, 10, 8))
    assert race.sentences()[1].startswith("After block 6 ")
    race.show_prediction(made_up(12, 10, 8))
    assert race.sentences()[1].startswith("After block 12 ")
    race.set_layer(4)
    race.show_prediction(made_up(6, 10, 8))
    assert race.sentences()[1].startswith("After block 4 ")
    race.show_prediction(CNN)
    race.show_prediction(made_up(6, 10, 8))
    assert race.sentences()[1].startswith("After block 4 ")
    race.show_prediction(made_up(1, 10, 8))
    assert race.sentences()[1].startswith("After block 1 ")


def test_another_model_sets_rows_and_columns(qtbot: QtBot) -> None:
    race = make_race(qtbot, read(revision=4))
    height = race.sizeHint().height()
    race.set_shape(12, DIGITS)
    assert (len(plan_of(race).columns), len(plan_of(race).names)) == (13, 10)
    assert race.sizeHint().height() > height
    painted(race)
    assert race.shown_revision is None  # the old answer has other classes
    assert race.accessibleDescription() == NOTHING
    race.show_prediction(read(revision=4))
    race.set_shape(3, ABC)  # as it is
    painted(race)
    assert race.shown_revision == 4


def test_the_tool_tip_tells_of_the_column_under_the_mouse(qtbot: QtBot) -> None:
    race = make_race(qtbot, read())
    with qtbot.waitExposed(race):
        race.show()
    plan = plan_of(race)
    for layer, words in (
        (1, "After block 1: b with 80.0 %, a with 10.0 %, c with 10.0 %"),
        (0, "Before block 1: c with 50.0 %, b with 30.0 %, a with 20.0 %"),
    ):
        for shift in (QPoint(1, 1), QPoint()):  # where the mouse is already, it doesn't move
            QTest.mouseMove(race.windowHandle(), plan.columns[layer].center().toPoint() + shift)
        qtbot.waitUntil(lambda words=words: race.toolTip() == words)  # type: ignore[misc]
        assert race.cursor().shape() == Qt.CursorShape.PointingHandCursor
    QTest.mouseMove(race.windowHandle(), plan.source.center().toPoint())
    qtbot.waitUntil(lambda: race.toolTip() == "")
    assert race.cursor().shape() == Qt.CursorShape.ArrowCursor


def test_everything_fits_at_the_least_size(qtbot: QtBot) -> None:
    for case in ("pad-4", "large", "one block"):
        for shows_patches in (False, True):
            race = make_race(qtbot, CASES[case], shows_patches=shows_patches)
            resize(race, *race.minimumSizeHint().toTuple())
            plan, metrics = plan_of(race), QFontMetrics(font("text", bold=True))
            assert plan.source.bottom() <= race.height()
            assert all(name.height() >= metrics.height() for name in plan.names)
            labels = {layer_label(each, QFontMetrics(font("small")), 0) for each in range(len(plan.labels))}
            widest = max(QFontMetrics(font("small")).horizontalAdvance(label) for label in labels)
            assert all(label.width() >= widest for label in plan.labels)
            assert plan.numbers[0].right() <= race.width()
            hint = race.sizeHint()
            assert hint.width() >= race.width()
            assert hint.height() >= race.height()
            if shows_patches:
                assert patches_of(race)._box().height >= 128


def test_sentences_get_the_lines_they_need(qtbot: QtBot) -> None:
    race = make_race(qtbot, read())
    line = QFontMetrics(font("text")).height()
    resize(race, 1000, HEIGHT)
    assert plan_of(race).sentences[0].height() == line
    resize(race, 200, HEIGHT)
    assert plan_of(race).sentences[0].height() >= 2 * line
    words = race.sentences()[0]
    page = plan_of(race).sentences[0].toRect()
    flags = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
    assert page.height() >= QFontMetrics(font("text")).boundingRect(page, flags, words).height()


def test_larger_text_gets_more_room(qtbot: QtBot, qapp: QApplication, theme: Theme) -> None:
    race = make_race(qtbot, read(), shows_patches=True)
    with qtbot.waitExposed(race):
        race.show()
    least, label = race.minimumSizeHint(), plan_of(race).labels[0].height()
    apply_theme(qapp, theme.name, 200)
    qtbot.waitUntil(lambda: plan_of(race).labels[0].height() > 1.5 * label)
    assert race.minimumSizeHint().height() > 1.3 * least.height()
    assert race.minimumSizeHint().width() > least.width()
    assert switch_of(race).height() >= switch_of(race).sizeHint().height()


def test_colours_follow_the_theme(qtbot: QtBot, qapp: QApplication) -> None:
    race = make_race(qtbot, CASES["pad-4"], shows_patches=True)
    chart = make(qtbot, ResidualChart, 300, 120)
    chart.show_prediction(CASES["pad-4"])
    before = qapp.font(), qapp.palette(), qapp.styleSheet()
    seen: list[list[Pixels]] = []
    views = (race, patches_of(race), chart)
    try:
        for theme in (LIGHT, DARK):
            apply_theme(qapp, theme.name)
            qtbot.waitUntil(lambda theme=theme: all(theme_of(view) is theme for view in views))  # type: ignore[misc]
            seen.append([painted(view) for view in views])
    finally:
        qapp.setFont(before[0])
        qapp.setPalette(before[1])
        qapp.setStyleSheet(before[2])
    assert all((light != dark).any() for light, dark in zip(*seen, strict=True))


def test_names_are_those_other_programs_rely_on(qtbot: QtBot) -> None:
    race, chart = make_race(qtbot), make(qtbot, ResidualChart, 100, 100)
    assert (race.objectName(), race.accessibleName()) == ("lensRace", "The answer being made")
    assert (chart.objectName(), chart.accessibleName()) == ("residualChart", "Size of the residual stream")
    assert switch_of(race).text() == switch_of(race).accessibleName() == "Per patch"
    assert patches_of(race).accessibleName()


# Patch by patch

SAYS = np.zeros((4, 2, 2, 3), np.float32)  # in the last layer: a, b, b, c
SAYS[...] = 0.1
SAYS[3, 0, 0], SAYS[3, 0, 1] = (1.0, 0.0, 0.0), (0.2, 0.6, 0.2)
SAYS[3, 1, 0], SAYS[3, 1, 1] = (0.2, 0.5, 0.3), (0.3, 0.3, 0.4)
SAYS[0, ..., 2] = 0.8


def test_the_switch_shows_the_patches_and_wishes_for_them(qtbot: QtBot) -> None:
    race = make_race(qtbot, read())
    with qtbot.waitExposed(race):
        race.show()
    patches, switch = patches_of(race), switch_of(race)
    assert not patches.isVisible()
    assert not switch.isChecked()
    least = race.minimumSizeHint().height()
    with qtbot.waitSignal(race.patches_wished) as wished:
        QTest.mouseClick(switch, Qt.MouseButton.LeftButton, pos=QPoint(6, switch.height() // 2))
    assert wished.args == [True]
    assert patches.isVisible()
    assert patches.geometry() == plan_of(race).patches.toAlignedRect()
    assert patches.height() > 50
    assert race.minimumSizeHint().height() >= least + 160
    assert switch.geometry() == plan_of(race).switch.toAlignedRect()
    with qtbot.waitSignal(race.patches_wished) as wished:
        QTest.keyClick(switch, Qt.Key.Key_Space)
    assert wished.args == [False]
    assert not patches.isVisible()
    assert race.minimumSizeHint().height() == least


def make_patches(qtbot: QtBot, prediction: Prediction | None, layer: int = 3, side: int = 200) -> PatchAnswers:
    patches: PatchAnswers = make(qtbot, PatchAnswers, side, side + 4 + QFontMetrics(font("text")).height())
    patches.set_layer(layer)
    patches.show_prediction(prediction)
    return patches


def corners(seen: Pixels, grid: int, side: int = 200) -> Pixels:
    """Give a pixel beside the upper left corner of each patch, away from lines and names."""
    places = [round(index * side / grid) + 3 for index in range(grid)]
    return seen[np.ix_(places, places)]


def test_a_patch_is_the_more_coloured_the_surer_it_is(qtbot: QtBot, theme: Theme) -> None:
    patches = make_patches(qtbot, read(patch_lens=SAYS))
    shares = np.array([[1.0, 0.6], [0.5, 0.4]], np.float32)
    expected = answer_colors(shares, QColor(theme.accent), QColor(theme.track))
    np.testing.assert_array_equal(corners(painted(patches), 2), expected[..., :3])
    assert expected[0, 0, :3].tolist() == color_of(theme.accent)
    accent, track = np.array(color_of(theme.accent)), np.array(color_of(theme.track))
    np.testing.assert_allclose(expected[1, 0, :3], (accent + track) / 2, atol=0.5)
    assert (expected[..., 3] == 255).all()
    patches.set_layer(0)
    expected = answer_colors(np.full((2, 2), 0.8, np.float32), QColor(theme.accent), QColor(theme.track))
    np.testing.assert_array_equal(corners(painted(patches), 2), expected[..., :3])


@pytest.mark.parametrize("prediction", [None, read(), CNN], ids=["empty pad", "not asked for", "no blocks"])
def test_the_grid_is_blank_while_nobody_knows(qtbot: QtBot, theme: Theme, prediction: Prediction | None) -> None:
    patches = make_patches(qtbot, read(patch_lens=SAYS))
    patches.show_prediction(prediction)
    seen = painted(patches)
    grid = max(prediction.grid, 1) if prediction is not None else 2
    assert is_color(corners(seen, grid), theme.track).all()
    assert not seen[205:].any()  # nothing to say
    assert patches.accessibleDescription() == "Nothing is known of the patches yet." or prediction is not None
    qtbot.waitUntil(lambda: patches.accessibleDescription() == "Nothing is known of the patches yet.")


def test_lines_part_the_patches_and_all_are_equally_large(qtbot: QtBot, theme: Theme) -> None:
    for grid, side in ((2, 200), (8, 200), (16, 192)):
        patches = make_patches(qtbot, made_up(6, 10, grid), 6)
        assert patches._box().width == side
        row = painted(patches)[2, :side]
        is_line = is_color(row, theme.window)
        assert np.nonzero(is_line)[0].tolist() == [side // grid * index for index in range(1, grid)]


def test_names_are_written_where_there_is_room(qtbot: QtBot) -> None:
    names = ("a", "a name as long as can be", "c")
    patches = make_patches(qtbot, read(patch_lens=SAYS, class_names=names), side=120)
    seen = painted(patches)
    cells = [seen[y + 3 : y + 57, x + 3 : x + 57] for y in (0, 60) for x in (0, 60)]
    assert [len(np.unique(cell.reshape(-1, 3), axis=0)) > 1 for cell in cells] == [True, False, False, True]
    patches = make_patches(qtbot, read(patch_lens=SAYS), side=20)
    cell = painted(patches)[2:9, 2:9]
    assert (cell == cell[0, 0]).all()  # too low for any name


@pytest.mark.parametrize("theme_colors", [DARK, LIGHT], ids=["dark", "light"])
def test_names_can_be_read_on_every_colour(theme_colors: Theme) -> None:
    shares = np.linspace(0, 1, 201, dtype=np.float32)[None]
    colors = answer_colors(shares, QColor(theme_colors.accent), QColor(theme_colors.track))
    for color, dark in zip(colors[0], is_dark(colors)[0], strict=True):
        light, low = sorted((_luminance(color[:3]), 1.0 if dark else 0.0), reverse=True)
        assert (light + 0.05) / (low + 0.05) >= 4.5


def _luminance(color: np.ndarray) -> float:
    shares = [value / 255 for value in color.tolist()]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in shares]
    red, green, blue = linear
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)


def test_names_are_black_on_light_and_white_on_dark(qtbot: QtBot, theme: Theme) -> None:
    patches = make_patches(qtbot, read(patch_lens=SAYS))
    seen = painted(patches)
    colors = answer_colors(np.array([[1.0, 0.6], [0.5, 0.4]], np.float32), QColor(theme.accent), QColor(theme.track))
    for (row, column), dark in np.ndenumerate(is_dark(colors)):
        cell = seen[100 * row + 10 : 100 * row + 90, 100 * column + 10 : 100 * column + 90].astype(int).sum(axis=-1)
        ground = int(colors[row, column, :3].astype(int).sum())
        assert (cell.max() > ground + 60) == dark
        assert (cell.min() < ground - 60) == (not dark)


def test_patches_are_counted_and_each_is_told_of_under_the_mouse(qtbot: QtBot) -> None:
    patches = make_patches(qtbot, read(patch_lens=SAYS))
    qtbot.waitUntil(lambda: patches.accessibleDescription() == "2 of 4 patches say b.")
    with qtbot.waitExposed(patches):
        patches.show()
    patches.clearFocus()
    resting = painted(patches)
    assert resting[205:].any()
    for place in (QPoint(150, 51), QPoint(150, 50)):  # where the mouse is already, it doesn't move
        QTest.mouseMove(patches.windowHandle(), place)
    words = "Row 1, column 2: b with 60.0 %"
    qtbot.waitUntil(lambda: patches.toolTip() == words)
    assert patches.accessibleDescription() == words
    pointed = painted(patches)
    assert is_color(pointed[1, 110:190], theme_of(patches).text).all()  # its frame
    assert (pointed[205:] != resting[205:]).any()
    QTest.mouseMove(patches.windowHandle(), QPoint(150, 203))
    qtbot.waitUntil(lambda: patches.toolTip() == "")
    np.testing.assert_array_equal(painted(patches), resting)


def test_the_pointer_that_leaves_tells_of_no_patch(qtbot: QtBot) -> None:
    patches = make_patches(qtbot, read(patch_lens=SAYS))
    for leave in (lambda: QApplication.sendEvent(patches, QEvent(QEvent.Type.Leave)), patches.clearFocus):
        with qtbot.waitExposed(patches):
            patches.show()
        patches.setFocus()
        qtbot.waitUntil(patches.hasFocus)
        QTest.keyClick(patches, Qt.Key.Key_Down)
        assert patches.accessibleDescription().startswith("Row")
        leave()
        assert patches.accessibleDescription() == "2 of 4 patches say b."


def test_arrow_keys_go_from_patch_to_patch(qtbot: QtBot) -> None:
    patches = make_patches(qtbot, made_up(6, 10, 8), 6)
    assert patches.focusPolicy() == Qt.FocusPolicy.StrongFocus
    keys = Qt.Key
    said = []
    for key in (keys.Key_Up, keys.Key_Up, keys.Key_Left, keys.Key_Down, keys.Key_Right, *[keys.Key_Right] * 5):
        QTest.keyClick(patches, key)
        said.append(patches.accessibleDescription().split(":")[0])
    assert said[:5] == [
        "Row 5, column 5",
        "Row 4, column 5",
        "Row 4, column 4",
        "Row 5, column 4",
        "Row 5, column 5",
    ]
    assert said[-1] == "Row 5, column 8"
    patches.set_layer(3)
    patches.show_prediction(read(patch_lens=SAYS))  # has no such patch
    painted(patches)
    qtbot.waitUntil(lambda: patches.accessibleDescription() == "2 of 4 patches say b.")


def test_a_grid_that_has_the_keys_is_framed(qtbot: QtBot) -> None:
    patches = make_patches(qtbot, read(patch_lens=SAYS))
    with qtbot.waitExposed(patches):
        patches.show()
    patches.setFocus()
    qtbot.waitUntil(patches.hasFocus)
    assert is_color(painted(patches)[1:199, 0], theme_of(patches).accent).all()
    patches.clearFocus()
    assert not is_color(painted(patches)[150:199, 0], theme_of(patches).accent).any()


def test_patches_are_of_the_layer_that_is_chosen(qtbot: QtBot) -> None:
    race = make_race(qtbot, read(patch_lens=SAYS), shows_patches=True)
    patches = patches_of(race)
    qtbot.waitUntil(lambda: patches.accessibleDescription() == "2 of 4 patches say b.")
    QTest.keyClick(race, Qt.Key.Key_Home)  # all say c
    qtbot.waitUntil(lambda: patches.accessibleDescription() == "0 of 4 patches say b.")


# The residual stream

NORMS = np.array([[2, 1, 1, 1, 1, 90], [6, 2, 4, 4, 2, 90], [10, 7, 9, 8, 8, 90], [8, 0, 4, 4, 8, 90]], np.float32)
LENGTHS = [[2, 1], [6, 3], [10, 8], [8, 4]]


def test_lengths_leave_out_what_is_no_patch() -> None:
    np.testing.assert_allclose(lengths_of(NORMS, 2), LENGTHS)
    np.testing.assert_allclose(lengths_of(NORMS[:, :5], 2), LENGTHS)


@pytest.mark.parametrize(
    ("maximum", "previous", "top"),
    [
        (10.0, None, 10.0),
        (10.1, None, 15.0),
        (68.15, None, 70.0),
        (105.4, None, 150.0),
        (0.0042, None, 0.005),
        (1.2e7, None, 1.5e7),
        (70.1, 70.0, 100.0),
        (69.0, 100.0, 100.0),  # kept
        (21.0, 100.0, 100.0),  # kept still
        (19.0, 100.0, 20.0),
        (0.0, 30.0, 30.0),
        (0.0, None, 1.0),
        (float("nan"), 30.0, 30.0),
        (float("inf"), 30.0, 30.0),
    ],
)
def test_the_top_is_round_and_kept_while_it_fits(maximum: float, previous: float | None, top: float) -> None:
    assert round_top(maximum, previous) == pytest.approx(top)


@given(st.floats(1e-6, 1e9), st.none() | st.floats(1e-6, 1e9))
def test_the_highest_bar_always_fits_and_is_never_lost(maximum: float, previous: float | None) -> None:
    top = round_top(maximum, previous)
    assert maximum <= top * (1 + 1e-5)
    assert maximum >= 0.19 * top
    assert round_top(maximum, top) == top or maximum > top  # no second answer


@given(st.floats(1, 2000), st.floats(1, 1000), st.integers(1, 13))
def test_the_parts_of_the_chart_lie_apart(width: float, height: float, num_layers: int) -> None:
    plan = lay_out_chart(width, height, num_layers, (60, 50), 40, 14)
    assert len(plan.tracks) == len(plan.labels) == num_layers
    for (first, second), label in zip(plan.tracks, plan.labels, strict=True):
        assert first.right() < second.left()
        assert first.size() == second.size()
        assert first.bottom() < label.top()
        if label.width() > 6:  # else there is no room at all
            assert label.left() <= first.left()
            assert second.right() <= label.right()
            assert first.left() + second.right() == pytest.approx(label.left() + label.right(), abs=3)
        assert first.top() > plan.legend[0].bottom()
        assert plan.top.right() < first.left()
    for one, other in pairwise(plan.tracks):
        if plan.labels[0].width() > 6:
            assert one[1].right() < other[0].left()
    assert plan.title.bottom() <= plan.swatches[0].top()
    assert plan.swatches[0].right() < plan.legend[0].left()
    assert plan.legend[0].right() < plan.swatches[1].left()
    assert plan.swatches[1].right() < plan.legend[1].left()
    assert plan.legend[1].width() == 50
    if height > 60:
        assert plan.labels[0].bottom() <= height + 1e-6
    if width > 200:
        assert plan.labels[-1].right() <= width + 1
    assert plan.top.top() == plan.tracks[0][0].top()
    assert plan.zero.bottom() == pytest.approx(plan.tracks[0][0].bottom())


def chart_plan(chart: ResidualChart) -> ChartPlan:
    return chart._planned()


def heights(chart: ResidualChart, theme: Theme) -> list[list[float]]:
    """Give how high the bars are, as shares of their tracks."""
    seen = painted(chart)
    found = []
    for pair in chart_plan(chart).tracks:
        bars = [part(seen, track)[:, 2] for track in pair]
        colors = (theme.accent, theme.bar)
        found.append([is_color(bar, color).sum() / len(bar) for bar, color in zip(bars, colors, strict=True)])
        for bar, color in zip(bars, colors, strict=True):
            assert (is_color(bar, color) | is_color(bar, theme.track)).sum() >= len(bar) - 1
            assert is_color(bar[-1:], color).all()  # it stands on the ground
    return found


def test_bars_are_as_high_as_vectors_are_long(qtbot: QtBot, theme: Theme) -> None:
    chart = make(qtbot, ResidualChart, 300, 250)
    chart.show_prediction(read(norms=NORMS))
    np.testing.assert_allclose(heights(chart, theme), np.array(LENGTHS) / 10, atol=0.02)
    seen, plan = painted(chart), chart_plan(chart)
    for swatch, color in zip(plan.swatches, (theme.accent, theme.bar), strict=True):
        assert is_color(part(seen, swatch.adjusted(1, 1, -1, -1)), color).all()
    assert all(has_paint(seen, place) for place in (plan.title, *plan.legend, plan.top, plan.zero, *plan.labels))
    assert chart.accessibleDescription() == NOTHING
    words = "From the start to the last block: class token 2, 6, 10, 8; patches 1, 3, 8, 4."
    qtbot.waitUntil(lambda: chart.accessibleDescription() == words)


def test_the_scale_is_kept_as_long_as_it_fits(qtbot: QtBot, theme: Theme) -> None:
    chart = make(qtbot, ResidualChart, 300, 250)
    chart.show_prediction(read(norms=NORMS))
    number = part(painted(chart), chart_plan(chart).top)
    chart.show_prediction(read(norms=np.float32(0.5) * NORMS))
    np.testing.assert_allclose(heights(chart, theme), np.array(LENGTHS) / 20, atol=0.02)
    np.testing.assert_array_equal(part(painted(chart), chart_plan(chart).top), number)
    chart.show_prediction(read(norms=np.float32(2) * NORMS))
    np.testing.assert_allclose(heights(chart, theme), np.array(LENGTHS) / 10, atol=0.02)
    assert (part(painted(chart), chart_plan(chart).top) != number).any()


@pytest.mark.parametrize(
    ("prediction", "words"),
    [(None, NOTHING), (read(), "Not measured yet."), (CNN, NO_BLOCKS)],
    ids=["empty pad", "not asked for", "no blocks"],
)
def test_the_chart_rests_without_lengths(qtbot: QtBot, theme: Theme, prediction: Prediction | None, words: str) -> None:
    chart = make(qtbot, ResidualChart, 300, 150)
    chart.show_prediction(read(norms=NORMS))
    plan = chart_plan(chart)
    chart.show_prediction(prediction)
    assert chart_plan(chart) == plan  # nothing moves
    seen = painted(chart)
    for track in (track for pair in plan.tracks for track in pair):
        assert is_color(part(seen, track), theme.track).all()
    assert not has_paint(seen, plan.top)
    assert not has_paint(seen, plan.zero)
    assert all(has_paint(seen, place) for place in (plan.title, *plan.legend, *plan.labels))
    qtbot.waitUntil(lambda: chart.accessibleDescription() == words)


def test_the_chart_has_as_many_layers_as_the_model(qtbot: QtBot) -> None:
    chart = make(qtbot, ResidualChart, 300, 150)
    assert len(chart_plan(chart).tracks) == 7
    for case, count in (("large", 13), ("one block", 2), ("no blocks", 2)):
        chart.show_prediction(CASES[case])
        assert len(chart_plan(chart).tracks) == count


def test_the_chart_fits_at_its_least_size(qtbot: QtBot, qapp: QApplication, theme: Theme) -> None:
    chart = make(qtbot, ResidualChart, 300, 150)
    chart.resize(chart.minimumSizeHint())
    plan = chart_plan(chart)
    assert plan.labels[0].bottom() <= chart.height()
    assert plan.tracks[0][0].height() >= 40
    assert plan.legend[1].right() <= chart.width()
    assert chart.sizeHint().height() > chart.height()
    line = plan.labels[0].height()
    with qtbot.waitExposed(chart):
        chart.show()
    apply_theme(qapp, theme.name, 200)
    qtbot.waitUntil(lambda: chart_plan(chart).labels[0].height() > 1.5 * line)
    chart.resize(chart.minimumSizeHint())
    assert chart_plan(chart).labels[0].bottom() <= chart.height()
    assert chart_plan(chart).legend[1].right() <= chart.width()
