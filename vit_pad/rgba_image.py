"""Arrays of colours as Qt images."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QImage

from vit_pad.heat import RgbaArray


def rgba_image(colors: RgbaArray) -> QImage:
    """Make an image that owns its pixels from (height, width, 4) RGBA, not premultiplied."""
    height, width = colors.shape[:2]
    pixels = np.ascontiguousarray(colors)
    borrowed = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888)
    # The conversion copies, so the array may go; premultiplied is what Qt blends fastest.
    return borrowed.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
