"""The look: readable in both themes, and icons sharp at any scale."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from training.paths import asset
from vit_pad.icons import icon
from vit_pad.theme import DARK, LIGHT, PAPERS, Theme, apply_theme, current_theme, font, palette_of, theme_of

ICON_NAMES = ("undo", "redo", "clear", "eraser", "pen", "open", "paper")
both_themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    """The application, undressed again afterwards."""
    palette, sheet, style = qapp.palette(), qapp.styleSheet(), qapp.style().name()
    yield qapp
    qapp.setStyleSheet(sheet)
    qapp.setStyle(style)
    qapp.setPalette(palette)


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    shares = (int(color[index : index + 2], 16) / 255 for index in (1, 3, 5))
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@both_themes
@pytest.mark.parametrize("ground", ["window", "surface", "raised", "hover"])
@pytest.mark.parametrize("text", ["text", "quiet_text", "accent", "error"])
def test_text_can_be_read(theme: Theme, text: str, ground: str) -> None:
    assert contrast(getattr(theme, text), getattr(theme, ground)) >= 4.5


@both_themes
def test_text_on_the_accent_can_be_read_and_the_accent_be_told_apart(theme: Theme) -> None:
    assert contrast(theme.on_accent, theme.accent) >= 4.5
    for other in (theme.track, theme.bar, theme.window):
        assert contrast(theme.accent, other) >= 1.8


@both_themes
def test_bars_stand_out_from_their_track(theme: Theme) -> None:
    for bar in (theme.bar, theme.accent):
        assert contrast(bar, theme.track) >= 3


def test_ink_and_hint_stand_out_from_both_papers() -> None:
    for colors in PAPERS.values():
        assert contrast(colors.ink, colors.paper) >= 12
        assert contrast(colors.hint, colors.paper) >= 4.5


@both_themes
def test_the_palette_is_the_themes(theme: Theme) -> None:
    palette = palette_of(theme)
    assert palette.color(QPalette.ColorRole.Window).name() == theme.window
    assert palette.color(QPalette.ColorRole.Text).name() == theme.text
    faint = palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.ButtonText)
    assert faint.name() == theme.faint_text


@pytest.mark.parametrize(("choice", "theme"), [("dark", DARK), ("light", LIGHT)])
def test_a_choice_dresses_every_widget(qtbot: QtBot, app: QApplication, choice: str, theme: Theme) -> None:
    early = QPushButton("early")
    qtbot.addWidget(early)
    assert apply_theme(app, "dark" if choice == "dark" else "light") is theme
    late = QPushButton("late")
    qtbot.addWidget(late)
    qtbot.waitUntil(lambda: theme_of(early) is theme)
    assert theme_of(late) is theme
    assert late.grab().toImage().pixelColor(20, 4).name() == theme.raised
    app.setStyleSheet("")  # it hides the style below it
    assert app.style().name().lower() == "fusion"


def test_system_follows_the_system(app: QApplication) -> None:
    is_dark = app.styleHints().colorScheme() == Qt.ColorScheme.Dark
    assert current_theme(app) is (DARK if is_dark else LIGHT)
    apply_theme(app, "dark")
    assert apply_theme(app, "system") is current_theme(app)


class _Paints(QObject):
    """Counts the paint events of a widget."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_a_change_of_theme_repaints(qtbot: QtBot, app: QApplication) -> None:
    apply_theme(app, "light")
    widget = QWidget()
    qtbot.addWidget(widget)
    paints = _Paints()
    widget.installEventFilter(paints)
    widget.show()
    qtbot.waitUntil(lambda: paints.count > 0)
    before = paints.count
    apply_theme(app, "dark")
    qtbot.waitUntil(lambda: paints.count > before)
    assert theme_of(widget) is DARK


def test_four_sizes(qapp: QApplication) -> None:
    sizes = [font(name).pointSizeF() for name in ("small", "text", "title", "answer")]
    assert sizes == sorted(set(sizes))
    assert sizes[1] == QApplication.font().pointSizeF()
    assert font("text", bold=True).bold()


def test_icons_are_one_family() -> None:
    for name in ICON_NAMES:
        root = ElementTree.parse(asset(f"icons/{name}.svg")).getroot()
        assert root.get("viewBox") == "0 0 24 24"
        assert root.get("stroke") == "currentColor"
        assert root.get("stroke-width") == "1.75"
        assert root.get("fill") == "none"


def inked(image: QImage) -> set[str]:
    """Colours of all fully opaque pixels."""
    pixels = ((x, y) for x in range(image.width()) for y in range(image.height()))
    colors = (image.pixelColor(x, y) for x, y in pixels)
    return {color.name() for color in colors if color.alpha() == 255}


@both_themes
@pytest.mark.parametrize("name", ICON_NAMES)
def test_icons_take_the_themes_colours(qapp: QApplication, theme: Theme, name: str) -> None:
    shown = icon(name, theme)
    usable = shown.pixmap(QSize(20, 20), 2.0, QIcon.Mode.Normal).toImage()
    unusable = shown.pixmap(QSize(20, 20), 2.0, QIcon.Mode.Disabled).toImage()
    assert inked(usable) == {theme.text}
    assert inked(unusable) == {theme.faint_text}


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0, 3.0])
def test_icons_are_drawn_for_the_scale_they_are_shown_at(qapp: QApplication, scale: float) -> None:
    side = round(20 * scale)
    shown = icon("pen", LIGHT).pixmap(QSize(20, 20), scale)
    assert shown.devicePixelRatio() == scale
    expected = QPixmap(side, side)
    expected.fill(Qt.GlobalColor.transparent)
    drawing = asset("icons/pen.svg").read_text().replace("currentColor", LIGHT.text)
    with QPainter(expected) as painter:
        QSvgRenderer(drawing.encode()).render(painter)
    got = shown.toImage().convertToFormat(QImage.Format.Format_ARGB32)
    got.setDevicePixelRatio(1.0)
    assert got == expected.toImage().convertToFormat(QImage.Format.Format_ARGB32)


def test_icons_survive_copies_and_the_end_of_the_program() -> None:
    """As Qt copies icons, and keeps some until the application is gone, none of them may lean on a Python object."""
    program = """
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QToolButton
from vit_pad.icons import icon
from vit_pad.theme import DARK, LIGHT
app = QApplication([])
names = ("undo", "redo", "clear", "eraser", "pen", "open", "paper")
buttons = [QToolButton() for _ in names]
for round in range(20):
    for button, name in zip(buttons, names):
        button.setIcon(icon(name, DARK if round % 2 else LIGHT))
        copy = QIcon(button.icon())
        copy.addPixmap(QPixmap(5, 5))
        button.show()
        button.grab()
    app.processEvents()
print("done")
"""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=60)
    assert (child.returncode, child.stdout) == (0, "done\n"), child.stderr


@both_themes
def test_the_combo_boxes_arrow_is_there(theme: Theme) -> None:
    root = ElementTree.parse(asset(f"icons/chevron-down-{theme.name}.svg")).getroot()
    assert QColor(root.get("stroke", "")).name() == theme.quiet_text
