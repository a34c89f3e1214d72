"""The sets of images: MNIST, and how batches are taken from a set."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import torch
from filelock import FileLock
from torch import Tensor
from torch.nn import functional

from training.config import DIGITS
from training.errors import Message, UserError
from training.paths import asset, cache_folder

if TYPE_CHECKING:
    from torchvision.datasets import MNIST

NUM_VALIDATION = 5_000  # the last training images of MNIST
MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)
DOWNLOAD_TIMEOUT_S = 20
_RESIZED_AT_ONCE = 5_000
NO_CLASS = -1  # the label of what is none of the classes


@dataclass(frozen=True)
class MnistFile:
    """One of the four original files, with the md5 of the packed file and of its content."""

    name: str
    packed_md5: str
    content_md5: str


MNIST_FILES = (
    MnistFile("train-images-idx3-ubyte", "f68b3c2dcbeaaa9fbdd348bbdeb94873", "6bbc9ace898e44ae57da46a324031adb"),
    MnistFile("train-labels-idx1-ubyte", "d53e105ee54ea40749a09fcbcd1e9432", "a25bea736e30d166cdddb491f175f624"),
    MnistFile("t10k-images-idx3-ubyte", "9fb629c4189551a2d022fa330f9573f3", "2646ac647ad5339dbf082846283269ea"),
    MnistFile("t10k-labels-idx1-ubyte", "ec29112dd5afa0611ce80d1b7f02629c", "27ae3e4e09519cfbb04c329615203637"),
)


@dataclass(frozen=True, eq=False)
class ImageSet:
    """Labelled images, whole on one device."""

    images: Tensor  # uint8 (N, channels, height, width), 0 paper .. 255 pen
    labels: Tensor  # int64 (N,), NO_CLASS for what is none of them
    class_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)

    def to(self, device: torch.device) -> ImageSet:
        """Give the same set on `device`."""
        return ImageSet(self.images.to(device), self.labels.to(device), self.class_names)

    def take(self, indices: Tensor) -> ImageSet:
        """Give the set of the images at `indices` (n,)."""
        return ImageSet(self.images[indices], self.labels[indices], self.class_names)

    def batch(self, indices: Tensor, image_size: int, in_channels: int) -> tuple[Tensor, Tensor]:
        """Give the images at `indices` (B,) as model input (B, in_channels, S, S) in 0 .. 1, and their labels (B,).

        Grey images are repeated in each channel, as ink is.

        Raises:
            UserError: the images have colours, and the model takes another number of channels.
        """
        images = self.images[indices].float() / 255
        if images.shape[-2:] != (image_size, image_size):
            images = functional.interpolate(images, size=(image_size, image_size), mode="bilinear", antialias=True)
        channels = images.shape[1]
        if channels not in (1, in_channels):
            raise UserError(
                "The images have {channels} channels, the model takes {wanted}. Choose a model or images that fit.",
                channels=channels,
                wanted=in_channels,
            )
        images = images.expand(-1, in_channels, -1, -1)
        return images, self.labels[indices]

    def resized(self, image_size: int) -> ImageSet:
        """Give the same set with images of another size, as `batch` resizes them, rounded to whole grey levels."""
        if self.images.shape[-2:] == (image_size, image_size):
            return self
        parts = [
            functional.interpolate(part.float(), size=(image_size, image_size), mode="bilinear", antialias=True).round()
            for part in torch.split(self.images, _RESIZED_AT_ONCE)
        ]
        return ImageSet(torch.cat([part.byte() for part in parts]), self.labels, self.class_names)

    def per_class(self, count: int, generator: torch.Generator) -> ImageSet:
        """Give a random choice of at most `count` images of each class."""
        order = torch.randperm(len(self), generator=generator)
        labels = self.labels.cpu()[order]
        kept = [order[labels == label][:count] for label in range(len(self.class_names))]
        return self.take(torch.cat(kept).sort().values)


@dataclass(frozen=True, eq=False)
class TrainingData:
    """What a run trains on, and what it is judged by."""

    train: ImageSet
    validation: ImageSet


def load_mnist(part: Literal["train", "val", "test"]) -> ImageSet:
    """Load MNIST's training images, its validation images (the last 5,000 training images) or its test images.

    Raises:
        UserError: the files are not there and can't be had.
    """
    whole = _whole_mnist(is_train=part != "test")
    if part == "test":
        return whole
    data = _split(whole)
    return data.train if part == "train" else data.validation


def mnist_training_data(images_per_class: int | None, seed: int) -> TrainingData:
    """Load MNIST to train on, all of it or a seeded choice from each class."""
    data = _split(_whole_mnist(is_train=True))
    if images_per_class is None:
        return data
    chosen = data.train.per_class(images_per_class, torch.Generator().manual_seed(seed))
    return TrainingData(chosen, data.validation)


def _split(whole: ImageSet) -> TrainingData:
    """Set the last images aside for validation."""
    indices = torch.arange(len(whole))
    return TrainingData(whole.take(indices[:-NUM_VALIDATION]), whole.take(indices[-NUM_VALIDATION:]))


def _whole_mnist(is_train: bool) -> ImageSet:
    files = _torchvision_mnist(is_train)
    return ImageSet(files.data[:, None], files.targets, DIGITS)


def _torchvision_mnist(is_train: bool) -> MNIST:
    from torchvision.datasets import MNIST  # 2 s to import, and only the data need it

    root = cache_folder() / "datasets"
    raw = root / "MNIST" / "raw"
    try:
        raw.mkdir(parents=True, exist_ok=True)
        with FileLock(root / "mnist.lock"):  # another process may be unpacking just now
            damaged = [file for file in MNIST_FILES if md5_of_file(raw / file.name) != file.content_md5]
            for file in damaged:
                (raw / file.name).unlink(missing_ok=True)
            for file in MNIST_FILES if damaged else ():  # torchvision unpacks all four if one is missing
                provide_packed(file, raw)
            mnist = MNIST(root, train=is_train, download=True)
    except (OSError, RuntimeError, EOFError) as error:
        raise UserError(
            "MNIST can't be unpacked into {folder} ({reason}). Free some space there and try again.",
            folder=raw,
            reason=error,
        ) from error
    for file in MNIST_FILES:
        if md5_of_file(raw / file.name) != file.content_md5:
            raise UserError("{file} is damaged. Delete it and try again.", file=raw / file.name)
    return mnist


def provide_packed(file: MnistFile, folder: Path, source: Path | None = None) -> None:
    """Put a packed MNIST file into `folder`: the one shipped in `source`, else one from a mirror.

    Raises:
        UserError: the shipped file is missing or damaged, and no mirror gives a whole one.
    """
    name = f"{file.name}.gz"
    shipped = (source or asset("mnist")) / name
    if md5_of_file(folder / name) == file.packed_md5:
        return
    if md5_of_file(shipped) == file.packed_md5:
        shutil.copyfile(shipped, folder / name)
        return
    _download(name, file.packed_md5, folder)


def _download(name: str, md5: str, folder: Path) -> None:
    import pooch

    reason = Message("none is known")
    for mirror in MIRRORS:
        try:
            pooch.retrieve(
                mirror + name,
                known_hash=f"md5:{md5}",
                fname=name,
                path=folder,
                downloader=pooch.HTTPDownloader(timeout=DOWNLOAD_TIMEOUT_S),
            )
        except ValueError:
            reason = Message("what {mirror} sent is damaged", mirror=mirror)
        except OSError:  # requests' errors are among them
            reason = Message("{mirror} doesn't answer", mirror=mirror)
        else:
            return
    raise UserError(
        "{name} of MNIST is missing or damaged, and no mirror gives it ({reason}). "
        "Put the original file into {folder} and try again.",
        name=name,
        reason=reason,
        folder=folder,
    )


def md5_of_file(path: Path) -> str | None:
    """Give the md5 of a file, None where there is none."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        digest = hashlib.md5(usedforsecurity=False)
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
