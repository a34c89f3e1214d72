"""The command line: what it prints, what it says of bad input, and its exit status."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from safetensors import safe_open
from safetensors.numpy import save_file

from tests.random_model import write_random_model
from tests.tiny import DIGIT_READER, make_model
from training import __version__, data
from training.checkpoint import save_checkpoint
from training.cli import main, print_json
from training.config import TrainConfig
from training.metrics import Evaluation
from training.models import ModelInfo, new_model_path, read_info
from training.paths import asset, models_folder
from training.sheet import CELL_PX, SHEET_LIMIT
from training.stress import CONDITIONS

SEVEN = '{"strokes": [[[10, 8], [28, 9], [18, 33]]], "label": 7, "canvas": [40, 40], "writer": "ann"}'
ONE = '{"strokes": [[[20, 5], [20, 35]]], "label": "1", "writer": "bob"}'
EMPTY = '{"strokes": []}'
PROJECT = Path(__file__).parent.parent
QUICK = ["--images-per-class", "2", "--epochs", "1", "--batch-size", "10", "--device", "cpu", "--threads", "1"]

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A model that answers, if not well."""
    return str(write_random_model(tmp_path / "model.safetensors", DIGIT_READER))


@pytest.fixture
def drawings(tmp_path: Path) -> Path:
    path = tmp_path / "drawings.jsonl"
    path.write_text(f'{SEVEN}\n{{"strokes": 3}}\n{EMPTY}\n{ONE}\n')
    return path


@pytest.fixture
def _few_to_judge_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "NUM_VALIDATION", 50)


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line, parse_constant=pytest.fail) for line in text.splitlines()]  # NaN and the like are no JSON


def sentence(capsys: Captured) -> str:
    """Demand that nothing was printed but one line of complaint, and give it."""
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("vit-pad: ")
    return line


def test_predict_prints_a_line_of_json_for_each_drawing_and_picture(
    model: str, drawings: Path, tmp_path: Path, capsys: Captured
) -> None:
    picture = tmp_path / "picture.png"
    image = Image.new("L", (28, 28), 255)
    image.paste(0, (12, 4, 16, 24))
    image.save(picture)
    assert main(["predict", str(drawings), str(picture), "--model", model, "--json"]) == 0
    out, err = capsys.readouterr()
    answers = lines_of(out)
    assert [list(each) for each in answers] == [["source", "label", "probabilities", "top", "unsure", "reason"]] * 4
    assert [each["source"] for each in answers] == [
        f"{drawings}:1",
        f"{drawings}:3",
        f"{drawings}:4",
        str(picture),
    ]
    assert [each["label"] for each in answers] == ["7", None, "1", None]
    for each in (answers[0], answers[2], answers[3]):
        assert len(each["probabilities"]) == 10
        assert sum(each["probabilities"]) == pytest.approx(1, abs=1e-4)
        assert each["top"] == str(each["probabilities"].index(max(each["probabilities"])))
        assert each["unsure"] is False
    assert (answers[1]["top"], answers[1]["probabilities"]) == (None, [])
    (complaint,) = err.splitlines()
    assert complaint.startswith(f"vit-pad: {drawings}, line 2: ")


def test_predict_says_it_in_words(model: str, drawings: Path, capsys: Captured) -> None:
    assert main(["predict", str(drawings), "--model", model]) == 0
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 3
    assert out[0].startswith(f"{drawings}:1: ")
    assert out[0].endswith("%)")
    assert out[1] == f"{drawings}:3: nothing drawn"


def test_predict_reads_each_digit_of_a_number_where_that_is_wanted(
    model: str, drawings: Path, tmp_path: Path, capsys: Captured
) -> None:
    number = tmp_path / "number.jsonl"
    number.write_text('{"strokes": [[[300, 100], [300, 300]], [[40, 100], [140, 100], [60, 300]]]}\n' + EMPTY)
    assert main(["predict", str(number), "--model", model, "--split", "--json"]) == 0
    whole, nothing = lines_of(capsys.readouterr().out)
    assert [list(each) for each in (whole, nothing)] == [["source", "label", "top", "unsure", "digits"]] * 2
    assert whole["top"] == "".join(digit["top"] for digit in whole["digits"])
    left, right = whole["digits"]
    assert left["box"][0] < right["box"][0]
    assert left["probabilities"] != right["probabilities"]
    assert (nothing["top"], nothing["digits"]) == (None, [])
    assert main(["predict", str(number), "--model", model, "--split"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{number}:1: {whole['top']}: {left['top']} (")
    assert lines[1] == f"{number}:2: nothing drawn"
    assert main(["predict", str(number), "--model", model, "--split", "--as-drawn"]) == 2
    assert "like MNIST only" in capsys.readouterr().err


def test_as_drawn_is_another_image(model: str, drawings: Path, capsys: Captured) -> None:
    answers = []
    for words in ([], ["--as-drawn"]):
        assert main(["predict", str(drawings), "--model", model, "--json", *words]) == 0
        answers.append(lines_of(capsys.readouterr().out)[0]["probabilities"])
    assert answers[0] != answers[1]


def test_a_missing_file_fails_and_the_others_are_read(
    model: str, drawings: Path, tmp_path: Path, capsys: Captured
) -> None:
    assert main(["predict", str(tmp_path / "gone.png"), str(drawings), "--model", model, "--json"]) == 1
    out, err = capsys.readouterr()
    assert len(lines_of(out)) == 3
    assert err.splitlines()[0].startswith(f"vit-pad: {tmp_path / 'gone.png'} isn't there")


@pytest.mark.parametrize(("part", "count"), [("test", 10_000), ("val", 5_000)])
def test_evaluate_counts_on_mnist(model: str, part: str, count: int, capsys: Captured) -> None:
    assert main(["evaluate", "--mnist", part, "--model", model, "--device", "cpu", "--json"]) == 0
    (facts,) = lines_of(capsys.readouterr().out)
    assert list(facts) == ["count", "correct", "accuracy", "per_class", "model", "device", "ece"]
    assert 0 <= facts["ece"] <= 1
    assert facts["count"] == count
    assert facts["accuracy"] == facts["correct"] / count
    assert len(facts["per_class"]) == 10
    assert (facts["model"], facts["device"]) == (model, "cpu")


def test_evaluate_counts_labelled_drawings_by_chosen_writers(model: str, drawings: Path, capsys: Captured) -> None:
    words = ["evaluate", "--strokes", str(drawings), "--model", model, "--json"]
    counts = []
    for writers in (None, "ann", "ann,bob"):
        assert main([*words, *(["--writers", writers] if writers else [])]) == 0
        out, err = capsys.readouterr()
        (facts,) = lines_of(out)
        counts.append(facts["count"])
        assert f"{drawings}, line 2: " in err
    assert counts == [2, 1, 2]
    assert [facts["per_class"][digit] is None for digit in range(10)] == [digit not in (1, 7) for digit in range(10)]
    assert main([*words, "--writers", "carl"]) == 1
    assert f"{drawings} has no drawing by carl." in capsys.readouterr().err


def test_evaluate_counts_folders_of_pictures(model: str, tmp_path: Path, capsys: Captured) -> None:
    for digit in ("3", "8"):
        (tmp_path / "pictures" / digit).mkdir(parents=True)
        Image.new("L", (28, 28), 255).save(tmp_path / "pictures" / digit / "a.png")
    assert main(["evaluate", "--images", str(tmp_path / "pictures"), "--model", model, "--json"]) == 0
    (facts,) = lines_of(capsys.readouterr().out)
    assert facts["count"] == 2
    assert main(["evaluate", "--images", str(tmp_path / "pictures"), "--model", model]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith(f"{model} on ")
    assert len(out) == 11
    assert out[1] == "  0: none"


@pytest.mark.parametrize("more", [[], ["--stress"]], ids=["plain", "stress"])
def test_calibration_is_that_of_the_checkpoints_temperature(
    more: list[str], drawings: Path, tmp_path: Path, capsys: Captured
) -> None:
    found = []
    for temperature in (1.0, 1e-3):  # as it is, and sure of everything
        model = write_random_model(tmp_path / "model.safetensors", DIGIT_READER, temperature)
        assert main(["evaluate", "--strokes", str(drawings), "--model", str(model), "--json", *more]) == 0
        found.append(lines_of(capsys.readouterr().out))
    for usual, sure in zip(*found, strict=True):
        assert usual["per_class"] == sure["per_class"]
        if "correct" in sure:
            assert sure["ece"] == pytest.approx(1 - sure["accuracy"], abs=0.01)
            assert usual["ece"] != pytest.approx(sure["ece"], abs=0.05)


def test_evaluate_under_stress_tells_of_each_condition_and_of_all(model: str, drawings: Path, capsys: Captured) -> None:
    words = ["evaluate", "--strokes", str(drawings), "--model", model, "--device", "cpu"]
    plain = {}
    for mode, more in (("like-mnist", []), ("as-drawn", ["--as-drawn"])):
        assert main([*words, *more, "--json"]) == 0
        (plain[mode],) = lines_of(capsys.readouterr().out)
    assert main([*words, "--stress", "--json"]) == 0
    out, err = capsys.readouterr()
    assert f"{drawings}, line 2: " in err
    facts = lines_of(out)
    assert len(facts) == 2 * (len(CONDITIONS) + 1)
    for mode in ("like-mnist", "as-drawn"):
        *conditions, summary = [each for each in facts if each["mode"] == mode]
        assert [each["condition"] for each in conditions] == [each.name for each in CONDITIONS]
        keys = [
            "mode",
            "condition",
            "count",
            "correct",
            "accuracy",
            "per_class",
            "ece",
            "confusions",
            "model",
            "device",
        ]
        assert all(list(each) == keys for each in conditions)
        for key in ("count", "correct", "accuracy", "per_class", "ece"):
            assert conditions[0][key] == plain[mode][key]
        accuracies = [each["accuracy"] for each in conditions]
        assert summary["conditions"] == len(CONDITIONS)
        assert summary["mean"] == pytest.approx(sum(accuracies) / len(CONDITIONS))
        assert summary["worst"] == min(accuracies)
        assert (
            conditions[[each["condition"] for each in conditions].index(summary["worst_condition"])]["accuracy"]
            == (summary["worst"])
        )
        assert summary["plain_ece"] == conditions[0]["ece"]
        assert (summary["model"], summary["device"]) == (model, "cpu")
        for each in (*conditions, summary):
            times = [number for _, _, number in each["confusions"]]
            assert times == sorted(times, reverse=True)
            assert all(truth in ("1", "7") and truth != answer for truth, answer, _ in each["confusions"])
        assert all(each["correct"] + sum(n for _, _, n in each["confusions"]) == 2 for each in conditions)


def test_evaluate_under_stress_prints_tables(model: str, drawings: Path, capsys: Captured) -> None:
    assert main(["evaluate", "--strokes", str(drawings), "--model", model, "--stress"]) == 0
    out = capsys.readouterr().out
    assert out.index("like MNIST, 2 drawings") < out.index("as drawn, 2 drawings")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for name in [*(each.name for each in CONDITIONS), "mean"]:
        rows = [line for line in lines if re.fullmatch(rf"{re.escape(name)}( \d+\.\d){{4}}", line)]
        assert len(rows) == 2, name  # right, ECE, 1 and 7; the other classes have no drawing
    assert sum(line.startswith("worst: ") for line in lines) == 2


def test_a_sheet_shows_what_was_read_wrongly(model: str, drawings: Path, tmp_path: Path, capsys: Captured) -> None:
    sheet = tmp_path / "sheet.png"
    words = ["evaluate", "--model", model, "--json", "--sheet", str(sheet)]
    assert main([*words, "--mnist", "val"]) == 0
    (facts,) = lines_of(capsys.readouterr().out)
    assert facts["count"] - facts["correct"] > SHEET_LIMIT
    assert num_cells(sheet) == SHEET_LIMIT
    assert main([*words, "--strokes", str(drawings)]) == 0
    (facts,) = lines_of(capsys.readouterr().out)
    assert num_cells(sheet) == max(1, facts["count"] - facts["correct"])
    assert main([*words, "--strokes", str(drawings), "--stress"]) == 0
    conditions = [each for each in lines_of(capsys.readouterr().out) if "condition" in each]
    assert num_cells(sheet) == sum(each["count"] - each["correct"] for each in conditions)
    first = sheet.read_bytes()
    assert main([*words, "--strokes", str(drawings), "--stress"]) == 0
    assert sheet.read_bytes() == first


def num_cells(sheet: Path) -> int:
    """Count the cells of a sheet that show an image."""
    with Image.open(sheet) as image:
        pixels = np.asarray(image)
    width, height = CELL_PX
    corners = [(y, x) for y in range(0, pixels.shape[0], height) for x in range(0, pixels.shape[1], width)]
    return sum(not (pixels[y + width // 2, x + width // 2] == pixels[0, 0]).all() for y, x in corners)


def test_a_sheet_that_cannot_be_written_is_told_before_the_work(model: str, tmp_path: Path, capsys: Captured) -> None:
    gone = tmp_path / "gone" / "sheet.png"
    assert main(["evaluate", "--mnist", "val", "--model", model, "--sheet", str(gone)]) == 1
    assert f"{gone} can't be written" in sentence(capsys)


def test_info_tells_what_a_model_is(model: str, capsys: Captured) -> None:
    assert main(["info", "--model", model, "--json"]) == 0
    (facts,) = lines_of(capsys.readouterr().out)
    assert facts["config"]["embed_dim"] == DIGIT_READER.embed_dim
    assert facts["shapes"]["tokens"] == [1, 17, 16]
    assert main(["info", "--model", "vit-tiny"]) == 0
    out = capsys.readouterr().out
    assert "parameters: 5526346" in out
    assert "tokens: [1, 197, 192]" in out


@pytest.mark.usefixtures("_few_to_judge_by")
def test_train_makes_a_new_model_each_time_and_tells_of_every_epoch(capsys: Captured) -> None:
    first = new_model_path("pad-8")
    assert main(["train", *QUICK]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    start, epoch, end = out.splitlines()
    assert start == f"Training pad-8 on cpu: 20 images, 1 epochs, to {first}"
    assert epoch.startswith("epoch 1/1: loss ")
    assert "validation accuracy " in epoch
    assert end.startswith("Done: epoch 1 was best, validation accuracy ")
    assert end.endswith(str(first))
    content = first.read_bytes()
    second = new_model_path("pad-8")
    assert main(["train", *QUICK, "--seed", "1"]) == 0
    is_untouched = first.read_bytes() == content
    assert is_untouched
    assert sorted(models_folder().iterdir()) == sorted([first, second])
    info = read_info(second)
    assert info.training["seed"] == 1
    assert info.seen == ("MNIST, the first 55,000 training images",)
    assert set(info.metrics) == {"epoch", "val_accuracy", "val_loss"}
    assert main(["info", "--model", second.stem]) == 0


@pytest.mark.usefixtures("_few_to_judge_by")
def test_options_win_over_the_recipe_and_a_named_file_is_overwritten(tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "[red]model.safetensors"  # a name that means something to who prints colours
    write_random_model(out)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'epochs = 5\nimages_per_class = 1\noptimizer = "adam"\nlabel_smoothing = 0.1\nmixed_precision = false\n'
    )
    words = ["--recipe", str(recipe), "--epochs", "1", "--optimizer", "adamw", "--device", "cpu", "--out", str(out)]
    assert main(["train", *words]) == 0
    assert f"10 images, 1 epochs, to {out}\n" in capsys.readouterr().out
    expected = TrainConfig(epochs=1, images_per_class=1, label_smoothing=0.1, mixed_precision=False, device="cpu")
    assert read_info(out).training == dataclasses.asdict(expected)
    assert list(models_folder().iterdir()) == []


@pytest.mark.usefixtures("_few_to_judge_by")
def test_training_goes_on_from_another_model(tmp_path: Path) -> None:
    source, out = tmp_path / "source.safetensors", tmp_path / "out.safetensors"
    assert main(["train", *QUICK, "--out", str(source)]) == 0
    assert main(["train", *QUICK, "--preset", "pad-4", "--start-from", str(source), "--out", str(out)]) == 0
    info = read_info(out)
    assert info.model.grid == 8
    assert info.training["start_from"] == str(source)
    assert info.seen == ("MNIST, the first 55,000 training images",)


def test_a_place_that_cannot_be_written_to_is_told_before_the_work(tmp_path: Path, capsys: Captured) -> None:
    for out in (tmp_path / "gone" / "model", tmp_path):
        assert main(["train", *QUICK, "--out", str(out)]) == 1
        assert f"{out} can't be written; name a file in a folder" in sentence(capsys)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["predict", "x.png", "--model", "nowhere"], "There is no model 'nowhere'"),
        (["evaluate", "--mnist", "val", "--model", "nowhere"], "There is no model 'nowhere'"),
        (["info", "--model", "nowhere"], "There is no model 'nowhere'"),
        (["train", "--recipe", "nowhere.toml"], "The recipe nowhere.toml can't be read (No such file"),
        (["train", "--device", "cuda:99"], "There is no device 'cuda:99'"),
        (["train", "--start-from", "nowhere"], "There is no model 'nowhere'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_work_that_fails_is_one_sentence_and_status_1(words: list[str], complaint: str, capsys: Captured) -> None:
    assert main(words) == 1
    assert sentence(capsys).startswith(f"vit-pad: {complaint}")


@pytest.mark.parametrize("command", ["train", "evaluate", "predict", "info"])
def test_without_torch_every_command_says_what_to_install(command: str) -> None:
    code = f"import sys; sys.modules['torch'] = None; from training.cli import main; sys.exit(main(['{command}', 'x']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PROJECT, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("vit-pad: PyTorch can't be loaded")


def test_bad_lines_are_named_where_nothing_is_left_to_evaluate(model: str, tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "drawings.jsonl"
    path.write_text(f'{EMPTY}\n{{"strokes": 3}}\n')
    assert main(["evaluate", "--strokes", str(path), "--model", model]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    bad_line, nothing = err.splitlines()
    assert "line 2" in bad_line
    assert "nothing to evaluate" in nothing


def test_missing_data_are_one_sentence_and_status_1(model: str, tmp_path: Path, capsys: Captured) -> None:
    gone = str(tmp_path / "gone.jsonl")
    assert main(["evaluate", "--strokes", gone, "--model", model]) == 1
    assert f"{gone} isn't there" in sentence(capsys)
    assert main(["evaluate", "--images", str(tmp_path / "gone"), "--model", model]) == 1
    assert f"{tmp_path / 'gone'} isn't there" in sentence(capsys)
    (tmp_path / "broken.safetensors").write_bytes(b"nothing")
    assert main(["evaluate", "--mnist", "val", "--model", str(tmp_path / "broken.safetensors")]) == 1
    assert "can't be read as a checkpoint" in sentence(capsys)


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate"],
        ["evaluate", "--mnist", "val", "--strokes", "x.jsonl"],
        ["evaluate", "--mnist", "val", "--writers", "ann"],
        ["evaluate", "--mnist", "val", "--stress"],
        ["evaluate", "--strokes", "x.jsonl", "--stress", "--as-drawn"],
        ["predict"],
        ["train", "--epochs", "0"],
        ["train", "--learning-rate", "nan"],
        ["train", "--preset", "pad-9"],
    ],
    ids=" ".join,
)
def test_words_without_sense_are_one_sentence_and_status_2(words: list[str], capsys: Captured) -> None:
    assert main(words) == 2
    sentence(capsys)


@pytest.mark.parametrize(
    "words",
    [["evaluate", "--mnist", "train"], ["train", "--epochs", "x"], ["train", "--bogus"], ["sing"], []],
    ids=" ".join,
)
def test_words_that_the_parser_cannot_use_are_status_2(words: list[str], capsys: Captured) -> None:
    if words:
        assert main(words) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "Traceback" not in err
        assert err
    else:
        assert main(words) == 0
        assert "usage: vit-pad {train,evaluate,predict,info}" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["train", "evaluate", "predict", "info"])
def test_every_command_has_help(command: str, capsys: Captured) -> None:
    assert main([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert f"usage: vit-pad {command}" in out
    if command == "train":
        for each in dataclasses.fields(TrainConfig):
            assert f"--{each.name.replace('_', '-')}" in out


def test_the_library_is_a_program_of_its_own(model: str, drawings: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "training", "predict", str(drawings), str(tmp_path / "gone.png"), "--model", model]
    child = subprocess.run([*words, "--json"], capture_output=True, text=True, cwd=PROJECT)
    assert child.returncode == 1
    assert len(lines_of(child.stdout)) == 3
    assert len(child.stderr.splitlines()) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX systems")
def test_a_reader_that_has_seen_enough_is_no_reason_to_complain(model: str, drawings: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    child = subprocess.Popen(
        [sys.executable, "-m", "training", "predict", str(drawings), "--model", model],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
    )
    os.close(write)
    _, err = child.communicate()
    assert child.returncode == 1
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk to write to is a thing of Linux")
def test_output_to_a_full_disk_is_a_sentence(model: str, drawings: Path) -> None:
    words = [sys.executable, "-m", "training", "predict", str(drawings), "--model", model]
    with open("/dev/full", "w") as full:
        child = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, cwd=PROJECT)
    assert child.returncode == 1
    assert child.stderr.splitlines()[-1].startswith("vit-pad: The output can't be written (")
    assert "Traceback" not in child.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk to write to is a thing of Linux")
@pytest.mark.parametrize(
    ("where", "status", "sentences"),
    [
        (">&-", 1, ["vit-pad: There is no standard output to print to."]),
        (">/dev/full", 1, ["vit-pad: The output can't be written (No space left on device)."]),
        ("| true; exit ${PIPESTATUS[0]}", 1, []),
        ("2>&1 >/dev/null | cat >&2; exit ${PIPESTATUS[0]}", 1, ["vit-pad: {gone} isn't there."]),
        (">/dev/null 2>/dev/full", 1, []),
        ("2>&- | grep vit-pad: >&2; exit ${PIPESTATUS[0]}", 1, []),
    ],
)
def test_wherever_the_output_goes_there_is_a_sentence_at_most(
    model: str, tmp_path: Path, where: str, status: int, sentences: list[str]
) -> None:
    good, gone = tmp_path / "good.jsonl", tmp_path / "gone.jsonl"
    good.write_text(SEVEN)
    words = [sys.executable, "-m", "training", "predict", str(good), str(gone), "--model", model]
    child = subprocess.run(
        ["bash", "-c", f"{shlex.join(words)} {where}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=PROJECT,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
    )
    assert child.returncode == status
    lines = child.stderr.splitlines()
    assert len(lines) == len(sentences)
    for line, start in zip(lines, sentences, strict=True):
        assert line.startswith(start.format(gone=gone))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk to write to is a thing of Linux")
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["info", "--help"], ["sing"]], ids=" ".join)
def test_words_about_the_program_that_cannot_be_printed_are_no_trouble_for_python(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        child = subprocess.run(
            [sys.executable, "-m", "training", *words],
            stdout=full,
            stderr=full if words == ["sing"] else subprocess.PIPE,
            text=True,
            cwd=PROJECT,
            env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        )
    assert child.returncode == (2 if words == ["sing"] else 1)
    if child.stderr is not None:
        assert child.stderr == "vit-pad: The output can't be written (No space left on device).\n"


@pytest.mark.skipif(sys.platform == "win32", reason="names as long as POSIX systems take them")
@pytest.mark.parametrize(
    "words",
    [
        ["predict", "LONG"],
        ["predict", "LONG.jsonl"],
        ["evaluate", "--strokes", "LONG"],
        ["evaluate", "--images", "LONG"],
        ["evaluate", "--strokes", "drawings", "--sheet", "LONG"],
        ["evaluate", "--strokes", "drawings", "--model", "LONG"],
        ["info", "--model", "LONG"],
        ["train", "--recipe", "LONG"],
        ["train", "--resume", "LONG"],
        ["train", "--out", "LONG"],
        ["train", "--out", "SHORTER"],
        ["train", "--strokes", "LONG"],
        ["train", "--strokes", "~nosuchuser/x"],
        ["train", "--start-from", "LONG"],
        ["train", "--teacher", "LONG"],
        ["train", "--device", "LONG"],
    ],
    ids=" ".join,
)
def test_names_that_cannot_be_are_one_sentence_and_status_1(
    words: list[str], model: str, drawings: Path, tmp_path: Path, capsys: Captured
) -> None:
    drawings.write_text(SEVEN)
    names = {"LONG": 300 * "a", "SHORTER": 242 * "a", "drawings": str(drawings)}
    for name, value in names.items():
        words = [word.replace(name, value) for word in words]
    if words[0] in ("predict", "evaluate") and "--model" not in words:
        words = [*words, "--model", model]
    assert main(words) == 1
    sentence(capsys)


def test_a_sheet_does_not_take_the_place_of_something_else(
    model: str, drawings: Path, tmp_path: Path, capsys: Captured
) -> None:
    content = drawings.read_text()
    assert main(["evaluate", "--strokes", str(drawings), "--model", model, "--sheet", str(drawings)]) == 1
    assert "isn't a PNG picture: it would be lost" in sentence(capsys)
    assert drawings.read_text() == content
    (tmp_path / "pictures" / "7").mkdir(parents=True)
    picture = tmp_path / "pictures" / "7" / "a.png"
    Image.new("L", (28, 28), 255).save(picture)
    content_of_picture = picture.read_bytes()
    words = ["evaluate", "--images", str(tmp_path / "pictures"), "--model", model]
    assert main([*words, "--sheet", str(picture)]) == 1
    assert "would lie among the pictures" in sentence(capsys)
    assert picture.read_bytes() == content_of_picture
    link, old = tmp_path / "link.png", tmp_path / "old.png"
    old.write_bytes(content_of_picture)
    link.symlink_to(old)
    assert main([*words, "--sheet", str(link)]) == 0
    assert link.is_symlink()
    assert num_cells(old) == 1 - lines_of(run_json(words, capsys))[0]["correct"]


def run_json(words: list[str], capsys: Captured) -> str:
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    return capsys.readouterr().out


def test_a_number_that_is_none_is_null_in_json(drawings: Path, tmp_path: Path, capsys: Captured) -> None:
    info = ModelInfo(
        model=DIGIT_READER, temperature=1.0, training={"seed": math.inf}, seen=(), metrics={"val_loss": math.nan}
    )
    weights = {name: weight.numpy() for name, weight in make_model(DIGIT_READER).state_dict().items()}
    save_checkpoint(tmp_path / "odd.safetensors", info, weights)
    assert main(["info", "--model", str(tmp_path / "odd.safetensors"), "--json"]) == 0
    (facts,) = lines_of(capsys.readouterr().out)
    assert (facts["metrics"], facts["training"]) == ({"val_loss": None}, {"seed": None})


def test_a_calibration_that_is_no_number_is_null_in_json(capsys: Captured) -> None:
    confidences = np.array([0.9, math.nan], np.float32)
    evaluation = Evaluation(np.array([1, 1]), np.array([1, 0]), confidences, ("a", "b"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        print_json({**evaluation.facts(), "ece": evaluation.ece})
    (facts,) = lines_of(capsys.readouterr().out)
    assert facts == {"count": 2, "correct": 1, "accuracy": 0.5, "per_class": [None, 0.5], "ece": None}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", '"1.0"'),
        ("temperature", "true"),
        ("temperature", "NaN"),
        ("format_version", "true"),
        ("reject", '{"method": "logit", "threshold": true}'),
        ("metrics", '{"val_accuracy": "0.9"}'),
        ("seen", '"MNIST"'),
        ("seen", "[1]"),
    ],
)
def test_what_only_reads_like_a_number_or_a_list_is_none(
    name: str, value: str, model: str, tmp_path: Path, capsys: Captured
) -> None:
    with safe_open(model, framework="np") as file:
        metadata = {**file.metadata(), name: value}
        weights = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118  # it is no mapping
    save_file(weights, tmp_path / "odd.safetensors", metadata)
    assert main(["info", "--model", str(tmp_path / "odd.safetensors")]) == 1
    assert "odd.safetensors is no checkpoint of ViT Pad." in sentence(capsys)


def test_a_drawing_of_almost_no_length_does_not_take_the_others_with_it(
    model: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "drawings.jsonl"
    path.write_text(
        '{"strokes": [[[0,0],[1e-310,1e-310],[2e-310,0]]], "canvas": [1e9,1e9], "width": 1e-9, "label": 7}\n' + SEVEN
    )
    assert main(["evaluate", "--strokes", str(path), "--model", model, "--stress", "--json"]) == 0
    facts = lines_of(capsys.readouterr().out)
    assert {each["count"] for each in facts if "condition" in each} == {2}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has names that are no text")
def test_a_name_that_is_no_text_is_printed_somehow(model: str, drawings: Path, tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/seven-\xff.jsonl"))
    odd.write_bytes(drawings.read_bytes())
    words = [sys.executable, "-m", "training", "predict", str(odd), "--model", model]
    child = subprocess.run(words, capture_output=True, cwd=PROJECT)
    assert child.returncode == 0, child.stderr
    assert rb"seven-\udcff.jsonl:1: " in child.stdout


def test_shipped_assets_are_where_the_commands_look_for_them() -> None:
    assert asset("mnist/train-images-idx3-ubyte.gz").is_file()
    assert asset("recipes/article.toml").is_file()


def test_the_library_tells_its_version(capsys: Captured) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr() == (f"vit-pad {__version__}\n", "")
