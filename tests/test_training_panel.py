"""Training from the window: real clicks, real runs of a tiny model on real images.

VIT_PAD_SEQUENCES=100 makes that many random sequences of start, pause, stop and close instead of 6.
"""

from __future__ import annotations

import dataclasses
import gc
import hashlib
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QThread
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QMessageBox,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.test_window import draw_seven, find
from tests.tiny import DIGIT_READER, full_disk
from training import config, data, paths
from training.config import PRESETS, TrainConfig
from training.lock import lock_for_training
from training.models import find_model, read_info, unfinished_runs, user_models
from training.run_state import load_run_state
from vit_pad.app import create_window
from vit_pad.main_window import MainWindow
from vit_pad.training_config import last_training_config
from vit_pad.training_fields import TrainingFields
from vit_pad.training_panel import TrainingPanel
from vit_pad.training_session import Ended, TrainingSession
from vit_pad.words import IN_TRAINING

LIMIT_MS = 120_000
PAD_8 = PRESETS["pad-8"]  # the real one
NUM_SEQUENCES = int(os.environ.get("VIT_PAD_SEQUENCES", "6"))
MEBIBYTE = 2**20
Open = Callable[[], MainWindow]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the preset pad-8 be a tiny model, judged by few images."""
    monkeypatch.setitem(config.PRESETS, "pad-8", DIGIT_READER)
    monkeypatch.setattr(data, "NUM_VALIDATION", 200)


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[Open]:
    windows: list[MainWindow] = []

    def open_one() -> MainWindow:
        window = create_window(["--model", "pad-8"])
        windows.append(window)
        window.show()
        qtbot.waitUntil(lambda: window._loaded is not None, timeout=LIMIT_MS)
        return window

    yield open_one
    for window in windows:
        window.close_without_asking()
        window.deleteLater()


def click(window: MainWindow, name: str) -> None:
    QTest.mouseClick(find(window, QAbstractButton, name), Qt.MouseButton.LeftButton)


def open_panel(window: MainWindow) -> TrainingPanel:
    click(window, "trainingPanelButton")
    return find(window, TrainingPanel, "trainingPanel")


def set_up(window: MainWindow, epochs: int, images_per_class: int, batch_size: int = 20) -> None:
    preset = find(window, QComboBox, "presetChooser")
    preset.setCurrentIndex(preset.findData("pad-8"))
    find(window, QSpinBox, "epochsField").setValue(epochs)
    find(window, QSpinBox, "imagesPerClassField").setValue(images_per_class)
    find(window, QSpinBox, "batchSizeField").setValue(batch_size)


def status(window: MainWindow) -> str:
    return find(window, QLabel, "trainingStatus").text()


def start(window: MainWindow, qtbot: QtBot, epochs: int = 500, images_per_class: int = 20) -> TrainingPanel:
    panel = open_panel(window)
    set_up(window, epochs, images_per_class)
    click(window, "startTrainingButton")
    wait_until_it_trains(window, qtbot)
    return panel


def wait_until_it_trains(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: status(window).startswith("Epoch "), timeout=LIMIT_MS)


def wait_for_end(panel: TrainingPanel, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not panel.session.is_running, timeout=LIMIT_MS)


def models_in(window: MainWindow) -> list[str]:
    chooser = find(window, QComboBox, "modelChooser")
    return [chooser.itemData(index) for index in range(chooser.count())]


def shipped_hashes() -> dict[str, str]:
    folder = paths.asset("checkpoints")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_a_short_run_is_started_paused_taken_up_and_stopped_while_the_pad_answers(
    open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(config.PRESETS, "pad-8", PAD_8)
    shipped, window = shipped_hashes(), open_window()
    panel = open_panel(window)
    draw_seven(window)
    set_up(window, epochs=1, images_per_class=100)
    click(window, "startTrainingButton")
    assert not find(window, QPushButton, "startTrainingButton").isEnabled()
    wait_until_it_trains(window, qtbot)
    qtbot.waitUntil(lambda: window.predictions[0].model == IN_TRAINING, timeout=LIMIT_MS)
    click(window, "pauseTrainingButton")
    qtbot.waitUntil(lambda: status(window) == "Paused; everything is saved.", timeout=LIMIT_MS)
    bar = find(window, QProgressBar, "trainingProgress")
    paused_at = bar.value()
    click(window, "clearButton")
    draw_seven(window, size=0.4)
    qtbot.waitUntil(lambda: bool(window.predictions), timeout=LIMIT_MS)
    assert window.predictions[0].model == IN_TRAINING
    assert bar.value() == paused_at
    click(window, "pauseTrainingButton")
    qtbot.waitUntil(lambda: bar.value() > paused_at, timeout=LIMIT_MS)
    click(window, "stopTrainingButton")
    wait_for_end(panel, qtbot)
    (name,) = user_models()
    assert name in models_in(window)
    assert IN_TRAINING not in models_in(window)
    qtbot.waitUntil(lambda: window.predictions[0].model == name, timeout=LIMIT_MS)
    info = read_info(find_model(name))
    assert 0 < info.metrics["epoch"] <= 1
    share = f"{100 * info.metrics['val_accuracy']:.1f} %"
    assert status(window) == f"{name} reads {share} of the validation images."
    assert find(window, QComboBox, "modelChooser").currentText() == f"{name} · {share}"
    assert info.model == PAD_8
    assert shipped_hashes() == shipped


def test_a_run_to_the_end_is_a_new_model_and_leaves_nothing_to_go_on_with(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    panel = open_panel(window)
    set_up(window, epochs=2, images_per_class=20)
    click(window, "startTrainingButton")
    qtbot.waitUntil(lambda: bool(user_models()) and not panel.session.is_running, timeout=LIMIT_MS)
    (name,) = user_models()
    assert unfinished_runs() == ()
    assert find(window, QComboBox, "modelChooser").currentData() == name
    assert " of the validation images." in status(window)
    assert find(window, QPushButton, "startTrainingButton").isEnabled()
    window.close()
    assert window._settings.load().model == name
    assert last_training_config().images_per_class == 20


def test_another_model_can_answer_meanwhile_and_is_kept_at_the_end(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    draw_seven(window)
    panel = start(window, qtbot)
    chooser = find(window, QComboBox, "modelChooser")
    chooser.setCurrentIndex(chooser.findData("pad-8"))
    qtbot.waitUntil(lambda: window.predictions[0].model == "pad-8", timeout=LIMIT_MS)
    chooser.setCurrentIndex(chooser.findData(IN_TRAINING))
    qtbot.waitUntil(lambda: window.predictions[0].model == IN_TRAINING, timeout=LIMIT_MS)
    chooser.setCurrentIndex(chooser.findData("pad-8"))
    click(window, "stopTrainingButton")
    wait_for_end(panel, qtbot)
    assert chooser.currentData() == "pad-8"
    assert len(user_models()) == 1


def test_closing_in_mid_training_asks_and_the_next_window_goes_on(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    panel = start(window, qtbot, epochs=3, images_per_class=500)
    window.close()
    dialog = find(window, QMessageBox, "closeTrainingDialog")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert window.isVisible()
    assert panel.session.is_running
    window.close()
    QTest.mouseClick(find(window, QPushButton, "closeInTrainingButton"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=LIMIT_MS)
    (state_file,) = unfinished_runs()
    state, facts = load_run_state(state_file)
    assert 0 < state.step < 3 * 250
    again = open_window()
    panel = open_panel(again)
    assert find(again, QLabel, "unfinishedRun").text() == f"{facts.checkpoint.stem} is not finished."
    click(again, "goOnTrainingButton")
    wait_for_end(panel, qtbot)
    assert user_models() == (facts.checkpoint.stem,)
    assert unfinished_runs() == ()


def test_a_signal_to_end_saves_the_state_without_asking(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    start(window, qtbot)
    window.close_without_asking()
    assert not window.isVisible()
    (state_file,) = unfinished_runs()
    assert load_run_state(state_file)[0].step > 0


def test_a_second_window_has_to_wait(open_window: Open, qtbot: QtBot) -> None:
    lock = lock_for_training(paths.models_folder())
    window = open_window()
    panel = open_panel(window)
    set_up(window, epochs=1, images_per_class=10)
    click(window, "startTrainingButton")
    wait_for_end(panel, qtbot)
    assert status(window).startswith("Another training is going on in ")
    lock.release()
    click(window, "startTrainingButton")
    qtbot.waitUntil(lambda: bool(user_models()), timeout=LIMIT_MS)
    wait_for_end(panel, qtbot)


def test_what_cannot_be_saved_halts_the_run_and_is_saved_on_a_second_try(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    panel = start(window, qtbot)
    with full_disk(10_000):
        click(window, "pauseTrainingButton")
        qtbot.waitUntil(lambda: " can't be written (" in status(window), timeout=LIMIT_MS)
    assert status(window).endswith("Free some space, or choose another folder.")
    assert find(window, QPushButton, "pauseTrainingButton").text() == "Go on"
    click(window, "pauseTrainingButton")
    wait_until_it_trains(window, qtbot)
    click(window, "stopTrainingButton")
    wait_for_end(panel, qtbot)
    assert len(user_models()) == 1


def test_a_folder_that_is_gone_halts_the_run_and_stop_ends_it(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    panel = start(window, qtbot)
    shutil.rmtree(paths.models_folder())
    click(window, "stopTrainingButton")
    qtbot.waitUntil(lambda: " can't be written (" in status(window), timeout=LIMIT_MS)
    click(window, "stopTrainingButton")
    wait_for_end(panel, qtbot)
    assert " can't be written (" in status(window)
    assert find(window, QPushButton, "startTrainingButton").isEnabled()


FAILURES = {
    "no longer a number": TrainConfig(learning_rate=10, clip_norm=0, schedule="none", batch_size=20, epochs=200),
    "There is no device 'cuda:77' here": TrainConfig(device="cuda:77"),
    "There is no model 'gone'": TrainConfig(start_from="gone"),
}


@pytest.mark.parametrize("sentence", FAILURES)
def test_a_run_that_fails_ends_with_a_sentence(qtbot: QtBot, sentence: str) -> None:
    session = TrainingSession()
    failing = dataclasses.replace(FAILURES[sentence], images_per_class=20)
    with qtbot.waitSignal(session.ended, timeout=LIMIT_MS) as ended:
        session.start(failing)
    assert ended.args is not None
    outcome: Ended = ended.args[0]
    assert sentence in str(outcome.problem)
    assert not session.is_running


def test_without_images_a_run_says_what_to_do(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(data, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(data, "asset", lambda name: tmp_path / "nowhere" / name)
    monkeypatch.setattr(data, "MIRRORS", ("http://127.0.0.1:9/",))
    session = TrainingSession()
    with qtbot.waitSignal(session.ended, timeout=LIMIT_MS) as ended:
        session.start(TrainConfig())
    assert ended.args is not None
    assert "of MNIST is missing or damaged, and no mirror gives it" in str(ended.args[0].problem)


def test_fields_give_back_what_they_were_shown(qtbot: QtBot) -> None:
    fields = TrainingFields()
    qtbot.addWidget(fields)
    assert fields.config == TrainConfig()
    shown = TrainConfig(
        preset="vit-tiny", position="sincos", epochs=7, images_per_class=300, batch_size=33, learning_rate=0.00321,
        weight_decay=0.125, dropout=0.15, augmentation="none", seed=9, device="cpu", label_smoothing=0.07,
    )  # fmt: skip
    fields.show_config(shown)
    assert fields.config == shown
    heard: list[None] = []
    fields.changed.connect(lambda: heard.append(None))
    find_in(fields, QDoubleSpinBox, "dropoutField").stepBy(1)
    assert fields.config == dataclasses.replace(shown, dropout=0.2)
    assert heard


def find_in(parent: QWidget, kind: type[QDoubleSpinBox], name: str) -> QDoubleSpinBox:
    found = parent.findChild(kind, name)
    assert found is not None
    return found


def test_every_field_has_a_name_and_a_line_of_help(qtbot: QtBot) -> None:
    fields = TrainingFields()
    qtbot.addWidget(fields)
    inputs = [each for kind in (QComboBox, QSpinBox, QDoubleSpinBox) for each in fields.findChildren(kind)]
    assert len(inputs) == 11
    shown = {label.text() for label in fields.findChildren(QLabel)}
    for field in inputs:
        assert field.accessibleName() in shown
        assert field.accessibleDescription() in shown


def test_size_and_time_are_known_before_the_start(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    open_panel(window)
    size = find(window, QLabel, "trainingSize")
    qtbot.waitUntil(lambda: "parameters" in size.text(), timeout=LIMIT_MS)
    first = size.text()
    assert "17 tokens, about " in first
    find(window, QSpinBox, "epochsField").setValue(1000)
    assert size.text() != first  # ten epochs take less long


def test_the_panel_is_light_until_it_trains(open_window: Open) -> None:
    window = open_window()
    panel = open_panel(window)
    assert panel.isVisible()
    click(window, "trainingPanelButton")
    assert not panel.isVisible()
    click(window, "trainingPanelButton")
    panel.close()
    assert not find(window, QAbstractButton, "trainingPanelButton").isChecked()


def test_random_sequences_leave_no_thread_and_no_memory_behind(qtbot: QtBot) -> None:
    chance, sizes = random.Random(3), []
    for number in range(NUM_SEQUENCES):
        session = TrainingSession()
        ended: list[Ended] = []
        session.ended.connect(ended.append)
        session.start(TrainConfig(images_per_class=20, batch_size=20, epochs=3, state_every_s=0, seed=number))
        for _ in range(chance.randrange(4)):
            qtbot.wait(chance.randrange(150))
            chance.choice([session.pause, session.go_on, session.pause])()
        session.go_on()
        end = chance.choice(["stop", "leave", "leave_and_wait", "go_on"])
        getattr(session, end)()
        if end != "leave_and_wait":
            wait_for(ended, qtbot)
        assert not session.is_running
        session.deleteLater()
        shutil.rmtree(paths.models_folder())
        gc.collect()
        sizes.append(_resident_bytes())
    assert not [each for each in session.children() if isinstance(each, QThread)]
    if NUM_SEQUENCES >= 100:
        print(f"resident after the 10th {sizes[9] / MEBIBYTE:.1f} MiB, after the last {sizes[-1] / MEBIBYTE:.1f} MiB")
        assert sizes[-1] - sizes[9] <= 20 * 10**6


def wait_for(ended: list[Ended], qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bool(ended), timeout=LIMIT_MS)


def _resident_bytes() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0
