"""How often a digit is taken apart, and a number taken apart rightly: `python -m tests.benchmarks.digits FILE`.

FILE is a drawing file with labels and writers, as pendigits-train.jsonl.gz.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tests.numbers import Number, side_by_side
from training.digits import split_digits
from training.strokes import Drawing, on_pad, read_drawings

KEPT_OUT = tuple(f"tra{number}" for number in range(26, 31))
GAPS = (0.15, 0.25, 0.4)
COUNT = 2_000  # numbers of each kind


def num_split(drawings: Sequence[Drawing]) -> int:
    """Count the drawings of one digit that are taken for several."""
    return sum(len(split_digits(on_pad(each).strokes)) > 1 for each in drawings)


def is_split_rightly(number: Number) -> bool:
    """Tell whether the digits of a number are found, each with its own strokes."""
    found = split_digits([stroke for digit in number for stroke in digit])
    return [set(digit) for digit in found] == [set(digit) for digit in number]


def share_split_rightly(by_writer: Mapping[str, Sequence[Drawing]], num_digits: int, gap: float) -> float:
    """Give the share of random numbers, each by one writer, of which all digits are found."""
    generator = np.random.default_rng(0)
    writers = sorted(by_writer)
    right = 0
    for _ in range(COUNT):
        drawings = by_writer[writers[generator.integers(len(writers))]]
        chosen = [drawings[place] for place in generator.integers(len(drawings), size=num_digits)]
        right += is_split_rightly(side_by_side(chosen, gap, generator))
    return right / COUNT


def main(path: Path) -> None:
    """Print the figures for the writers that digits.py was tuned on, and for those kept out."""
    groups: dict[bool, list[Drawing]] = {False: [], True: []}
    for each in read_drawings(path).drawings:
        groups[each.extra.get("writer") in KEPT_OUT].append(each)
    for is_kept_out, drawings in groups.items():
        by_writer = defaultdict(list)
        for each in drawings:
            by_writer[str(each.extra.get("writer"))].append(each)
        count = num_split(drawings)
        print(f"{'kept-out' if is_kept_out else 'other'} writers: {len(by_writer)}")
        print(f"  digits taken apart: {count} of {len(drawings)}, {count / len(drawings):.2%}")
        for num_digits in (2, 3):
            shares = (f"{share_split_rightly(by_writer, num_digits, gap):.2%} at {gap:.0%}" for gap in GAPS)
            print(f"  numbers of {num_digits} digits found, by the gap as a share of the height: {', '.join(shares)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
