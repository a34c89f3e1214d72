"""What a model refuses: `python -m tests.benchmarks.reject --model pad-4 --strokes pendigits-train.jsonl.gz`.

Each way of telling how strange an answer is gets the threshold that refuses as many validation images as the shipped
models do; then it is asked what it refuses of MNIST's test digits, of the digits of writers kept out of all training,
of Fashion-MNIST's test images, of shapes drawn as strokes, and of dots. What the program itself does is the row with
the method that the checkpoint names; it takes a dot for too little ink whatever the model says.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from tests.shapes import SHAPES, dots, drawings_of
from training.calibrate import REFUSED_SHARE
from training.checkpoint import load_checkpoint
from training.data import NO_CLASS, ImageSet, load_mnist
from training.evaluate import Batch, batches_of_drawings, batches_of_set
from training.facts import PredictionRequest
from training.models import find_model
from training.network import Network
from training.paths import cache_folder
from training.predict import load_predictor
from training.reject import METHODS
from training.strokes import Drawing, drawings_by, read_drawings

DEBIAN_FOLDER = Path("/usr/share/datasets/fashion-mnist")  # of the package dataset-fashion-mnist
KEPT_OUT = "tra26,tra27,tra28,tra29,tra30"
NUM_FITTED = 10_000  # training images from whose features the distance is made
Floats = npt.NDArray[np.float64]


def fashion_mnist() -> ImageSet:
    """Load Fashion-MNIST's test images: Debian's where they are, else torchvision's."""
    path = DEBIAN_FOLDER / "t10k-images-idx3-ubyte.gz"
    if path.is_file():
        pixels = np.frombuffer(gzip.decompress(path.read_bytes()), np.uint8, offset=16).reshape(-1, 1, 28, 28).copy()
        images = torch.from_numpy(pixels)
    else:
        from torchvision.datasets import FashionMNIST

        images = FashionMNIST(cache_folder() / "datasets", train=False, download=True).data[:, None]
    return ImageSet(images, torch.full((len(images),), NO_CLASS), ("none",))


@torch.inference_mode()
def answers(model: Network, batches: Iterable[Batch], temperature: float) -> tuple[Floats, Floats]:
    """Give the logits (N, C), divided by the temperature, and what the classifier reads, (N, D)."""
    parts = [model.inspect(images, with_unread=False) for images, _ in batches]
    logits = torch.cat([part.logits for part in parts]).double().numpy() / temperature
    return logits, torch.cat([part.features for part in parts]).double().numpy()


def class_distance(features: Floats, labels: npt.NDArray[np.int64]) -> Callable[[Floats], Floats]:
    """Fit the distance to the nearest class (Lee et al., NeurIPS 2018): Mahalanobis, one covariance for all."""
    means = np.stack([features[labels == label].mean(axis=0) for label in range(labels.max() + 1)])  # (C, D)
    rest = features - means[labels]
    whiten = np.linalg.cholesky(np.linalg.pinv(rest.T @ rest / len(rest) + 1e-6 * np.eye(features.shape[1])))  # (D, D)

    def distance(others: Floats) -> Floats:
        gaps = (others[:, None] - means[None]) @ whiten  # (N, C, D)
        nearest: Floats = (gaps**2).sum(axis=-1).min(axis=-1)  # (N,)
        return nearest

    return distance


def main() -> None:
    """Measure, and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="pad-4")
    parser.add_argument("--strokes", type=Path, required=True, help="drawing file with labels and writers")
    options = parser.parse_args()
    model, info = load_checkpoint(find_model(options.model))

    def answers_to_set(images: ImageSet) -> tuple[Floats, Floats]:
        return answers(model, batches_of_set(images, model.config), info.temperature)

    def answers_to_drawings(drawings: Iterable[Drawing]) -> tuple[Floats, Floats]:
        labelled = [Drawing(strokes=each.strokes, canvas=each.canvas, label="none") for each in drawings]
        return answers(model, batches_of_drawings(labelled, model.config, "like-mnist"), info.temperature)

    fitted = load_mnist("train").take(torch.arange(NUM_FITTED))
    distance = class_distance(answers_to_set(fitted)[1], fitted.labels.numpy())
    kept_out = drawings_by(read_drawings(options.strokes).drawings, KEPT_OUT)
    validation = answers_to_set(load_mnist("val"))
    asked = {
        "MNIST test": answers_to_set(load_mnist("test")),
        "kept-out writers": answers_to_drawings(kept_out),
        "Fashion-MNIST": answers_to_set(fashion_mnist()),
        "shapes": answers_to_drawings([each for shape in SHAPES for each in drawings_of(shape)]),
    }
    asked |= {shape: answers_to_drawings(drawings_of(shape)) for shape in SHAPES}
    print(f"Refused in percent by {options.model}, at {REFUSED_SHARE:.1%} of the validation images")
    print(f"| method | {' | '.join(asked)} |\n|{' --- |' * (1 + len(asked))}")
    for name, method in {**METHODS, "distance": distance}.items():
        part = 1 if name == "distance" else 0
        threshold = np.quantile(method(validation[part]), 1 - REFUSED_SHARE, method="higher")
        shares = [100 * float((method(each[part]) > threshold).mean()) for each in asked.values()]
        mark = "**" if info.reject is not None and info.reject.method == name else ""
        print(f"| {mark}{name}{mark} | {' | '.join(f'{share:.1f}' for share in shares)} |")
    predictor = load_predictor(options.model, "cpu")
    refused = [predictor.predict(PredictionRequest(revision=1, strokes=dot.strokes)) for dot in dots()]
    print(f"dots refused: {sum(each is None or each.unsure for each in refused)} of {len(refused)}")


if __name__ == "__main__":
    main()
