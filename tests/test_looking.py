"""Asking patches in the window: with the eye tool, with Ctrl, in the small image, by keys."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QComboBox, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.test_window import LIMIT_MS, Open, draw_lines, draw_seven, find, model, num_strokes, open_window
from vit_pad.attention_overlay import AttentionOverlay
from vit_pad.heat import image_box, patch_box
from vit_pad.input_preview import InputPreview
from vit_pad.inside.map_tile import MapTile
from vit_pad.main_window import MainWindow

__all__ = ["model", "open_window"]  # fixtures


def open_with_seven(open_window: Open, qtbot: QtBot) -> MainWindow:
    window = open_window()
    draw_seven(window)
    qtbot.waitUntil(lambda: is_read(window), timeout=LIMIT_MS)
    return window


def is_read(window: MainWindow) -> bool:
    return bool(window.predictions) and window.predictions[0].revision == window.document.revision


def place_of(window: MainWindow, patch: int) -> QPoint:
    """Give the middle of a patch on the canvas, in its pixels."""
    answer = window.predictions[0]
    box = patch_box(patch, answer.grid, image_box(answer.image.shape[-1], answer.placement))
    assert box is not None
    scale = find(window, QWidget, "canvas").width() / 400
    return QPoint(round((box.x + box.width / 2) * scale), round((box.y + box.height / 2) * scale))


def take(window: MainWindow, name: str) -> None:
    find(window, QAbstractButton, name).click()


def asking(window: MainWindow) -> int:
    """Give the token whose map lies over the ink."""
    return window._overlay._look.token


@pytest.fixture
def window(open_window: Open, qtbot: QtBot) -> MainWindow:
    return open_with_seven(open_window, qtbot)


def test_the_eye_rests_on_a_patch_and_pins_it_and_draws_nothing(window: MainWindow) -> None:
    canvas = find(window, QWidget, "canvas")
    take(window, "lookButton")
    QTest.mouseMove(canvas, place_of(window, 5))
    assert asking(window) == 6
    QTest.mouseMove(canvas, place_of(window, 6))
    assert asking(window) == 7
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place_of(window, 9))
    QTest.mouseMove(canvas, place_of(window, 5))
    assert asking(window) == 6
    QTest.mouseMove(canvas, QPoint(1, 1))  # outside the model's image
    assert asking(window) == 10
    assert num_strokes(window) == 1


def test_the_right_button_erases_nothing_while_one_looks(window: MainWindow) -> None:
    canvas, before = find(window, QWidget, "canvas"), window.document.strokes
    take(window, "lookButton")
    side = canvas.width()
    QTest.mousePress(canvas, Qt.MouseButton.RightButton, pos=QPoint(side // 5, side // 5))
    QTest.mouseMove(canvas, QPoint(side // 2, side // 5))
    QTest.mouseRelease(canvas, Qt.MouseButton.RightButton, pos=QPoint(side // 2, side // 5))
    assert window.document.strokes == before


def test_with_the_pen_ctrl_and_a_click_pins(window: MainWindow) -> None:
    canvas = find(window, QWidget, "canvas")
    for patch, expected in ((5, 6), (10, 11), (10, 6)):
        QTest.mouseClick(
            canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, pos=place_of(window, patch)
        )
        assert asking(window) == expected
    assert num_strokes(window) == 1


def test_esc_lets_go_then_takes_the_pen(window: MainWindow) -> None:
    canvas = find(window, QWidget, "canvas")
    take(window, "lookButton")
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place_of(window, 9))
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert asking(window) == 0
    assert find(window, QAbstractButton, "lookButton").isChecked()
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert find(window, QAbstractButton, "penButton").isChecked()
    draw_lines(window, ((0.3, 0.8), (0.6, 0.8)))
    assert num_strokes(window) == 2


def test_the_key_l_looks_and_p_draws_again(window: MainWindow) -> None:
    canvas = find(window, QWidget, "canvas")
    QTest.keyClick(canvas, Qt.Key.Key_L)
    draw_lines(window, ((0.3, 0.8), (0.6, 0.8)))
    assert num_strokes(window) == 1
    QTest.keyClick(canvas, Qt.Key.Key_P)
    draw_lines(window, ((0.3, 0.8), (0.6, 0.8)))
    assert num_strokes(window) == 2


def test_patches_of_the_small_image_ask_by_mouse_and_by_keys(window: MainWindow, qtbot: QtBot) -> None:
    preview = find(window, InputPreview, "inputPreview")
    qtbot.waitUntil(lambda: preview.shown_revision == window.document.revision, timeout=LIMIT_MS)
    side = preview.width() // 4
    QTest.mouseMove(preview, QPoint(side + side // 2, side // 2))
    assert asking(window) == 2
    QTest.mouseClick(preview, Qt.MouseButton.LeftButton, pos=QPoint(side + side // 2, side // 2))
    QTest.mouseMove(find(window, QWidget, "canvas"), QPoint(2, 2))
    qtbot.waitUntil(lambda: asking(window) == 2)
    preview.setFocus()
    for key, expected in (("Right", 11), ("Right", 12), ("Right", 12), ("Up", 8), ("Left", 7), ("Down", 11)):
        QTest.keyClick(preview, getattr(Qt.Key, f"Key_{key}"))
        assert asking(window) == expected
    QTest.keyClick(preview, Qt.Key.Key_Space)
    assert window._inside.query.pinned == (2, 11)


def test_the_panel_compares_the_pinned_patches(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    for patch in (5, 10):
        window._inside.query.pin(patch)
    first, second = find(window, MapTile, "firstMap"), find(window, MapTile, "secondMap")
    assert (first.caption, second.caption) == ("row 2, column 2", "row 3, column 3")
    assert "1: row 2, column 2; 2: row 3, column 3" in find(window, QLabel, "askerLabel").text()
    find(window, QPushButton, "unpinButton").click()
    assert asking(window) == 0


def test_turned_round_smooth_and_on_one_scale(window: MainWindow) -> None:
    overlay = find(window, AttentionOverlay, "attentionOverlay")
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    before = overlay.scale
    find(window, QCheckBox, "commonScaleSwitch").click()
    attention = window.predictions[0].attention
    assert overlay.scale >= attention[:, :, 0, 1:].max()
    assert overlay.scale >= before
    find(window, QCheckBox, "smoothSwitch").click()
    assert window._remembered.is_smooth
    window._inside.query.pin(3)
    find(window, QCheckBox, "reversedSwitch").click()
    assert overlay._look.is_reversed


def test_relevance_is_asked_for_when_it_is_shown(window: MainWindow, qtbot: QtBot) -> None:
    assert window.predictions[0].relevance is None
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    way = find(window, QComboBox, "wayChooser")
    way.setCurrentIndex(way.findData("relevance"))
    qtbot.waitUntil(lambda: window.predictions[0].relevance is not None, timeout=LIMIT_MS)
    answer = window.predictions[0]
    names = [find(window, MapTile, name).caption for name in ("firstMap", "secondMap")]
    best = np.argsort(-answer.probabilities)[:2]
    assert names == [f"Why {answer.class_names[index]}" for index in best]
    way.setCurrentIndex(way.findData("rollout"))
    qtbot.waitUntil(lambda: window.predictions[0].relevance is None, timeout=LIMIT_MS)
    assert find(window, AttentionOverlay, "attentionOverlay").scale > 0
