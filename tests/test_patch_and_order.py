"""What each patch is worth, and the patches out of order: the numbers, the panels, and the window with them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel
from pytestqt.qtbot import QtBot

from tests.predictions import make_prediction
from tests.test_looking import model, open_window, place_of, window
from tests.test_window import LIMIT_MS, find
from training.edits import Edits
from training.facts import Prediction, WeightPictures
from vit_pad.heat import COLOR_TABLES
from vit_pad.input_preview import InputPreview
from vit_pad.inside.order_panel import OrderPanel, as_it_comes
from vit_pad.inside.patch_panel import PatchPanel, flips, losses
from vit_pad.inside.sheet_view import filter_pictures, lay_out_sheet, similarity_pictures
from vit_pad.main_window import MainWindow

__all__ = ["model", "open_window", "window"]  # fixtures

CTRL = Qt.KeyboardModifier.ControlModifier


def blanked_prediction() -> Prediction:
    """An answer "b" with 0.6, which the first patch costs 0.1 and the last 0.5, to "c", the third 0.4, to "a"."""
    probabilities = np.array([0.3, 0.6, 0.1], np.float32)
    blanked = np.array(
        [[[0.4, 0.5, 0.1], [0.3, 0.6, 0.1]], [[0.7, 0.2, 0.1], [0.2, 0.1, 0.7]]],
        np.float32,
    )
    made = make_prediction(grid=2, class_names=("a", "b", "c"), probabilities=probabilities)
    return dataclasses.replace(made, blanked=blanked)


def test_a_patch_is_worth_what_the_answer_loses_without_it() -> None:
    lost = losses(blanked_prediction())
    assert lost is not None
    np.testing.assert_allclose(lost, [[0.1, 0], [0.4, 0.5]], atol=1e-6)
    assert losses(make_prediction()) is None


def test_patches_that_flip_the_answer_come_by_what_they_cost() -> None:
    assert flips(blanked_prediction()) == [(3, "c"), (2, "a")]
    assert flips(make_prediction()) == []


def test_the_panel_names_what_flips_the_answer(qtbot: QtBot) -> None:
    panel = PatchPanel()
    qtbot.addWidget(panel)
    panel.show_prediction(blanked_prediction())
    words = find(panel, QLabel, "flipsLabel").text()
    assert words.startswith("Blanked alone, 2 flip the answer")
    assert words.index("row 2, column 2 (then c)") < words.index("row 2, column 1 (then a)")
    firm = blanked_prediction()
    firm = dataclasses.replace(firm, blanked=np.broadcast_to(firm.probabilities, (2, 2, 3)))
    panel.show_prediction(firm)
    assert find(panel, QLabel, "flipsLabel").text() == "No single patch, blanked, flips the answer."
    panel.show_prediction(None)
    assert find(panel, QLabel, "flipsLabel").text() == ""


@pytest.mark.parametrize("channels", [1, 3])
def test_the_image_is_shown_as_the_model_gets_it(channels: int) -> None:
    image = np.arange(channels * 16, dtype=np.float32).reshape(channels, 4, 4) + 1
    seen = as_it_comes(image, Edits(blanked_patches=frozenset({1}), patch_order=(3, 1, 0, 2)), 2)
    np.testing.assert_array_equal(seen[:, :2, :2], image[:, 2:, 2:])
    np.testing.assert_array_equal(seen[:, :2, 2:], 0)
    np.testing.assert_array_equal(seen[:, 2:, :2], image[:, :2, :2])
    np.testing.assert_array_equal(seen[:, 2:, 2:], image[:, 2:, :2])
    np.testing.assert_array_equal(as_it_comes(image, Edits(), 2), image)
    of_another = Edits(blanked_patches=frozenset({9}), patch_order=tuple(range(9)))
    np.testing.assert_array_equal(as_it_comes(image, of_another, 2), image)
    np.testing.assert_array_equal(as_it_comes(image, of_another, 0), image)


def test_a_sheet_keeps_a_clear_pixel_between_its_pictures() -> None:
    pictures = np.stack([np.full((2, 3, 4), number, np.uint8) for number in (10, 20, 30)])
    sheet = lay_out_sheet(pictures, 2)
    assert sheet.shape == (5, 7, 4)
    assert (sheet[:2, :3] == 10).all()
    assert (sheet[:2, 4:] == 20).all()
    assert (sheet[3:, :3] == 30).all()
    assert not sheet[2].any()
    assert not sheet[:, 3].any()
    assert not sheet[3:, 4:].any()


def test_pictures_of_weights() -> None:
    filters = np.zeros((2, 3, 2, 2), np.float32)
    filters[0, :, 0, 0] = 0.5
    filters[0, :, 1, 1] = -0.5
    pictures = filter_pictures(filters)
    grey = COLOR_TABLES["grey"]
    assert pictures.shape == (2, 2, 2, 4)
    assert pictures[0, 0, 0].tolist() == grey[255].tolist()
    assert pictures[0, 1, 1].tolist() == grey[0].tolist()
    assert pictures[1, 0, 0].tolist() == pictures[0, 0, 1].tolist() == grey[128].tolist()
    similarity = np.full((4, 4), -0.5, np.float32)
    np.fill_diagonal(similarity, 1)
    maps = similarity_pictures(similarity, 2)
    assert maps.shape == (4, 2, 2, 4)
    assert maps[2, 1, 0].tolist() == COLOR_TABLES["violet"][255].tolist()
    assert maps[2, 0, 0].tolist() == COLOR_TABLES["violet"][0].tolist()


def test_shuffling_names_every_patch_once(qtbot: QtBot) -> None:
    panel = OrderPanel()
    qtbot.addWidget(panel)
    assert not find(panel, QAbstractButton, "shuffleButton").isEnabled()
    panel.show_weights(WeightPictures(), 4)
    with qtbot.waitSignal(panel.order_chosen) as chosen:
        find(panel, QAbstractButton, "shuffleButton").click()
    assert chosen.args is not None
    Edits(patch_order=chosen.args[0])
    assert len(chosen.args[0]) == 16
    assert chosen.args[0] != tuple(range(16))


def test_clicks_blank_patches_while_that_is_chosen(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(window, Qt.Key.Key_5, CTRL)
    qtbot.waitUntil(lambda: window.predictions[0].blanked is not None, timeout=LIMIT_MS)
    find(window, QAbstractButton, "blankingSwitch").click()
    preview = find(window, InputPreview, "inputPreview")
    QTest.mouseClick(preview, Qt.MouseButton.LeftButton, pos=preview.rect().center() + QPoint(3, 3))
    assert window._inside.edits == Edits(blanked_patches=frozenset({10}))
    canvas = window._canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, CTRL, pos=place_of(window, 5))
    assert window._inside.edits == Edits(blanked_patches=frozenset({10, 5}))
    assert not window._inside.query.pinned
    qtbot.waitUntil(lambda: window.predictions[0].unedited is not None, timeout=LIMIT_MS)
    QTest.keyClick(window, Qt.Key.Key_R, CTRL)
    assert window._inside.edits.is_neutral
    find(window, QAbstractButton, "blankingSwitch").click()
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, CTRL, pos=place_of(window, 5))
    assert window._inside.query.token == 6


def test_shuffled_patches_are_read_and_put_in_order_again(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(window, Qt.Key.Key_6, CTRL)
    before = window.predictions[0].probabilities
    find(window, QAbstractButton, "shuffleButton").click()
    qtbot.waitUntil(lambda: window.predictions[0].unedited is not None, timeout=LIMIT_MS)
    answer = window.predictions[0]
    assert answer.unedited is not None
    np.testing.assert_array_equal(answer.unedited.probabilities, before)
    assert not np.array_equal(answer.probabilities, before)
    find(window, QAbstractButton, "inOrderButton").click()
    qtbot.waitUntil(lambda: window.predictions[0].unedited is None, timeout=LIMIT_MS)
    np.testing.assert_array_equal(window.predictions[0].probabilities, before)
