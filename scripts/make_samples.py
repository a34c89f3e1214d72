"""Make assets/samples from assets/mnist: the first ten images of each digit in MNIST's test set, on one sheet.

`mnist.png` has a row of ten cells of 28 x 28 pixels for each digit; `mnist.json` has the numbers that the images have
in the test set, counted from 0, and their labels, row by row. Called as `python scripts/make_samples.py`; the same
files come out each time.
"""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from training.atomic import atomic_write
from training.paths import asset

SIDE_PX = 28
PER_CLASS = 10
_HEADER_BYTES = {"images": 16, "labels": 8}


def main() -> None:
    """Write both files."""
    images = read_idx("images").reshape(-1, SIDE_PX, SIDE_PX)
    labels = read_idx("labels")
    numbers = np.concatenate([np.flatnonzero(labels == label)[:PER_CLASS] for label in range(10)])
    cells = images[numbers].reshape(10, PER_CLASS, SIDE_PX, SIDE_PX)
    sheet = Image.fromarray(cells.transpose(0, 2, 1, 3).reshape(10 * SIDE_PX, PER_CLASS * SIDE_PX))
    png = io.BytesIO()
    sheet.save(png, "PNG", optimize=True)
    facts = {"numbers": numbers.tolist(), "labels": [str(label) for label in labels[numbers]]}
    folder = asset("samples")
    folder.mkdir(exist_ok=True)
    write(folder / "mnist.png", png.getvalue())
    write(folder / "mnist.json", (json.dumps(facts) + "\n").encode())


def read_idx(what: str) -> npt.NDArray[np.uint8]:
    """Read the bytes of the test set's images or labels, without their header."""
    name = f"mnist/t10k-{what}-idx{3 if what == 'images' else 1}-ubyte.gz"
    content = gzip.decompress(asset(name).read_bytes())
    return np.frombuffer(content, np.uint8, offset=_HEADER_BYTES[what])


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)


if __name__ == "__main__":
    main()
