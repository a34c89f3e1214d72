"""What a run learns from: MNIST, and beside it pen strokes, made-up styles and what is no digit, drawn like MNIST.

All of it is drawn once, at the start of a run, from the run's own seed: going on with the run draws the same again.
"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from training.config import TrainConfig
from training.curves import hand
from training.data import NO_CLASS, ImageSet, TrainingData, md5_of_file, mnist_training_data
from training.distort import box, jittered, mapped, thinned, with_gap
from training.errors import UserError
from training.ink import make_image
from training.non_digits import make_non_digits, make_pictures
from training.paths import cache_folder
from training.strokes import Drawing, on_pad, read_drawings
from training.styles import make_digits

MNIST_SEEN = "MNIST, the first 55,000 training images"
# Sets of pen strokes that are known by name, and the writers that tests keep for themselves.
STROKE_SETS = {"pendigits-train": "pendigits-train.jsonl.gz"}
_PICTURE_SHARE = 0.5  # of what is no digit; the rest is drawn with a pen

# How far a copy of a pen drawing is from what was drawn; the first copy is as it was.
_TURN_DEG = 18.0
_SHEAR = 0.35
_NARROWEST = 0.75
_MOST_THINNED = 3  # every third point is left
_MOST_JITTER = 0.02
_GAP = 0.1
_GAP_SHARE = 0.15  # of the copies have a gap


def training_data(config: TrainConfig) -> tuple[TrainingData, tuple[str, ...]]:
    """Load and draw what `config` says to learn from, and tell in words what that is.

    Raises:
        UserError: MNIST or the pen strokes aren't there.
    """
    data = mnist_training_data(config.images_per_class, config.seed)
    seen = [MNIST_SEEN]
    if not config.learns_from_more_than_mnist:
        return data, tuple(seen)
    size = config.model_config().image_size
    generator = np.random.default_rng(config.seed)
    mnist = data.train.resized(size)
    parts = [mnist]
    if config.strokes is not None:
        drawings = stroke_drawings(config)
        parts.append(
            _drawn([_copy(each, generator, n) for each in drawings for n in range(config.stroke_copies)], mnist)
        )
        seen.append(_strokes_seen(config, len(drawings)))
    if config.styles:
        parts.append(_drawn(make_digits(config.styles, mnist.class_names, generator), mnist))
        seen.append("digits made up in many styles")
    if config.non_digits:
        num_pictures = int(_PICTURE_SHARE * config.non_digits)
        parts.append(_drawn(make_non_digits(config.non_digits - num_pictures, generator), mnist))
        pictures = torch.from_numpy(make_pictures(num_pictures, size, mnist.images.numpy(), generator))
        parts.append(ImageSet(pictures, torch.full((num_pictures,), NO_CLASS), mnist.class_names))
        seen.append("signs, lines and pictures made up that are no digits")
    together = ImageSet(
        torch.cat([part.images for part in parts]), torch.cat([part.labels for part in parts]), mnist.class_names
    )
    return TrainingData(together, data.validation), tuple(seen)


def stroke_drawings(config: TrainConfig) -> tuple[Drawing, ...]:
    """Read the pen strokes that a config names, without those of the writers left out.

    Raises:
        UserError: the file isn't there, is another one, or holds no labelled drawing.
    """
    assert config.strokes is not None
    path = stroke_file(config.strokes)
    if config.strokes_md5 not in (None, md5_of_file(path)):
        raise UserError(
            "{path} isn't the file that the recipe was made with (its md5 must be {md5}). Get that one.",
            path=path,
            md5=config.strokes_md5,
        )
    left_out = set(config.left_out_writers.split(",")) - {""}
    classes = config.model_config().class_names
    drawings = tuple(
        on_pad(each)
        for each in read_drawings(path).drawings
        if each.label in classes and str(each.extra.get("writer")) not in left_out
    )
    if not drawings:
        raise UserError("{path} holds no drawing to learn from: none that is left has a digit as label.", path=path)
    return drawings


def stroke_file(name: str) -> Path:
    """Give the file of pen strokes: a known set's, which lies among the data in the cache, or the one named.

    Raises:
        UserError: it isn't there, or is no file.
    """
    known = STROKE_SETS.get(name)
    if known is None:
        return _named_file(name)
    path = cache_folder() / "datasets" / known
    if path.is_file():
        return path
    raise UserError(
        "The pen strokes {name} aren't there. Put {file} (Pen-Based Recognition of Handwritten Digits from the UCI "
        "Machine Learning Repository, as a drawing file) into {folder}.",
        name=name,
        file=known,
        folder=path.parent,
    )


def _named_file(name: str) -> Path:
    path = Path(name)
    with contextlib.suppress(RuntimeError):  # ~ of someone who isn't there
        path = path.expanduser()
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise UserError("{path} isn't there. Name a drawing file with pen strokes.", path=path) from error
    except (OSError, ValueError) as error:  # a name too long, or none at all
        raise UserError(
            "{path} can't be read ({reason}). Name a drawing file with pen strokes.",
            path=path,
            reason=getattr(error, "strerror", None) or error,
        ) from error
    if stat.S_ISDIR(mode):
        raise UserError("{path} is a folder. Name a drawing file in it.", path=path)
    if not stat.S_ISREG(mode):
        raise UserError("{path} is no file. Name a drawing file with pen strokes.", path=path)
    return path


def _strokes_seen(config: TrainConfig, count: int) -> str:
    without = f" without the writers {config.left_out_writers.replace(',', ', ')}" if config.left_out_writers else ""
    return f"{count:,} pen drawings of {config.strokes}{without}"


def _copy(drawing: Drawing, generator: np.random.Generator, number: int) -> Drawing:
    """Give a drawing as somebody else might have drawn it; the first copy is the drawing itself."""
    if number == 0:
        return drawing
    drawing = thinned(drawing, int(generator.integers(1, _MOST_THINNED + 1)))
    low, high = box(drawing)
    sigma = generator.uniform(0, _MOST_JITTER) * generator.integers(2) * float((high - low).max())
    drawing = jittered(drawing, sigma, generator)
    if generator.random() < _GAP_SHARE:
        drawing = with_gap(drawing, _GAP, generator)
    return mapped(drawing, hand(generator, _TURN_DEG, _SHEAR, _NARROWEST))


def _drawn(drawings: Sequence[Drawing], like: ImageSet) -> ImageSet:
    """Draw like MNIST, at the size of the images of another set and with its classes."""
    size = like.images.shape[-1]
    places = {name: place for place, name in enumerate(like.class_names)}
    images = list(_images_of(drawings, size))
    labels = [NO_CLASS if each.label is None else places[each.label] for each in drawings]
    return ImageSet(torch.from_numpy(np.stack(images)), torch.tensor(labels), like.class_names)


def _images_of(drawings: Iterable[Drawing], size: int) -> Iterable[npt.NDArray[np.uint8]]:
    for each in drawings:
        ink = make_image(each.strokes, None, "like-mnist", size, 1)
        grey = np.zeros((1, size, size), np.float32) if ink is None else ink.image
        yield np.rint(255 * grey).astype(np.uint8)
