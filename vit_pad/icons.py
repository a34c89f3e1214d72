"""The icons: drawings in assets/icons, coloured by the theme and sharp at the usual screen scales."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from training.paths import asset
from vit_pad.theme import Theme

ICON_PX = 20

# One picture for each screen scale from 100 to 300 %, so that Qt need not stretch any. An icon engine that draws on
# demand would be shorter, but one written in Python crashes when Qt copies the icon (PySide6 6.11).
_SIDES_PX = tuple(round(ICON_PX * percent / 100) for percent in (80, 100, 125, 150, 175, 200, 225, 250, 300))


def icon(name: str, theme: Theme) -> QIcon:
    """Give an icon by its name in the colours of a theme. Ask again when the theme changes."""
    drawing = asset(f"icons/{name}.svg").read_text(encoding="utf-8")
    made = QIcon()
    for mode, color in ((QIcon.Mode.Normal, theme.text), (QIcon.Mode.Disabled, theme.faint_text)):
        renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", color).encode()))
        for side in _SIDES_PX:
            made.addPixmap(_draw(renderer, side), mode)
    return made


def _draw(renderer: QSvgRenderer, side_px: int) -> QPixmap:
    pixmap = QPixmap(side_px, side_px)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        renderer.render(painter)
    return pixmap
