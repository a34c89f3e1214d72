"""Compare ink drawn like MNIST with MNIST itself: width, softness, box, centre and mass of both, side by side.

Called as `python scripts/compare_ink.py pendigits-train.jsonl.gz`. It shows whether the constants in training/ink.py,
LINE_SHARE and EDGE_SHARE above all, still make what a model trained on MNIST has seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from training.config import PRESETS
from training.data import load_mnist
from training.evaluate import batches_of_drawings, batches_of_set
from training.strokes import read_drawings

CONFIG = PRESETS["pad-8"]
INK = 0.1  # fainter than this is no ink to whoever looks for the box's edges

Values = npt.NDArray[np.float64]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="drawing file")
    drawings = read_drawings(parser.parse_args().file).drawings
    mnist = measure_all(images.numpy() for images, _ in batches_of_set(load_mnist("train"), CONFIG))
    pen = measure_all(images.numpy() for images, _ in batches_of_drawings(drawings, CONFIG, "like-mnist"))
    table = Table(title=f"images of {CONFIG.image_size} x {CONFIG.image_size} pixels")
    table.add_column("")
    for name in ("MNIST", "pen"):
        for column in ("quarter", "median", "3 quarters", "mean"):
            table.add_column(f"{name}\n{column}", justify="right")
    for name in mnist:
        table.add_row(name, *summary(mnist[name]), *summary(pen[name]))
    Console(width=120).print(table)


def measure_all(batches: Iterable[npt.NDArray[np.float32]]) -> dict[str, Values]:
    """Measure all images of several batches (B, 1, S, S)."""
    parts = [measure(batch[:, 0].astype(np.float64)) for batch in batches]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def measure(images: Values) -> dict[str, Values]:
    """Give what there is to know of each image (B, S, S), 0 paper .. 1 pen, as (B,) by name; lengths in pixels."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    right, down = np.diff(padded, axis=2), np.diff(padded, axis=1)
    slope = np.hypot((right[:, 1:] + right[:, :-1]) / 2, (down[:, :, 1:] + down[:, :, :-1]) / 2)
    ink, variation, steepness = (each.sum(axis=(1, 2)) for each in (images, slope, slope**2))
    size = images.shape[-1]
    spans, centres = [], []
    for axis in (1, 2):
        has_ink = images.max(axis=axis) > INK  # (B, S), along x, then along y
        spans.append(size - has_ink[:, ::-1].argmax(axis=1) - has_ink.argmax(axis=1))
        centres.append(images.sum(axis=axis) @ (np.arange(size) + 0.5) / ink - size / 2)
    width, height = spans
    return {
        "line width": 2 * ink / variation,  # a line of width w and length l has w * l of ink and two edges of l
        "softness": variation / steepness,  # a straight slope over s pixels has a variation of 1 and s * (1 / s)**2
        "box width": width.astype(np.float64),
        "box height": height.astype(np.float64),
        "longer side": np.maximum(width, height).astype(np.float64),
        "centre, x": centres[0],
        "centre, y": centres[1],
        "centre, off by": np.hypot(*centres),
        "sum of ink": ink,
        "peak": images.max(axis=(1, 2)),
    }


def summary(values: Values) -> list[str]:
    """Give quartiles and mean as the table has them."""
    return [f"{value:.3f}" for value in (*np.quantile(values, (0.25, 0.5, 0.75)), values.mean())]


if __name__ == "__main__":
    main()
