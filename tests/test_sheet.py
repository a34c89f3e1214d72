"""The contact sheet: which failures come onto it, and that it can be read."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from training.errors import UserError
from training.metrics import Evaluation
from training.sheet import (
    CELL_PX,
    COLUMNS,
    IMAGE_PX,
    Failure,
    FailureSample,
    check_sheet_place,
    draw_sheet,
    write_sheet,
)

WIDTH, HEIGHT = CELL_PX


def failure(level: float = 0.5, channels: int = 1, size: int = 32, **names: str) -> Failure:
    image = np.full((channels, size, size), level, np.float32)
    return Failure(image, **{"truth": "4", "answer": "9", "probability": 0.87, "condition": "as drawn", **names})  # type: ignore[arg-type]


def cells(sheet: Image.Image) -> list[Image.Image]:
    """Cut a sheet into its cells, row by row."""
    assert (sheet.width % WIDTH, sheet.height % HEIGHT) == (0, 0)
    corners = [(x, y) for y in range(0, sheet.height, HEIGHT) for x in range(0, sheet.width, WIDTH)]
    return [sheet.crop((x, y, x + WIDTH, y + HEIGHT)) for x, y in corners]


def picture_in(cell: Image.Image) -> np.ndarray:
    margin = (WIDTH - IMAGE_PX) // 2
    return np.asarray(cell.crop((margin, margin, margin + IMAGE_PX, margin + IMAGE_PX)))


def has_text(cell: Image.Image) -> bool:
    caption = np.asarray(cell.crop((0, WIDTH, WIDTH, HEIGHT)))
    return len(np.unique(caption)) > 5  # smooth letters have many levels


@pytest.mark.parametrize(("count", "columns", "rows"), [(1, 1, 1), (5, 5, 1), (COLUMNS, 12, 1), (30, 12, 3)])
def test_there_is_one_cell_a_failure(count: int, columns: int, rows: int) -> None:
    sheet = draw_sheet([failure((number + 1) / 32) for number in range(count)])
    assert sheet.size == (columns * WIDTH, rows * HEIGHT)
    found = cells(sheet)
    for number in range(count):
        assert (picture_in(found[number]) == round(255 * (number + 1) / 32)).all()
        assert has_text(found[number])
    assert not any(has_text(cell) for cell in found[count:])


def test_pixels_are_enlarged_as_they_are() -> None:
    image = np.random.default_rng(0).random((1, 32, 32), dtype=np.float32)
    (cell,) = cells(draw_sheet([failure()._replace(image=image)]))
    expected = np.rint(255 * image[0]).repeat(4, axis=0).repeat(4, axis=1)
    np.testing.assert_array_equal(picture_in(cell)[..., 0], expected)


def test_colours_stay_and_large_images_are_made_smaller() -> None:
    image = np.stack([np.full((224, 224), level, np.float32) for level in (1.0, 0.2, 0.0)])
    (cell,) = cells(draw_sheet([failure()._replace(image=image)]))
    assert (picture_in(cell) == (255, 51, 0)).all()


def test_the_caption_tells_truth_answer_probability_and_condition() -> None:
    captions = [
        failure(),
        failure(truth="7"),
        failure(answer="3"),
        failure()._replace(probability=0.5),
        failure()._replace(truth=None),
        failure(condition="like MNIST"),
        failure(condition="as drawn\npen x 2"),
    ]
    below = [cell.crop((0, WIDTH, WIDTH, HEIGHT)).tobytes() for cell in cells(draw_sheet(captions))]
    assert len(set(below)) == len(captions)


def test_long_words_stay_in_their_cell() -> None:
    long = failure(truth="hippopotamus" * 3, answer="rhinoceros" * 3, condition="under water " * 9)
    left, right = cells(draw_sheet([long, failure()]))
    alone = cells(draw_sheet([failure(), failure()]))[1]
    assert right.tobytes() == alone.tobytes()
    assert left.tobytes() != alone.tobytes()


def test_the_file_is_a_png_whatever_its_name_and_the_same_each_time(tmp_path: Path) -> None:
    for name in ("one.png", "two.sheet"):
        write_sheet(tmp_path / name, [failure(), failure(0.1)])
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.sheet").read_bytes()
    with Image.open(tmp_path / "two.sheet") as sheet:
        assert (sheet.format, sheet.size) == ("PNG", (2 * WIDTH, HEIGHT))


def test_no_failures_are_one_cell_that_says_so(tmp_path: Path) -> None:
    sheet = draw_sheet([])
    assert sheet.size == CELL_PX
    assert len(np.unique(np.asarray(sheet))) > 5


def test_a_place_that_cannot_be_written_to_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "sheet.png"
    with pytest.raises(UserError, match=re.escape(f"{path} can't be written")):
        write_sheet(path, [])


def test_only_a_png_file_may_be_replaced_and_none_of_the_pictures(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    (pictures / "7").mkdir(parents=True)
    old, drawings = tmp_path / "old.png", tmp_path / "own.png"
    write_sheet(old, [])
    drawings.write_text('{"strokes": []}')
    check_sheet_place(old, pictures)
    check_sheet_place(tmp_path / "new.png", pictures)
    with pytest.raises(UserError, match=r"own\.png is there and isn't a PNG picture: it would be lost"):
        check_sheet_place(drawings)
    write_sheet(pictures / "7" / "a.png", [])
    for place in (pictures / "7" / "a.png", pictures / "new.png"):
        check_sheet_place(place)
        with pytest.raises(UserError, match=r"would lie among the pictures in .*pictures\. Choose another folder\."):
            check_sheet_place(place, pictures)


def batch(first: int, count: int, wrong: set[int]) -> tuple[np.ndarray, Evaluation]:
    """Make images whose level is their number / 1000, those in `wrong` read wrongly."""
    numbers = np.arange(first, first + count)
    images = np.broadcast_to((numbers / 1000).astype(np.float32)[:, None, None, None], (count, 1, 2, 2))
    answers = np.array([int(number in wrong) for number in numbers])
    return images, Evaluation(np.zeros(count, np.int64), answers, np.full(count, 0.75, np.float32), ("a", "b"))


def numbers_in(sample: FailureSample) -> list[int]:
    return [round(1000 * float(each.image[0, 0, 0])) for each in sample.chosen]


def test_all_failures_are_kept_while_there_is_room() -> None:
    sample = FailureSample("as drawn", 5)
    for first in (0, 10):
        sample.add(*batch(first, 10, {3, 8, 12}))
    assert numbers_in(sample) == [3, 8, 12]
    assert [each[1:] for each in sample.chosen] == [("a", "b", 0.75, "as drawn")] * 3


def test_a_truth_that_is_no_class_is_kept_as_such() -> None:
    sample = FailureSample("as drawn")
    images, evaluation = batch(0, 1, {0})
    sample.add(images, Evaluation(np.array([-1]), evaluation.answers, evaluation.confidences, ("a", "b")))
    assert sample.chosen[0].truth is None


def test_every_failure_has_the_same_chance() -> None:
    times = np.zeros(40)
    for trial in range(600):
        sample = FailureSample(f"trial {trial}", 4)
        for first in range(0, 80, 20):
            sample.add(*batch(first, 20, set(range(1, 80, 2))))
        chosen = numbers_in(sample)
        assert len(set(chosen)) == 4
        times[[number // 2 for number in chosen]] += 1
    # Each is expected 60 times, with a standard deviation of 7.3.
    assert times.min() > 60 - 4.5 * 7.3
    assert times.max() < 60 + 4.5 * 7.3


def test_the_choice_is_the_same_each_time() -> None:
    samples = [FailureSample("as drawn", 3), FailureSample("as drawn", 3), FailureSample("like MNIST", 3)]
    for sample in samples:
        sample.add(*batch(0, 300, set(range(300))))
    assert numbers_in(samples[0]) == numbers_in(samples[1]) != numbers_in(samples[2])
