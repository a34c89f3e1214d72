"""MNIST from the files that are shipped, damage noticed and mended, and batches of any size."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch

from tests.tiny import full_disk, make_set
from training import data
from training.config import DIGITS
from training.data import MNIST_FILES, ImageSet, load_mnist, mnist_training_data, provide_packed
from training.errors import UserError
from training.paths import asset, cache_folder

IMAGES, LABELS = MNIST_FILES[0], MNIST_FILES[1]
SMALL_FILE = MNIST_FILES[3]


def raw_values(name: str, header: int) -> npt.NDArray[np.uint8]:
    """Read one of the original files by hand."""
    with gzip.open(asset(f"mnist/{name}.gz")) as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)


def md5_of(path: Path) -> str:
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


def raw_folder() -> Path:
    return cache_folder() / "datasets" / "MNIST" / "raw"


def test_validation_is_the_last_5000_training_images() -> None:
    images = raw_values("train-images-idx3-ubyte", 16).reshape(-1, 1, 28, 28)
    labels = raw_values("train-labels-idx1-ubyte", 8)
    training, validation = load_mnist("train"), load_mnist("val")
    assert (len(training), len(validation)) == (55_000, 5_000)
    np.testing.assert_array_equal(training.images.numpy(), images[:55_000])
    np.testing.assert_array_equal(validation.images.numpy(), images[55_000:])
    np.testing.assert_array_equal(torch.cat([training.labels, validation.labels]).numpy(), labels)
    assert training.images.dtype == torch.uint8
    assert training.labels.dtype == torch.int64
    assert training.class_names == DIGITS


def test_test_images_are_the_other_files() -> None:
    test = load_mnist("test")
    np.testing.assert_array_equal(test.images.numpy().ravel(), raw_values("t10k-images-idx3-ubyte", 16))
    np.testing.assert_array_equal(test.labels.numpy(), raw_values("t10k-labels-idx1-ubyte", 8))


def test_training_data_can_be_a_seeded_choice_of_each_class() -> None:
    few = mnist_training_data(7, seed=3)
    assert few.train.labels.bincount().tolist() == [7] * 10
    assert len(few.validation) == 5_000
    assert torch.equal(few.train.images, mnist_training_data(7, seed=3).train.images)
    assert not torch.equal(few.train.images, mnist_training_data(7, seed=4).train.images)
    assert len(mnist_training_data(None, seed=0).train) == 55_000


def test_a_choice_is_of_images_with_their_labels_and_takes_no_more_than_there_are() -> None:
    five_of_0_two_of_others = torch.cat([torch.arange(20), torch.tensor([20, 30, 40])])
    images = make_set(50).take(five_of_0_two_of_others)
    chosen = images.per_class(3, torch.Generator().manual_seed(0))
    assert chosen.labels.bincount().tolist() == [3, *[2] * 9]
    for image, label in zip(chosen.images, chosen.labels, strict=True):
        places = (images.images == image).flatten(1).all(dim=1).nonzero()
        assert images.labels[places.item()] == label


def test_a_batch_is_resized_as_torchvision_does() -> None:
    from torchvision.transforms.v2.functional import resize

    images = ImageSet(load_mnist("test").images[:20], torch.arange(20), DIGITS)
    indices = torch.tensor([3, 19, 3])
    batch, labels = images.batch(indices, image_size=32, in_channels=1)
    assert batch.shape == (3, 1, 32, 32)
    assert labels.tolist() == [3, 19, 3]
    expected = resize(images.images[indices].float() / 255, [32, 32], antialias=True)
    torch.testing.assert_close(batch, expected)
    assert batch.min() >= 0
    assert batch.max() <= 1
    smaller, _ = images.batch(indices, image_size=14, in_channels=1)
    torch.testing.assert_close(smaller, resize(images.images[indices].float() / 255, [14, 14], antialias=True))


def test_resizing_adds_no_border() -> None:
    white = ImageSet(torch.full((1, 1, 28, 28), 255, dtype=torch.uint8), torch.zeros(1, dtype=torch.int64), DIGITS)
    batch, _ = white.batch(torch.tensor([0]), image_size=32, in_channels=1)
    torch.testing.assert_close(batch, torch.ones(1, 1, 32, 32))


def test_images_of_the_models_size_keep_their_values() -> None:
    images = make_set(10)
    batch, _ = images.batch(torch.arange(10), image_size=8, in_channels=1)
    assert torch.equal(batch, images.images / 255)


def test_grey_images_are_repeated_for_a_model_with_colours() -> None:
    batch, _ = make_set(10).batch(torch.arange(4), image_size=16, in_channels=3)
    assert batch.shape == (4, 3, 16, 16)
    assert torch.equal(batch[:, 0], batch[:, 2])


def test_colours_for_a_grey_model_are_a_sentence() -> None:
    colours = ImageSet(torch.zeros(1, 3, 8, 8, dtype=torch.uint8), torch.zeros(1, dtype=torch.int64), DIGITS)
    with pytest.raises(UserError, match="images have 3 channels, the model takes 1"):
        colours.batch(torch.tensor([0]), image_size=8, in_channels=1)


def test_a_set_goes_to_a_device_whole() -> None:
    moved = make_set(10).to(torch.device("meta"))
    assert (moved.images.device.type, moved.labels.device.type) == ("meta", "meta")


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that no other test stands on."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(tmp_path / "cache"))
    return raw_folder()


def test_damaged_files_are_noticed_and_replaced(own_cache: Path) -> None:
    own_cache.mkdir(parents=True)
    packed = asset(f"mnist/{IMAGES.name}.gz").read_bytes()
    (own_cache / f"{IMAGES.name}.gz").write_bytes(packed[: len(packed) // 2])  # a download that broke off
    expected = load_mnist("val").labels
    labels = own_cache / LABELS.name
    content = labels.read_bytes()
    for damage in (content[: len(content) // 2], b"", content[:-1] + b"\x63"):  # cut short, empty, one byte wrong
        labels.write_bytes(damage)
        assert torch.equal(load_mnist("val").labels, expected)
        is_mended = labels.read_bytes() == content
        assert is_mended


@pytest.mark.usefixtures("own_cache")
def test_several_processes_can_unpack_at_once() -> None:
    """Each would see the other's half a file, if they didn't take turns."""
    words = [sys.executable, "-c", "from training.data import load_mnist; print(len(load_mnist('val')))"]
    processes = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0].strip() for process in processes] == ["5000"] * 3


def test_a_full_disk_is_a_sentence_and_no_half_file_is_taken_for_a_whole_one(own_cache: Path) -> None:
    with full_disk(20_000_000), pytest.raises(UserError, match=r"MNIST can't be unpacked into .* Free some space"):
        load_mnist("train")  # the packed images fit, the unpacked ones don't
    assert len(load_mnist("train")) == 55_000


def test_a_shipped_file_is_taken_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "MIRRORS", ())
    provide_packed(SMALL_FILE, tmp_path)
    name = f"{SMALL_FILE.name}.gz"
    assert md5_of(tmp_path / name) == SMALL_FILE.packed_md5


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def mirror(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def nothing_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the shipped files are missing."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    (tmp_path / "shipped").mkdir()
    return tmp_path / "shipped"


def closed_mirror() -> str:
    """Give an address where nobody answers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/"


def test_mirrors_are_tried_one_after_the_other(
    tmp_path: Path, nothing_shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target"
    target.mkdir()
    with mirror(nothing_shipped) as empty, mirror(asset("mnist")) as whole:
        monkeypatch.setattr(data, "MIRRORS", (closed_mirror(), empty, whole))
        provide_packed(SMALL_FILE, target, nothing_shipped)
    name = f"{SMALL_FILE.name}.gz"
    assert md5_of(target / name) == SMALL_FILE.packed_md5
    assert [each.name for each in target.iterdir()] == [name]


def test_half_a_file_from_a_mirror_is_not_taken(
    tmp_path: Path, nothing_shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, broken = tmp_path / "target", tmp_path / "broken"
    target.mkdir()
    broken.mkdir()
    name = f"{SMALL_FILE.name}.gz"
    half = asset(f"mnist/{name}").read_bytes()[:2_000]
    (broken / name).write_bytes(half)
    (nothing_shipped / name).write_bytes(half)  # the shipped one is damaged, too
    with mirror(broken) as address:
        monkeypatch.setattr(data, "MIRRORS", (address,))
        with pytest.raises(UserError) as caught:
            provide_packed(SMALL_FILE, target, nothing_shipped)
    assert str(caught.value) == (
        f"{name} of MNIST is missing or damaged, and no mirror gives it (what {address} sent is damaged). "
        f"Put the original file into {target} and try again."
    )
    assert list(target.iterdir()) == []


def test_mirrors_that_do_not_answer_are_a_sentence(
    tmp_path: Path, nothing_shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = closed_mirror()
    monkeypatch.setattr(data, "MIRRORS", (address,))
    with pytest.raises(UserError, match=rf"no mirror gives it \({address} doesn't answer\)"):
        provide_packed(SMALL_FILE, tmp_path, nothing_shipped)


def test_a_mirror_that_hangs_is_given_up(
    tmp_path: Path, nothing_shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "DOWNLOAD_TIMEOUT_S", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()  # takes the call, and never says a word
        monkeypatch.setattr(data, "MIRRORS", (f"http://127.0.0.1:{silent.getsockname()[1]}/",))
        with pytest.raises(UserError, match="doesn't answer"):
            provide_packed(SMALL_FILE, tmp_path, nothing_shipped)
