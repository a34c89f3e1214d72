"""The predictor thread: newest wins, nothing is lost, and it ends when it is told to."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from tests.random_model import SMALL, write_random_model
from training.edits import Edits
from training.errors import Message
from training.facts import Prediction, PredictionRequest
from training.model import VisionTransformer
from training.pictures import read_picture
from training.predict import Predictor, load_predictor
from training.strokes import Stroke
from vit_pad.predictor import LivePredictor, LiveWeights, LoadedModel, LoadRequest
from vit_pad.preload import import_torch

LIMIT_MS = 60_000


@pytest.fixture
def model(tmp_path: Path) -> str:
    return str(write_random_model(tmp_path / "small.safetensors"))


@pytest.fixture
def predictor(qtbot: QtBot) -> Iterator[LivePredictor]:
    made = LivePredictor()
    yield made
    made.stop()
    assert not made.is_running


def request(revision: int, *, empty: bool = False) -> PredictionRequest:
    points = np.array([[100.0, 100.0], [300.0, 100.0 + revision % 50], [200.0, 350.0]])
    return PredictionRequest(revision=revision, strokes=() if empty else (Stroke(points),))


def test_wishes_made_before_the_start_are_kept_and_the_newest_wins(
    predictor: LivePredictor, model: str, qtbot: QtBot
) -> None:
    models: list[LoadedModel] = []
    answers: list[Prediction] = []
    predictor.loaded.connect(models.append)
    predictor.predicted.connect(lambda digits, _request: answers.extend(digits))
    predictor.load(model, "cpu")
    for revision in range(1, 100):
        predictor.request(request(revision))
    with qtbot.waitSignal(predictor.predicted, timeout=LIMIT_MS):
        predictor.start()
    (loaded,) = models
    assert (loaded.config, loaded.device) == (SMALL, "cpu")
    assert "cpu" in loaded.devices
    assert [answer.revision for answer in answers] == [99]


def test_only_what_was_in_flight_and_the_newest_are_answered(
    predictor: LivePredictor, model: str, qtbot: QtBot
) -> None:
    answers: list[int] = []
    predictor.predicted.connect(lambda digits, _request: answers.append(digits[0].revision))
    predictor.start()
    with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS):
        predictor.load(model, "cpu")
    for revision in range(1, 50):
        predictor.request(request(revision))
        if revision == 1:
            QCoreApplication.sendPostedEvents()  # it is on its way; whether the thread takes it in time is open
    qtbot.waitUntil(lambda: 49 in answers, timeout=LIMIT_MS)
    assert answers in ([49], [1, 49])


@pytest.mark.parametrize("num_points", [4, 5000])
def test_a_drawing_is_answered_as_the_model_alone_would(
    predictor: LivePredictor, model: str, qtbot: QtBot, num_points: int
) -> None:
    """Few points are made an image where they are drawn, many in the thread."""
    angles = np.linspace(0, 9, num_points)
    spiral = Stroke(np.stack([200 + 15 * angles * np.cos(angles), 200 + 15 * angles * np.sin(angles)], axis=1))
    asked = PredictionRequest(revision=1, strokes=(spiral,))
    predictor.start()
    with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS):
        predictor.load(model, "cpu")
    with qtbot.waitSignal(predictor.predicted, timeout=LIMIT_MS) as answered:
        predictor.request(asked)
    assert answered.args is not None
    expected = load_predictor(model, "cpu").predict(asked)
    assert expected is not None
    np.testing.assert_array_equal(answered.args[0][0].image, expected.image)
    np.testing.assert_allclose(answered.args[0][0].probabilities, expected.probabilities, atol=1e-6)


def test_a_drawing_made_for_one_model_is_made_anew_for_another(
    predictor: LivePredictor, model: str, qtbot: QtBot, tmp_path: Path
) -> None:
    larger = dataclasses.replace(SMALL, image_size=2 * SMALL.image_size, in_channels=3)
    other = str(write_random_model(tmp_path / "larger.safetensors", larger))
    predictor.start()
    with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS):
        predictor.load(model, "cpu")
    with qtbot.waitSignal(predictor.predicted, timeout=LIMIT_MS) as answered:
        predictor.load(other, "cpu")
        predictor.request(request(1))
        QCoreApplication.sendPostedEvents()  # made an image of before the other model is there
    assert answered.args is not None
    assert answered.args[0][0].image.shape == (3, larger.image_size, larger.image_size)


def at(x: float, *points: tuple[float, float]) -> Stroke:
    return Stroke(np.array([(x + right, down) for right, down in points]))


SEVEN = (at(40, (0, 100), (80, 100), (30, 250)), at(50, (0, 180), (50, 180)))


def answers_of(predictor: LivePredictor, qtbot: QtBot, asked: PredictionRequest) -> tuple[Prediction, ...]:
    with qtbot.waitSignal(predictor.predicted, timeout=LIMIT_MS) as answered:
        predictor.request(asked)
    assert answered.args is not None
    digits: tuple[Prediction, ...] = answered.args[0]
    return digits


@pytest.mark.parametrize("num_points", [2, 2000])
def test_each_digit_of_a_number_is_read_as_if_it_were_alone(
    predictor: LivePredictor, model: str, qtbot: QtBot, num_points: int
) -> None:
    """Drawn from right to left; few points are made an image where they are drawn, many in the thread."""
    line = at(200, *((0, down) for down in np.linspace(100, 250, num_points)))
    predictor.start()
    with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS):
        predictor.load(model, "cpu")
    digits = answers_of(predictor, qtbot, PredictionRequest(revision=3, strokes=(line, *SEVEN)))
    alone = load_predictor(model, "cpu")
    assert [digit.revision for digit in digits] == [3, 3]
    for digit, strokes in zip(digits, (SEVEN, (line,)), strict=True):
        expected = alone.predict(PredictionRequest(revision=3, strokes=strokes))
        assert expected is not None
        assert (digit.box, digit.placement) == (expected.box, expected.placement)
        np.testing.assert_allclose(digit.probabilities, expected.probabilities, atol=1e-6)
    as_drawn = PredictionRequest(revision=4, strokes=(line, *SEVEN), placement_mode="as-drawn")
    (whole,) = answers_of(predictor, qtbot, as_drawn)
    expected = alone.predict(as_drawn)
    assert expected is not None
    np.testing.assert_array_equal(whole.image, expected.image)


@pytest.mark.parametrize("num_points", [2, 2000])
def test_only_the_digit_that_changed_is_read_again(
    predictor: LivePredictor, model: str, qtbot: QtBot, num_points: int
) -> None:
    predictor.start()
    with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS):
        predictor.load(model, "cpu")
    one = at(200, *((0, down) for down in np.linspace(100, 250, num_points)))
    before = answers_of(predictor, qtbot, PredictionRequest(revision=1, strokes=(*SEVEN, one)))
    longer = (at(200, *((0, down) for down in np.linspace(100, 260, num_points))),)
    after = answers_of(predictor, qtbot, PredictionRequest(revision=2, strokes=(*SEVEN, *longer)))
    assert [digit.revision for digit in after] == [2, 2]
    assert after[0].attention is before[0].attention  # not computed anew
    assert after[1].attention is not before[1].attention
    with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS):
        predictor.load(model, "cpu")
    anew = answers_of(predictor, qtbot, PredictionRequest(revision=2, strokes=(*SEVEN, *longer)))
    assert anew[0].attention is not before[0].attention  # another model answers


def test_the_same_strokes_are_read_anew_when_something_else_is_asked(
    predictor: LivePredictor, model: str, qtbot: QtBot, tmp_path: Path
) -> None:
    predictor.start()
    with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS):
        predictor.load(model, "cpu")
    Image.new("L", (40, 40), 200).save(tmp_path / "grey.png")
    alone, before = load_predictor(model, "cpu"), PredictionRequest(revision=1, strokes=SEVEN)
    for change in (
        {"placement_mode": "as-drawn"},
        {"picture": read_picture(tmp_path / "grey.png")},
        {"edits": Edits(softmax_temperature=5.0)},
        {"wanted": frozenset({"residual_norms"})},
    ):
        answers_of(predictor, qtbot, before)
        asked = dataclasses.replace(before, **change)
        (answer,) = answers_of(predictor, qtbot, asked)
        expected = alone.predict(asked)
        assert expected is not None
        np.testing.assert_array_equal(answer.image, expected.image)
        np.testing.assert_allclose(answer.probabilities, expected.probabilities, atol=1e-6)
        assert (answer.residual_norms is None) == (expected.residual_norms is None)


def test_answers_come_in_the_thread_that_asked_and_are_computed_in_another(
    predictor: LivePredictor, model: str, qtbot: QtBot
) -> None:
    threads: list[int] = []
    predictor.predicted.connect(lambda _answer, _request: threads.append(threading.get_ident()))
    predictor.start()
    predictor.load(model, "cpu")
    predictor.request(request(1))
    qtbot.waitUntil(lambda: bool(threads), timeout=LIMIT_MS)
    assert threads == [threading.get_ident()]


def test_no_ink_gives_no_digit_and_a_forgotten_request_no_answer(
    predictor: LivePredictor, model: str, qtbot: QtBot
) -> None:
    answers: list[Any] = []
    predictor.predicted.connect(lambda digits, _request: answers.append(digits))
    predictor.load(model, "cpu")
    predictor.request(request(1))
    predictor.forget()
    with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS):
        predictor.start()
    predictor.request(request(2, empty=True))
    qtbot.waitUntil(lambda: bool(answers), timeout=LIMIT_MS)
    assert answers == [()]


@pytest.mark.parametrize(
    ("model_name", "device", "word"),
    [("nowhere", "cpu", "nowhere"), (None, "cuda:77", "cuda:77"), ("broken", "cpu", "broken")],
)
def test_what_cannot_be_loaded_gives_a_sentence_and_the_next_wish_its_turn(
    predictor: LivePredictor, model: str, qtbot: QtBot, tmp_path: Path, model_name: str | None, device: str, word: str
) -> None:
    problems: list[Message] = []
    predictor.failed.connect(lambda problem, _job: problems.append(problem))
    (tmp_path / "broken.safetensors").write_bytes(b"\x00" * 100)
    name = {None: model, "broken": str(tmp_path / "broken.safetensors")}.get(model_name, str(model_name))
    predictor.start()
    with qtbot.waitSignal(predictor.failed, timeout=LIMIT_MS) as failed:
        wish = predictor.load(name, device)
    assert failed.args is not None
    assert failed.args[1] is wish
    qtbot.waitUntil(lambda: bool(problems), timeout=LIMIT_MS)
    assert word in str(problems[0])
    with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS):
        predictor.load(model, "cpu")


def test_a_model_that_fails_without_a_sentence_gets_one_and_the_hook_gets_the_exception(
    predictor: LivePredictor, qtbot: QtBot
) -> None:
    predictor.start()
    with qtbot.captureExceptions() as caught, qtbot.waitSignal(predictor.failed, timeout=LIMIT_MS) as failed:
        wish = predictor.load(3, "cpu")  # type: ignore[arg-type]  # an error of ours, as one of a driver would be
        qtbot.waitUntil(lambda: bool(caught), timeout=LIMIT_MS)
    assert [kind for kind, _error, _trace in caught] == [TypeError]
    assert failed.args is not None
    problem, job = failed.args
    assert job is wish
    assert str(problem).startswith("The model 3 can't be loaded on the device cpu (")


def test_torchs_libraries_are_loaded_ahead_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_for: list[str] = []
    monkeypatch.setattr("importlib.util.find_spec", looked_for.append)
    import_torch.cache_clear()
    import_torch()
    import_torch()
    assert looked_for == ["torch"]


def test_a_failed_change_of_model_leaves_the_old_one_answering(
    predictor: LivePredictor, model: str, qtbot: QtBot
) -> None:
    predictor.start()
    with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS):
        predictor.load(model, "cpu")
    with qtbot.waitSignal(predictor.failed, timeout=LIMIT_MS):
        predictor.load("nowhere", "cpu")
    with qtbot.waitSignal(predictor.predicted, timeout=LIMIT_MS) as answered:
        predictor.request(request(1))
    assert answered.args is not None
    assert answered.args[0][0].model == model


def weights_of(seed: int) -> dict[str, np.ndarray[Any, Any]]:
    network = VisionTransformer(SMALL, torch.Generator().manual_seed(seed))
    return {name: weight.numpy() for name, weight in network.state_dict().items()}


def test_weights_that_are_being_trained_answer_one_after_the_other(
    predictor: LivePredictor, model: str, qtbot: QtBot
) -> None:
    """The second and third come when the model was traced; the file's own come back when they are wished for."""
    asked, answers = request(1), []
    wish = LoadRequest(model="in training", device="cpu")
    predictor.start()
    for seed in (5, 6, 7):
        with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS) as loaded:
            predictor.show(LiveWeights(wish=wish, config=SMALL, weights=weights_of(seed)))
        assert loaded.args is not None
        assert loaded.args[0].asked is wish
        for _ in range(2):
            with qtbot.waitSignal(predictor.predicted, timeout=LIMIT_MS) as answered:
                predictor.request(asked)
        assert answered.args is not None
        answers.append(answered.args[0][0])
    for seed, answer in zip((5, 6, 7), answers, strict=True):
        network = VisionTransformer(SMALL, torch.Generator().manual_seed(seed))
        expected = Predictor(network, "in training", "cpu").predict(asked)
        assert expected is not None
        assert answer.model == "in training"
        np.testing.assert_allclose(answer.probabilities, expected.probabilities, atol=1e-6)
    with qtbot.waitSignal(predictor.loaded, timeout=LIMIT_MS):
        predictor.load(model, "cpu")
    with qtbot.waitSignal(predictor.predicted, timeout=LIMIT_MS) as answered:
        predictor.request(asked)
    assert answered.args is not None
    assert answered.args[0][0].model == model


def test_stopping_while_torch_loads_waits_and_says_nothing_more() -> None:
    code = (
        "import sys\n"
        "from PySide6.QtCore import QCoreApplication, QTimer\n"
        "from vit_pad.predictor import LivePredictor\n"
        "app = QCoreApplication([])\n"
        "predictor = LivePredictor()\n"
        "predictor.loaded.connect(lambda _: sys.exit('loaded'))\n"
        "predictor.failed.connect(lambda *_: sys.exit('failed'))\n"
        "predictor.load('nowhere', 'cpu')\n"
        "predictor.start()\n"
        "QTimer.singleShot(0, predictor.stop)\n"
        "QTimer.singleShot(0, app.quit)\n"
        "app.exec()\n"
        "app.processEvents()\n"
        "assert not predictor.is_running\n"
    )
    done = subprocess.run(
        (sys.executable, "-c", code), cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_exception_without_a_sentence_reaches_the_hook_and_the_work_goes_on(model: str) -> None:
    code = (
        "import sys\n"
        "from PySide6.QtCore import QCoreApplication\n"
        "from tests.test_predictor import request\n"
        "from vit_pad.exceptions import ExceptionHook\n"
        "from vit_pad.predictor import LivePredictor\n"
        "app = QCoreApplication([])\n"
        "hook, predictor = ExceptionHook(), LivePredictor()\n"
        "hook.install()\n"
        "caught = []\n"
        "hook.caught.connect(lambda report: (caught.append(report), predictor.request(request(2))))\n"
        "predictor.predicted.connect(lambda digits, _: app.exit(0 if digits[0].revision == 2 and caught else 3))\n"
        f"predictor.load({model!r}, 'cpu')\n"
        "predictor.request('not a request')\n"
        "predictor.start()\n"
        "status = app.exec()\n"
        "predictor.stop()\n"
        "assert 'AttributeError' in caught[0].text\n"
        "sys.exit(status)\n"
    )
    done = subprocess.run(
        (sys.executable, "-c", code), cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_what_torch_brings_is_kept_from_the_garbage_collector() -> None:
    """In a process of its own, where torch isn't there yet."""
    program = (
        "import gc; from vit_pad.preload import import_torch; import_torch(); "
        "print(gc.get_freeze_count(), gc.isenabled())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    frozen, is_enabled = done.stdout.split()
    assert int(frozen) > 100_000
    assert is_enabled == "True"
