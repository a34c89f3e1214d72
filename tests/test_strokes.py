"""Drawings and the drawing file."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.errors import UserError
from training.facts import Box
from training.source import read_source
from training.strokes import (
    PAD,
    Drawing,
    Stroke,
    drawing_from_json,
    drawing_to_json,
    on_pad,
    read_drawings,
    write_drawings,
)

GOOD = '{"strokes":[[[10,20],[30,40]]],"label":7}'
COORDINATES = st.floats(-1e9, 1e9) | st.integers(-(10**9), 10**9).map(float)


@st.composite
def drawings(draw: st.DrawFn) -> Drawing:
    """Make a drawing that a file can hold: canvas from (0, 0)."""
    sizes = draw(st.lists(st.tuples(st.integers(1, 5), st.integers(2, 4)), max_size=4))
    strokes = tuple(
        Stroke(
            np.array(draw(st.lists(st.lists(COORDINATES, min_size=k, max_size=k), min_size=n, max_size=n))),
            draw(st.floats(1e-3, 1e9)),
        )
        for n, k in sizes
    )
    sides = st.floats(1e-3, 1e9)
    return Drawing(
        strokes=strokes,
        canvas=Box(0.0, 0.0, draw(sides), draw(sides)),
        label=draw(st.none() | st.text(max_size=5) | st.integers().map(str)),
        extra=draw(st.dictionaries(st.text(min_size=8), st.none() | st.integers() | st.text(), max_size=3)),
    )


def same(one: Drawing, other: Drawing) -> bool:
    return (
        (one.canvas, one.label, dict(one.extra)) == (other.canvas, other.label, dict(other.extra))
        and len(one.strokes) == len(other.strokes)
        and all(
            a.width == b.width and np.array_equal(a.points, b.points)
            for a, b in zip(one.strokes, other.strokes, strict=True)
        )
    )


@given(drawings())
def test_drawing_comes_back_from_its_line(drawing: Drawing) -> None:
    assert same(drawing_from_json(drawing_to_json(drawing)), drawing)


@pytest.mark.parametrize("name", ["some.jsonl", "some.jsonl.gz"])
def test_file_comes_back_with_unknown_keys(tmp_path: Path, name: str) -> None:
    line = {"strokes": [[[1, 2.5], [3, 4]], [[5, 6]]], "label": 3, "writer": "tra1", "more": {"a": [1, None]}}
    path = tmp_path / name
    write_drawings(path, [drawing_from_json(json.dumps(line))])
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == (path.suffix == ".gz")
    again = read_drawings(path)
    assert again.drawings[0].extra == {"writer": "tra1", "more": {"a": [1, None]}}
    assert json.loads(drawing_to_json(again.drawings[0])) == line


def test_same_drawings_give_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl.gz"
    write_drawings(path, [drawing_from_json(GOOD)])
    assert path.read_bytes()[4:8] == bytes(4)  # the place of the time in a gzip file


def test_gzip_is_told_by_the_content(tmp_path: Path) -> None:
    path = tmp_path / "no-suffix"
    path.write_bytes(gzip.compress(GOOD.encode()))
    assert read_drawings(path).drawings[0].label == "7"


@pytest.mark.parametrize(
    ("value", "label"), [("7", "7"), ('"7"', "7"), ("7.0", "7"), ("7.5", "7.5"), ('"cat"', "cat"), ("null", None)]
)
def test_labels_are_text(value: str, label: str | None) -> None:
    assert drawing_from_json(f'{{"strokes":[],"label":{value}}}').label == label


def test_canvas_and_widths_that_are_not_given() -> None:
    drawing = drawing_from_json('{"strokes":[[[100,0],[200,50]]]}')
    assert drawing.canvas == pytest.approx((80, -20, 140, 90))
    assert drawing.strokes[0].width == pytest.approx(140 * 22 / 400)


def test_canvas_and_widths_that_are_given() -> None:
    drawing = drawing_from_json('{"strokes":[[[0,0]],[[1,1]]],"canvas":[28,14],"width":[2,3.5]}')
    assert drawing.canvas == (0, 0, 28, 14)
    assert [each.width for each in drawing.strokes] == [2, 3.5]


def test_dot_without_canvas_lies_in_the_middle_of_the_pad() -> None:
    placed = on_pad(drawing_from_json('{"strokes":[[[12345,6]]]}'))
    assert placed.strokes[0].points.tolist() == [[200, 200]]
    assert placed.strokes[0].width == pytest.approx(22)


def test_empty_drawing_is_a_drawing() -> None:
    drawing = drawing_from_json('{"strokes":[]}')
    assert (drawing.strokes, drawing.canvas) == ((), PAD)


def test_on_pad_fits_the_longer_side_and_keeps_time_and_pressure() -> None:
    drawing = drawing_from_json('{"strokes":[[[0,0,5,0.5],[200,100,9,0.7]]],"canvas":[200,100],"width":10}')
    placed = on_pad(drawing)
    assert placed.strokes[0].points.tolist() == [[0, 100, 5, 0.5], [400, 300, 9, 0.7]]
    assert (placed.strokes[0].width, placed.canvas) == (20, PAD)
    assert drawing.strokes[0].points[1].tolist() == [200, 100, 9, 0.7]  # untouched


def test_canvas_off_the_corner_is_moved_to_it_in_the_file() -> None:
    drawing = Drawing(strokes=(Stroke(np.array([[15.0, 25.0]]), 3.0),), canvas=Box(10, 20, 40, 40))
    again = drawing_from_json(drawing_to_json(drawing))
    assert again.canvas == (0, 0, 40, 40)
    assert again.strokes[0].points.tolist() == [[5, 5]]
    assert np.array_equal(on_pad(again).strokes[0].points, on_pad(drawing).strokes[0].points)


def test_points_are_read_only() -> None:
    drawing = drawing_from_json(GOOD)
    for each in (drawing, on_pad(drawing)):
        with pytest.raises(ValueError, match="read-only"):
            each.strokes[0].points[0, 0] = 1


BAD_LINES = {
    '{"strokes":[[[1,2],': "not JSON",
    "[" * 100_000: "not JSON",
    "nothing": "not JSON",
    "[1,2]": "something else",
    '{"label":3}': '"strokes" must be a list',
    '{"strokes":{"a":1}}': '"strokes" must be a list',
    '{"strokes":[[]]}': "Stroke 1 has no points",
    '{"strokes":[[[1,2]],5]}': "Stroke 2 has no points",
    '{"strokes":[[[1]]]}': "points of stroke 1 must all be",
    '{"strokes":[[[1,2],[1,2,3]]]}': "points of stroke 1 must all be",
    '{"strokes":[[[1,2,3,4,5]]]}': "points of stroke 1 must all be",
    '{"strokes":[[5]]}': "points of stroke 1 must all be",
    '{"strokes":[[[1,"2"]]]}': "no number",
    '{"strokes":[[[1,null]]]}': "no number",
    '{"strokes":[[[true,2]]]}': "no number",
    '{"strokes":[[[NaN,2]]]}': "NaN is no number",
    '{"strokes":[[[1,-Infinity]]]}': "-Infinity is no number",
    '{"strokes":[[[1,1e999]]]}': "1e999 is too large",
    '{"strokes":[[[1,2e9]]]}': "farther than 1,000,000,000",
    '{"strokes":[[[1,%s]]]}' % ("9" * 400): "farther than 1,000,000,000",
    '{"strokes":[],"label":[1]}': '"label" is [1]',
    '{"strokes":[],"label":true}': '"label" is true',
    '{"strokes":[],"canvas":[0,5]}': '"canvas" is [0, 5]',
    '{"strokes":[],"canvas":[5]}': '"canvas" is [5]',
    '{"strokes":[],"canvas":"big"}': '"canvas" is "big"',
    '{"strokes":[[[1,2]]],"width":0}': '"width" is 0',
    '{"strokes":[[[1,2]]],"width":[1,2]}': '"width" is [1, 2]',
    '{"strokes":[[[1,2]],[[1,2]]],"width":[1,"x",2]}': '"width" is [1, "x", 2]',
}


@pytest.mark.parametrize(("line", "sentence"), BAD_LINES.items(), ids=range(len(BAD_LINES)))
def test_bad_line_is_reported_and_the_others_count(tmp_path: Path, line: str, sentence: str) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(f"{GOOD}\n\n{line}\n{GOOD}\n", encoding="utf-8")
    found = read_drawings(path)
    assert found.line_numbers == (1, 4)
    assert [each.label for each in found.drawings] == ["7", "7"]
    (problem,) = found.problems
    assert problem.number == 3
    assert sentence in str(problem.message)


def test_line_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_bytes(b'{"strokes":[],"label":"\xff"}\n' + GOOD.encode())
    found = read_drawings(path)
    assert [(each.number, str(each.message)) for each in found.problems] == [(1, "This is not UTF-8 text.")]
    assert len(found.drawings) == 1


def test_windows_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode() + b"\r\n" + GOOD.encode() + b"\r\n")
    found = read_drawings(path)
    assert (len(found.drawings), found.problems) == (2, ())


def test_gzip_cut_short_keeps_what_came_before(tmp_path: Path) -> None:
    lines = [json.dumps({"strokes": [np.random.default_rng(i).normal(size=(50, 2)).tolist()]}) for i in range(200)]
    whole = gzip.compress("\n".join(lines).encode())
    path = tmp_path / "some.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])
    found = read_drawings(path)
    assert 50 < len(found.drawings) < 150
    assert "cut short" in str(found.problems[-1].message)


def no_such_file(folder: Path) -> Path:
    return folder / "none.jsonl"


def a_folder(folder: Path) -> Path:
    return folder


def an_empty_file(folder: Path) -> Path:
    return written(folder, b"")


def a_picture(folder: Path) -> Path:
    return written(folder, b"\x89PNG\r\n\x1a\n" + bytes(range(256)))


def a_stub_of_gzip(folder: Path) -> Path:
    return written(folder, gzip.compress(GOOD.encode())[:12])


def no_gzip_after_all(folder: Path) -> Path:
    return written(folder, b"\x1f\x8bnothing of the kind")


def written(folder: Path, content: bytes) -> Path:
    path = folder / "some.jsonl"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (no_such_file, "isn't there"),
        (a_folder, "is a folder"),
        (an_empty_file, "is empty"),
        (a_picture, "no drawing that can be read. Line 1: This is not UTF-8"),
        (a_stub_of_gzip, "Line 1: The file is damaged"),
        (no_gzip_after_all, "Line 1: The file is damaged"),
    ],
)
def test_file_without_drawings_is_refused_in_a_sentence(tmp_path: Path, make: Any, sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        read_drawings(make(tmp_path))
    assert sentence in str(caught.value)


def test_writing_into_a_missing_folder_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="can't be written"):
        write_drawings(tmp_path / "none" / "some.jsonl", [drawing_from_json(GOOD)])


def test_reading_stops_at_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    line = '{"strokes": [[[1, 1]]]}\n'
    path.write_text("bad\n" + 2 * line + "bad\n" + line)
    file = read_drawings(path, limit=2)
    assert (len(file.drawings), file.line_numbers) == (2, (2, 3))
    assert [problem.number for problem in file.problems] == [1]
    assert read_drawings(path).line_numbers == (2, 3, 5)


def test_a_label_of_very_many_digits_is_kept(tmp_path: Path) -> None:
    label = "1" * 400
    path = tmp_path / "drawing.jsonl"
    path.write_text(f'{{"strokes": [[[1, 1]]], "label": {label}}}')
    assert read_drawings(path).drawings[0].label == label


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are a thing of POSIX systems")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    os.mkfifo(tmp_path / "pipe.png")
    for name in ("pipe.jsonl", "pipe.png"):
        with pytest.raises(UserError, match="is no file"):
            read_source(tmp_path / name)


def test_a_canvas_too_small_to_be_scaled_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "drawing.jsonl"
    path.write_text('{"strokes": [[[1e9, 1]]], "canvas": [1e-299, 1e-299]}')
    with pytest.raises(UserError, match="canvas"):
        read_drawings(path)
