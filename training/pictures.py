"""Pictures as ink: decoded, and read as grey levels of a pen on paper, whichever of the two is darker."""

from __future__ import annotations

import functools
import io
import struct
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from training.errors import UserError
from training.facts import Box, FloatArray
from training.paths import is_endless
from training.strokes import PAD_SIZE

if TYPE_CHECKING:
    from PIL import Image

FORMATS = ("PNG", "JPEG", "BMP", "WEBP", "GIF")
_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".webp", ".gif")
MAX_SIDE_PX = 2_000  # larger pictures are reduced to this while they are read
_MAX_BYTES = 1 << 29
_MAX_PIXELS = 89_000_000  # just below the number at which Pillow begins to warn
# Ink paler than this is left out of the ink's box: a JPEG's ripples and a scan's dust.
_BOX_LEVEL = 0.1
_MAX_GRAIN = 0.3  # what is removed as grain and shadow at most, as a share of full ink
_LEAST_CONTRAST = 0.1  # between grain and pen; below it a photo shows empty paper
_BROKEN = (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError, struct.error, zlib.error)


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture under the ink. Arrays are read-only."""

    ink: FloatArray  # (h, w), 0 paper .. 1 pen
    rgb: npt.NDArray[np.uint8]  # (h, w, 3)

    @functools.cached_property
    def ink_box(self) -> Box | None:
        """Give the box round the ink, in the picture's own pixels; None where there is none."""
        rows, columns = self.ink.max(axis=1) > _BOX_LEVEL, self.ink.max(axis=0) > _BOX_LEVEL
        if not rows.any():
            return None
        top, bottom = np.flatnonzero(rows)[[0, -1]]
        left, right = np.flatnonzero(columns)[[0, -1]]
        return Box(float(left), float(top), float(right - left + 1), float(bottom - top + 1))

    @functools.cached_property
    def ink_levels(self) -> tuple[FloatArray, ...]:
        """Give the ink at its own size, at half of it, at a quarter and so on, for resizing in no time.

        Pixel (i, j) of level n is the mean of the ink's pixels from (i, j) * 2**n; beyond the border is paper.
        """
        levels = [self.ink]
        while max(levels[-1].shape) > 64:
            height, width = levels[-1].shape
            above = np.pad(levels[-1], ((0, height % 2), (0, width % 2)))
            halved: FloatArray = above.reshape(len(above) // 2, 2, -1, 2).mean(axis=(1, 3), dtype=np.float32)
            halved.flags.writeable = False
            levels.append(halved)
        return tuple(levels)

    def to_png(self) -> bytes:
        """Give the picture's colours as the content of a PNG file."""
        from PIL import Image

        content = io.BytesIO()
        Image.fromarray(self.rgb).save(content, "PNG")
        return content.getvalue()


def is_picture_name(path: str) -> bool:
    """Tell by its name whether a file should hold a picture of a format that `read_picture` knows."""
    return path.lower().endswith(_SUFFIXES)


def read_picture(path: Path) -> Picture:
    """Read a picture file (PNG, JPEG, BMP, WebP or GIF); of an animation the first frame.

    Raises:
        UserError: the file can't be opened, is no picture, is cut short or far too large.
    """
    try:
        if path.is_dir():
            raise UserError("{path} is a folder. Choose a picture in it.", path=path)
        if is_endless(path):
            raise UserError("{path} is no file. Choose a picture.", path=path)
        if path.stat().st_size > _MAX_BYTES:
            raise UserError("{path} is too large for a picture (over 512 MB).", path=path)
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise UserError("{path} isn't there. Check the name.", path=path) from error
    except OSError as error:
        raise UserError("{path} can't be read ({reason}).", path=path, reason=error.strerror or str(error)) from error
    return _picture(data, path)


def picture_from_bytes(data: bytes) -> Picture:
    """Read the content of a picture file.

    Raises:
        UserError: it is no picture, is cut short or far too large.
    """
    return _picture(data, "The picture")


def pad_box(picture: Picture) -> Box:
    """Give where a picture lies on the pad: fitted by its longer side and in the middle."""
    height, width = picture.ink.shape
    unit = PAD_SIZE / max(height, width)
    return Box((PAD_SIZE - width * unit) / 2, (PAD_SIZE - height * unit) / 2, width * unit, height * unit)


# Decoding: from any file to colours (h, w, 3), float32, 0 .. 1.


def _picture(data: bytes, name: Path | str) -> Picture:
    from PIL import Image

    # Pillow's own warning is for those who don't look at the size. It isn't caught, because catch_warnings swaps the
    # filters of the whole process, those of other threads too.
    warnings.simplefilter("ignore", Image.DecompressionBombWarning)
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise _too_many_pixels(name) from error
    except _BROKEN as error:
        raise UserError("{name} is no picture that can be read; use PNG, JPEG, BMP, WebP or GIF.", name=name) from error
    if image.width * image.height > _MAX_PIXELS:
        raise _too_many_pixels(name)
    try:
        image.draft(None, (MAX_SIDE_PX, MAX_SIDE_PX))  # a JPEG is decoded at 1/2, 1/4 or 1/8 of its size for little
        image.load()
        colors = _colors(_reduced(_turned(image)))
    except _BROKEN as error:
        raise UserError("{name} is damaged or was cut short. Save or copy it again.", name=name) from error
    except MemoryError as error:
        raise _too_many_pixels(name) from error
    rgb = np.rint(colors * 255).astype(np.uint8)
    rgb.flags.writeable = False
    ink = _ink(colors)
    ink.flags.writeable = False
    return Picture(ink, rgb)


def _too_many_pixels(name: Path | str) -> UserError:
    return UserError("{name} has too many pixels (over 89 million). Make it smaller first.", name=name)


def _turned(image: Image.Image) -> Image.Image:
    """Turn a picture as its camera says it was held."""
    from PIL import ImageOps

    try:
        return ImageOps.exif_transpose(image)
    except _BROKEN:  # a damaged note about the turn is no reason to refuse the picture
        return image


def _reduced(image: Image.Image) -> Image.Image:
    """Bring a picture to one of the modes F, RGBa or RGB and to a size that is worth keeping."""
    from PIL import Image

    if image.mode[0] in "IF":
        reduced = Image.fromarray(_deep_levels(np.asarray(image)))
    elif image.has_transparency_data:
        # RGBa has colours times alpha: resizing RGBA would mix in the colours of what can't be seen.
        reduced = image.convert("RGBA").convert("RGBa")
    else:
        reduced = image.convert("RGB")
    factor = MAX_SIDE_PX / max(image.size)
    if factor >= 1:
        return reduced
    size = (max(1, round(image.width * factor)), max(1, round(image.height * factor)))
    return reduced.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)


def _deep_levels(values: npt.NDArray[Any]) -> FloatArray:
    """Bring a grey picture of more than 8 bits, or of fractions, to 0 .. 1."""
    levels = np.nan_to_num(values.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    highest = float(levels.max())
    scales = (1.0, 255.0, 65535.0) if values.dtype.kind == "f" else (65535.0,)
    full = next((scale for scale in scales if highest <= scale), highest)
    return np.asarray(np.clip(levels / full, 0, 1), dtype=np.float32)


def _colors(image: Image.Image) -> FloatArray:
    values = np.array(image, dtype=np.float32)
    if image.mode == "F":
        return np.repeat(values[:, :, None], 3, axis=2)
    values /= np.float32(255)
    if image.mode == "RGB":
        return values
    weighted, alpha = values[:, :, :3], values[:, :, 3:]
    shown = weighted + (1 - alpha) * _backdrop(weighted, alpha[:, :, 0])
    return np.asarray(np.clip(shown, 0, 1), dtype=np.float32)


def _backdrop(weighted: FloatArray, alpha: FloatArray) -> FloatArray:
    """Choose the colour behind a see-through picture, (3,): one that its ink stands out from."""
    solid = weighted[alpha > 0.95]
    if len(solid) > alpha.size / 2 and np.ptp(np.quantile(solid.mean(axis=1), (0.02, 0.98))) > 0.25:
        return np.asarray(np.median(solid, axis=0), dtype=np.float32)  # the picture has paper of its own
    brightness = float(weighted.sum()) / max(3 * float(alpha.sum()), 1e-6)
    return np.full(3, 1.0 if brightness < 0.5 else 0.0, dtype=np.float32)


# Reading: from colours to ink.


def _ink(colors: FloatArray) -> FloatArray:
    """Tell pen from paper: how far each pixel is from the paper towards the pen, in the channel that shows it best.

    Paper is what most of the border is; the pen is on the side of it, darker or lighter, where more of the picture is.
    """
    rim = _rim(colors)
    paper = np.median(rim, axis=0)
    away = colors - paper
    is_light_pen = float(np.square(np.maximum(away, 0)).sum()) > float(np.square(np.minimum(away, 0)).sum())
    sign = 1 if is_light_pen else -1
    full = max(1 - float(paper.min()) if is_light_pen else float(paper.max()), 1e-6)
    ink = np.clip((sign * away).max(axis=2) / full, 0, 1)
    # A clean picture's border is all paper, and its grey levels stay as they are. A photo's has grain and shadows.
    grain = min(3 * float(np.quantile(np.abs(rim - paper).max(axis=1) / full, 0.75)), _MAX_GRAIN)
    if grain == 0:
        return np.asarray(ink, dtype=np.float32)
    darkest = float(np.quantile(ink, 0.999))
    if darkest < grain + _LEAST_CONTRAST:
        return np.zeros(ink.shape, dtype=np.float32)
    return np.asarray(np.clip((ink - grain) / (darkest - grain), 0, 1), dtype=np.float32)


def _rim(colors: FloatArray) -> FloatArray:
    """Give the pixels along the border (n, 3): one in fifty of the shorter side, at least one."""
    height, width = colors.shape[:2]
    rim = np.ones((height, width), dtype=bool)
    depth = max(1, min(height, width) // 50)
    rim[depth : height - depth, depth : width - depth] = False
    return colors[rim]
