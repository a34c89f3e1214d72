"""The ink as an image at the pixels of the screen, kept up to date piece by piece.

One byte a pixel, 0 paper .. 255 ink, and beside it the same in colours, in the format that is copied to the screen
fastest. New ink is laid in by the greater value of each pixel, so that the seams of a stroke drawn in a hundred pieces
are as smooth as anywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QPolygonF

from training.facts import Box
from training.strokes import Stroke, line_widths
from vit_pad.eraser import boxes_meet, path_box, stroke_bounds

if TYPE_CHECKING:
    from training.pictures import Picture

_RUN = 16  # points drawn at once: Qt's time for a line that crosses itself grows faster than its length
_EDGE = 2  # px around a line that its smooth edge may reach


class InkLayer:
    """Strokes over a picture, `scale` pixels a pad unit.

    `image` shows the ink as it is now; it changes in place.
    """

    def __init__(self, size: QSize, scale: float, paper: QColor, ink: QColor) -> None:
        self._scale = scale
        width, height = max(size.width(), 1), max(size.height(), 1)
        self._pixels = np.zeros((height, -(-width // 4) * 4), np.uint8)  # QImage wants rows of whole 4 bytes
        self._background = np.zeros_like(self._pixels)
        self._canvas = _wrapped(self._pixels, width, QImage.Format.Format_Grayscale8)
        self._colored = np.zeros(self._pixels.shape, np.uint32)
        self._table = np.zeros(256, np.uint32)
        self.image = QImage(self._colored.data, width, height, self._colored.strides[0], QImage.Format.Format_RGB32)
        self.set_colors(paper, ink)

    def set_colors(self, paper: QColor, ink: QColor) -> None:
        """Show the same ink in other colours."""
        shares = np.linspace(0.0, 1.0, 256)[:, None]
        ends = np.array([[each.red(), each.green(), each.blue()] for each in (paper, ink)], np.float64)
        table = np.rint(ends[0] + shares * (ends[1] - ends[0])).astype(int).tolist()  # (256, 3)
        self._table[:] = [QColor(*color).rgb() for color in table]
        self._color(self.image.rect())

    def render(self, strokes: tuple[Stroke, ...], picture: Picture | None) -> None:
        """Draw everything anew."""
        self._background[:] = 0
        if picture is not None:
            _draw_picture(
                _wrapped(self._background, self.image.width(), QImage.Format.Format_Grayscale8), picture, self._scale
            )
        self._fill(self.image.rect(), strokes)

    def redraw(self, strokes: tuple[Stroke, ...], area: Box) -> None:
        """Draw an area of the pad anew."""
        rect = self.pixels_of(area)
        if not rect.isEmpty():
            self._fill(rect, strokes)

    def draw_new(self, stroke: Stroke, first: int) -> None:
        """Add a stroke from its point number `first` on, and the line that leads there."""
        rect = self.pixels_of(new_ink_box(stroke, first))
        if rect.isEmpty():
            return
        piece = QImage(rect.size(), QImage.Format.Format_RGB32)  # Qt draws lines in this format fastest
        piece.fill(0)
        painter = self._painter(piece)
        painter.translate(-rect.topLeft())
        self._draw_stroke(painter, Stroke(stroke.points[max(first - 1, 0) :], stroke.width))
        painter.end()
        fresh = np.frombuffer(piece.constBits(), np.uint8).reshape(rect.height(), rect.width(), 4)[:, :, 0]
        there = self._pixels[_slices(rect)]
        np.maximum(there, fresh, out=there)
        self._color(rect)

    def pixels_of(self, area: Box) -> QRect:
        """Give the pixels that ink in an area of the pad touches, smooth edges included, as far as they are there."""
        corner = QPointF(area.x, area.y) * self._scale
        rect = QRectF(corner.x(), corner.y(), area.width * self._scale, area.height * self._scale)
        on_image = rect.adjusted(-_EDGE, -_EDGE, _EDGE, _EDGE).intersected(QRectF(self.image.rect()))
        return on_image.toAlignedRect().intersected(self.image.rect())

    def _fill(self, rect: QRect, strokes: tuple[Stroke, ...]) -> None:
        self._pixels[_slices(rect)] = self._background[_slices(rect)]
        unit = self._scale
        area = Box(rect.x() / unit, rect.y() / unit, rect.width() / unit, rect.height() / unit)
        painter = self._painter(self._canvas)
        painter.setClipRect(rect)
        for stroke in strokes:
            margin = stroke.width / 2 + _EDGE / self._scale
            if boxes_meet(stroke_bounds(stroke), area, margin):
                for run in _runs_near(stroke.points, area, margin):
                    self._draw_stroke(painter, Stroke(run, stroke.width))
        painter.end()
        self._color(rect)

    def _color(self, rect: QRect) -> None:
        """Bring the colours of a part up to date."""
        self._colored[_slices(rect)] = self._table.take(self._pixels[_slices(rect)])

    def _painter(self, image: QImage) -> QPainter:
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        return painter

    def _draw_stroke(self, painter: QPainter, stroke: Stroke) -> None:
        if stroke.points.shape[1] < 4:
            self._draw_line(painter, stroke.points[:, :2], stroke.width)
        else:
            radii = line_widths(stroke) / 2
            outline = _tapered(stroke.points[:, :2] * self._scale, radii * self._scale)
            painter.fillPath(outline, QColor(255, 255, 255))

    def _draw_line(self, painter: QPainter, places: npt.NDArray[np.float64], width: float) -> None:
        """Draw a polyline, (n, 2) in pad units, with round ends."""
        round_cap, round_join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
        painter.setPen(QPen(QColor(255, 255, 255), width * self._scale, Qt.PenStyle.SolidLine, round_cap, round_join))
        points = [QPointF(x, y) for x, y in (places * self._scale).tolist()]
        if all(point == points[0] for point in points):
            painter.drawPoint(points[0])  # Qt draws no line between equal points
        elif len(points) == 2:
            painter.drawLine(points[0], points[1])
        else:
            painter.drawPolyline(points)


def new_ink_box(stroke: Stroke, first: int) -> Box:
    """Give the box of the ink that a stroke gained with its point number `first` and those after it."""
    left, top = stroke.points[max(first - 1, 0) :, :2].min(axis=0).tolist()
    right, bottom = stroke.points[max(first - 1, 0) :, :2].max(axis=0).tolist()
    return path_box((left, top), (right, bottom), stroke.width / 2)


def _tapered(places: npt.NDArray[np.float64], radii: npt.NDArray[np.float64]) -> QPainterPath:
    """Outline a polyline, (n, 2), whose width changes from point to point: discs, and between two their hull."""
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)  # all parts go round the same way, so that together they are one area
    for (x, y), radius in zip(places.tolist(), radii.tolist(), strict=True):
        path.addEllipse(QPointF(x, y), radius, radius)
    steps, gains = np.diff(places, axis=0), np.diff(radii)
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    for index in np.flatnonzero(lengths > np.abs(gains)).tolist():  # else one disc holds the other
        ahead = steps[index] / lengths[index]
        aside = np.array((-ahead[1], ahead[0]))
        slope = -gains[index] / lengths[index]
        lean, reach = slope * ahead, np.sqrt(1 - slope * slope) * aside  # to where a common tangent touches
        near, far = radii[index], radii[index + 1]
        start, end = places[index], places[index + 1]
        corners = (
            start + near * (lean - reach),
            end + far * (lean - reach),
            end + far * (lean + reach),
            start + near * (lean + reach),
        )
        path.addPolygon(QPolygonF([QPointF(*corner.tolist()) for corner in corners]))
        path.closeSubpath()
    return path


def _runs_near(points: npt.NDArray[np.float64], area: Box, margin: float) -> Iterator[npt.NDArray[np.float64]]:
    """Give a stroke's points in runs of a few, those without a chance to touch the area left out."""
    if len(points) == 1:
        yield points
        return
    places = points[:, :2]
    least = np.array((area.x - margin, area.y - margin))
    most = np.array((area.x + area.width + margin, area.y + area.height + margin))
    low, high = np.minimum(places[:-1], places[1:]), np.maximum(places[:-1], places[1:])
    is_near = ((low <= most) & (high >= least)).all(axis=1)  # (n - 1,)
    near = np.flatnonzero(is_near)
    for segments in np.split(near, np.flatnonzero(np.diff(near) > 1) + 1):
        for start in range(0, len(segments), _RUN):
            run = segments[start : start + _RUN]
            yield points[run[0] : run[-1] + 2]


def _draw_picture(target: QImage, picture: Picture, scale: float) -> None:
    from training.pictures import pad_box  # needs Pillow, which most pads never do

    grey = np.ascontiguousarray(np.rint(picture.ink * 255).astype(np.uint8))
    height, width = grey.shape
    image = QImage(grey.data, width, height, width, QImage.Format.Format_Grayscale8)
    box = pad_box(picture)
    place = QRectF(box.x * scale, box.y * scale, box.width * scale, box.height * scale)
    smooth = image.scaled(  # QPainter's own reduction skips pixels
        place.size().toSize().expandedTo(QSize(1, 1)),
        Qt.AspectRatioMode.IgnoreAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )
    painter = QPainter(target)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawImage(place, smooth)
    painter.end()


def _wrapped(pixels: npt.NDArray[np.uint8], width: int, form: QImage.Format) -> QImage:
    """Give an image over the same memory, which the caller keeps."""
    return QImage(pixels.data, width, pixels.shape[0], pixels.shape[1], form)


def _slices(rect: QRect) -> tuple[slice, slice]:
    return slice(rect.top(), rect.bottom() + 1), slice(rect.left(), rect.right() + 1)
