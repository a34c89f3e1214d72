"""Pictures as ink."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from training.errors import UserError
from training.facts import FloatArray
from training.pictures import MAX_SIDE_PX, Picture, pad_box, picture_from_bytes, read_picture

FORMATS = ("PNG", "JPEG", "BMP", "WEBP", "GIF")


def a_letter() -> FloatArray:
    """Make ink that no turn or mirror leaves as it is: an F, with two grey levels; (60, 40)."""
    ink = np.zeros((60, 40), dtype=np.float32)
    ink[10:50, 10:16] = ink[10:16, 10:32] = 1
    ink[26:32, 16:26] = 0.6
    return ink


def grey(ink: FloatArray, paper: int = 255, pen: int = 0) -> Image.Image:
    return Image.fromarray(np.rint(paper + ink * (pen - paper)).astype(np.uint8))


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    if kind == "WEBP":
        options.setdefault("lossless", True)
    content = io.BytesIO()
    image.save(content, kind, **options)
    return content.getvalue()


def read(image: Image.Image, kind: str = "PNG", **options: Any) -> Picture:
    return picture_from_bytes(encoded(image, kind, **options))


def assert_letter(picture: Picture, atol: float = 0.01) -> None:
    np.testing.assert_allclose(picture.ink, a_letter(), atol=atol)


# What a picture can look like.


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(("paper", "pen"), [(255, 0), (0, 255)])
def test_every_format_dark_on_light_and_light_on_dark(tmp_path: Path, kind: str, paper: int, pen: int) -> None:
    path = tmp_path / "misleading.txt"
    path.write_bytes(encoded(grey(a_letter(), paper, pen).convert("RGB"), kind, quality=95))
    assert_letter(read_picture(path), atol=0.15 if kind == "JPEG" else 0.01)


@pytest.mark.parametrize("mode", ["L", "P", "LA", "RGB", "RGBA", "I;16"])
def test_every_mode_of_png(mode: str) -> None:
    image = grey(a_letter())
    if mode == "I;16":
        deep = np.rint(65535 * a_letter()).astype(np.uint16)
        assert_letter(read(Image.fromarray(65535 - deep)))
        np.testing.assert_allclose(read(Image.fromarray(deep // 2)).ink, a_letter() / 2, atol=0.01)
    else:
        assert_letter(read(image.convert(mode)))


def test_black_and_white_png() -> None:
    np.testing.assert_array_equal(read(grey(a_letter()).convert("1", dither=Image.Dither.NONE)).ink, a_letter() > 0)


def test_cmyk_jpeg() -> None:
    assert_letter(read(grey(a_letter()).convert("RGB").convert("CMYK"), "JPEG", quality=95), atol=0.2)


@pytest.mark.parametrize("pen", [0, 255, 90])
def test_transparent_paper_whatever_the_colour_of_the_pen(pen: int) -> None:
    values = np.zeros((60, 40, 4), dtype=np.uint8)
    values[:, :, :3] = 255 - pen  # hidden: where nothing can be seen, any colour may stand
    values[a_letter() > 0, :3] = pen
    values[:, :, 3] = np.rint(255 * a_letter())
    picture = read(Image.fromarray(values))
    np.testing.assert_allclose(picture.ink / picture.ink.max(), a_letter(), atol=0.02)
    assert picture.ink.max() > 0.6


def test_transparency_of_a_palette() -> None:
    image = grey(a_letter(), paper=0, pen=255).convert("P")
    assert_letter(read(image, transparency=0))


def test_transparent_corners_round_paper_are_no_ink() -> None:
    values = np.asarray(grey(a_letter()).convert("RGBA")).copy()
    values[:5, :5, 3] = values[-5:, -5:, 3] = 0
    assert_letter(read(Image.fromarray(values)))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_turn_is_applied(orientation: int) -> None:
    undo = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    image = grey(a_letter())
    if orientation in undo:
        image = image.transpose(undo[orientation])
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert_letter(read(image, exif=exif))
    assert_letter(read(image.convert("RGB"), "JPEG", exif=exif, quality=95), atol=0.15)


@given(st.integers(0, 255), st.integers(0, 255))
def test_polarity_is_found_at_any_contrast(paper: int, pen: int) -> None:
    ink = read(grey(a_letter() == 1, paper, pen)).ink
    full = abs(paper - pen) / max(1, paper if pen < paper else 255 - paper)
    np.testing.assert_allclose(ink, (a_letter() == 1) * full, atol=0.01)


def test_grey_levels_are_kept() -> None:
    ramp = np.zeros((40, 276), dtype=np.uint8)
    ramp[10:30, 10:266] = np.arange(256)
    np.testing.assert_allclose(read(Image.fromarray(ramp)).ink, ramp / 255, atol=1e-6)


def test_pale_colour_on_white_is_ink() -> None:
    values = np.full((60, 40, 3), 255, dtype=np.uint8)
    values[a_letter() > 0] = (255, 255, 0)  # hardly darker than paper to a grey eye
    np.testing.assert_allclose(read(Image.fromarray(values)).ink, a_letter() > 0, atol=0.01)


@pytest.mark.parametrize("light", [0.0, 0.1])
def test_paper_of_a_photo_becomes_paper(light: float) -> None:
    """Grain and a shadow over the page go, and the pen stands out in full."""
    ink = np.kron(a_letter() == 1, np.ones((10, 10)))
    chance = np.random.default_rng(0)
    page = 0.8 - 0.6 * ink + chance.normal(0, 0.02, ink.shape) + light * np.linspace(-0.5, 0.5, ink.shape[1])
    found = read(Image.fromarray(np.rint(255 * page.clip(0, 1)).astype(np.uint8))).ink
    assert np.mean(found[ink == 0] == 0) > 0.99
    assert np.mean(found[ink == 1]) > 0.8
    assert found.max() == 1


def test_photo_of_empty_paper_has_no_ink() -> None:
    chance = np.random.default_rng(0)
    page = chance.normal(200, 2, (200, 200)) - 15 * (chance.random((200, 200)) < 0.01)  # grain, and faint specks
    assert not read(Image.fromarray(page.clip(0, 255).astype(np.uint8))).ink.any()


def test_ink_box() -> None:
    assert read(grey(a_letter())).ink_box == (10, 10, 22, 40)


def test_pad_box_is_fitted_by_the_longer_side() -> None:
    assert pad_box(read(grey(a_letter()))) == pytest.approx((400 / 6, 0, 400 * 4 / 6, 400))
    assert pad_box(read(grey(a_letter().T))) == pytest.approx((0, 400 / 6, 400, 400 * 4 / 6))


def test_png_of_a_picture_is_the_picture() -> None:
    values = np.random.default_rng(0).integers(0, 256, (30, 50, 3)).astype(np.uint8)
    picture = read(Image.fromarray(values))
    again = picture_from_bytes(picture.to_png())
    np.testing.assert_array_equal(picture.rgb, values)
    np.testing.assert_array_equal(again.rgb, picture.rgb)
    np.testing.assert_array_equal(again.ink, picture.ink)


@pytest.mark.parametrize("shape", [(1, 1), (200, 301), (65, 7)])
def test_halved_ink_has_the_same_mass(shape: tuple[int, int]) -> None:
    picture = Picture(np.random.default_rng(0).random(shape, dtype=np.float32), np.zeros((*shape, 3), dtype=np.uint8))
    masses = [float(each.sum()) * 4**level for level, each in enumerate(picture.ink_levels)]
    np.testing.assert_allclose(masses, masses[0], rtol=1e-4)
    assert max(picture.ink_levels[-1].shape) <= 64


def test_arrays_cannot_be_written_to() -> None:
    picture = read(grey(a_letter()))
    assert not picture.rgb.flags.writeable
    assert not any(each.flags.writeable for each in (picture.ink, *picture.ink_levels))


# Pictures that are out of the ordinary.


@pytest.mark.parametrize("level", [255, 128, 0])
def test_even_picture_has_no_ink(level: int) -> None:
    assert read(Image.new("L", (50, 50), level)).ink_box is None


@pytest.mark.parametrize("mode", ["1", "L", "RGBA"])
def test_single_pixel(mode: str) -> None:
    picture = read(Image.new(mode, (1, 1)))
    assert picture.ink.tolist() == [[0]]


def test_wholly_transparent_picture_has_no_ink() -> None:
    assert read(Image.new("RGBA", (9, 9), (255, 0, 0, 0))).ink_box is None


@pytest.mark.parametrize(("kind", "mode"), [("PNG", "L"), ("PNG", "RGBA"), ("PNG", "I;16"), ("JPEG", "L")])
def test_20_000_pixels_wide_is_reduced(kind: str, mode: str) -> None:
    values = np.full((50, 20_000), 255, dtype=np.uint8)
    values[20:40, 5_000:15_000] = 0
    image = Image.fromarray(values.astype(np.uint16) * 257) if mode == "I;16" else Image.fromarray(values).convert(mode)
    picture = read(image, kind)
    assert picture.ink.shape == (5, MAX_SIDE_PX)
    assert picture.rgb.shape == (5, MAX_SIDE_PX, 3)
    assert picture.ink[3, 600:1400].min() > 0.9
    assert picture.ink[:, :400].max() < 0.05


def test_extremely_narrow_picture_keeps_a_pixel() -> None:
    assert read(Image.new("L", (20_000, 1), 255)).ink.shape == (1, MAX_SIDE_PX)


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_first_frame_of_an_animation(kind: str) -> None:
    frames = [grey(a_letter()).convert("RGB"), Image.new("RGB", (40, 60), (0, 128, 0))]
    assert_letter(read(frames[0], kind, save_all=True, append_images=frames[1:], duration=50))


def png_of_size(width: int, height: int) -> bytes:
    """Make a PNG that only claims to have these many pixels."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"0")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [10_000, 20_000, 2**31 - 1])
def test_decompression_bomb_is_refused_before_it_goes_off(side: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(UserError, match="The picture has too many pixels"):
            picture_from_bytes(png_of_size(side, side))
    assert caught == []


def test_other_formats_are_refused_in_a_sentence() -> None:
    for kind in ("TIFF", "PPM", "TGA"):
        with pytest.raises(UserError, match="use PNG, JPEG, BMP, WebP or GIF"):
            read(grey(a_letter()), kind)


@pytest.mark.parametrize(
    "data", [b"", b"\x89PNG", b"{}\n", b"GIF89a", bytes(1000), b"%PDF-1.7", b"II*\x00" + bytes(50)]
)
def test_what_is_no_picture_is_refused_in_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "some.png"
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"some\.png (is no picture that can be read|is damaged)"):
        read_picture(path)


@pytest.mark.parametrize("kind", FORMATS)
def test_truncated_picture_is_refused_in_a_sentence(kind: str) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (100, 100, 3)).astype(np.uint8)
    whole = encoded(Image.fromarray(noise), kind)
    for share in (0.3, 0.6, 0.95):
        with pytest.raises(UserError, match="The picture is"):
            picture_from_bytes(whole[: int(len(whole) * share)])


@given(st.sampled_from(FORMATS), st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 255)), max_size=20))
def test_damaged_picture_is_read_or_refused_in_a_sentence(kind: str, changes: list[tuple[int, int]]) -> None:
    data = bytearray(encoded(grey(a_letter()).convert("RGB"), kind))
    for place, value in changes:
        data[place % len(data)] = value
    try:
        picture = picture_from_bytes(bytes(data))
    except UserError:
        return
    assert picture.ink.min() >= 0
    assert picture.ink.max() <= 1


def test_missing_file_and_folder_are_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="isn't there"):
        read_picture(tmp_path / "none.png")
    with pytest.raises(UserError, match="is a folder"):
        read_picture(tmp_path)
