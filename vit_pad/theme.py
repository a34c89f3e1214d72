"""The look that all parts share: colours, four font sizes, palette and style sheet."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template
from typing import Literal, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from training.paths import asset

ThemeChoice = Literal["system", "light", "dark"]
Paper = Literal["dark", "light"]
FontSize = Literal["small", "text", "title", "answer"]

_SIZE, _BOLD, _SYSTEM_FONT = "vitPadFontSize", "vitPadBold", "vitPadSystemFont"  # properties
UNIT = 8  # px; distances are multiples or halves of it
_FONT_SCALES: dict[FontSize, float] = {"small": 0.9, "text": 1.0, "title": 1.4, "answer": 5.0}


@dataclass(frozen=True, kw_only=True)
class Theme:
    """Colours by what they are for, as "#rrggbb".

    Text of any kind reaches a contrast of 4.5 to 1 on `window`, `surface` and `raised`.
    """

    name: Literal["light", "dark"]
    window: str  # behind everything
    surface: str  # fields, lists
    raised: str  # buttons, tooltips
    hover: str
    line: str  # hairlines, edges of buttons and fields
    track: str  # the empty part of bars and sliders
    bar: str  # the full part of bars that are not the accent; 3 to 1 on `track`
    text: str
    quiet_text: str
    faint_text: str  # what can't be used now
    accent: str
    on_accent: str  # text on the accent
    error: str


LIGHT = Theme(
    name="light",
    window="#f4f4f4",
    surface="#ffffff",
    raised="#fcfcfc",
    hover="#eaeaea",
    line="#cbcbcb",
    track="#e2e2e2",
    bar="#7f7f7f",
    text="#1b1b1b",
    quiet_text="#5e5e5e",
    faint_text="#a2a2a2",
    accent="#1a4fb4",
    on_accent="#ffffff",
    error="#b3261e",
)
DARK = Theme(
    name="dark",
    window="#1d1d1d",
    surface="#262626",
    raised="#2e2e2e",
    hover="#3a3a3a",
    line="#4a4a4a",
    track="#343434",
    bar="#7e7e7e",
    text="#ececec",
    quiet_text="#ababab",
    faint_text="#6c6c6c",
    accent="#7db2ff",
    on_accent="#0d1b33",
    error="#ff8f85",
)


class PaperColors(NamedTuple):
    """What is written with, and on what; hint and accent have a contrast of at least 4.5 to 1."""

    paper: str
    ink: str
    hint: str
    accent: str


# The pad keeps its own colours, whatever the theme: in MNIST ink is white on black.
PAPERS: dict[Paper, PaperColors] = {
    "dark": PaperColors(paper="#0e0e10", ink="#f5f5f5", hint="#8b8b90", accent="#7db2ff"),
    "light": PaperColors(paper="#fbfbf8", ink="#141414", hint="#6a6a6e", accent="#1a4fb4"),
}


def theme_of(widget: QWidget) -> Theme:
    """Give the theme that a widget is shown in. It rests on the palette, whose change makes every widget paint anew."""
    return DARK if widget.palette().color(QPalette.ColorRole.Window).lightness() < 128 else LIGHT


def current_theme(app: QApplication) -> Theme:
    """Give the theme that the system asks for; light where it has no wish."""
    return DARK if app.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT


def apply_theme(app: QApplication, choice: ThemeChoice, text_size: int = 100) -> Theme:
    """Dress the whole application, now and in what opens later, with text of so many per cent of the system's size.

    For "system" call it again when `app.styleHints().colorSchemeChanged` says so.
    """
    schemes = {"system": Qt.ColorScheme.Unknown, "light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
    app.styleHints().setColorScheme(schemes[choice])  # title bars and system dialogs follow
    theme = {"system": current_theme(app), "light": LIGHT, "dark": DARK}[choice]
    text_font = _scaled(_system_font(app), text_size / 100)
    palette, style_sheet = palette_of(theme), style_sheet_of(theme)
    if (app.font(), app.palette(), app.styleSheet()) == (text_font, palette, style_sheet):
        return theme  # dressing every widget takes time
    had_style_sheet = bool(app.styleSheet())
    app.setFont(text_font)  # before the style sheet, which reads it
    app.setStyle("Fusion")
    app.setPalette(palette)
    app.setStyleSheet(style_sheet)
    if had_style_sheet:
        _set_fonts_again(app)  # a new style sheet gives every widget back the font that it had under the old one
    return theme


def font(size: FontSize, *, bold: bool = False) -> QFont:
    """Give the system's font in one of the four sizes."""
    sized = _scaled(QGuiApplication.font(), _FONT_SCALES[size])
    sized.setBold(bold)
    return sized


def set_font(widget: QWidget, size: FontSize, *, bold: bool = False) -> None:
    """Give a widget one of the four sizes, which it keeps when the text size changes."""
    widget.setProperty(_SIZE, size)
    widget.setProperty(_BOLD, bold)
    widget.setFont(font(size, bold=bold))


def _system_font(app: QApplication) -> QFont:
    """Give the font that the application had before it was dressed."""
    system: QFont = app.property(_SYSTEM_FONT) or QFont(app.font())
    app.setProperty(_SYSTEM_FONT, system)
    return system


def _scaled(original: QFont, factor: float) -> QFont:
    scaled = QFont(original)
    if original.pointSizeF() > 0:
        scaled.setPointSizeF(original.pointSizeF() * factor)
    else:  # the system gave its size in pixels
        scaled.setPixelSize(round(original.pixelSize() * factor))
    return scaled


def _set_fonts_again(app: QApplication) -> None:
    for widget in app.allWidgets():
        size = widget.property(_SIZE)
        if size is not None:
            widget.setFont(font(size, bold=widget.property(_BOLD)))


def palette_of(theme: Theme) -> QPalette:
    """Give Qt's palette in the colours of a theme."""
    role = QPalette.ColorRole
    colors = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.raised,
        role.Text: theme.text,
        role.PlaceholderText: theme.quiet_text,
        role.Button: theme.raised,
        role.ButtonText: theme.text,
        role.BrightText: theme.error,
        role.ToolTipBase: theme.raised,
        role.ToolTipText: theme.text,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.Accent: theme.accent,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.Light: theme.hover,
        role.Midlight: theme.track,
        role.Mid: theme.line,
        role.Dark: theme.line,
        role.Shadow: theme.line,
    }
    palette = QPalette()
    for each, color in colors.items():
        palette.setColor(each, QColor(color))
    for each in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, each, QColor(theme.faint_text))
    palette.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(theme.line))
    return palette


def style_sheet_of(theme: Theme) -> str:
    """Give the style sheet for the few things that the palette can't say."""
    chevron = asset(f"icons/chevron-down-{theme.name}.svg").as_posix()
    return _STYLE_SHEET.substitute({**vars(theme), "chevron": chevron})


_STYLE_SHEET = Template("""
QPushButton, QToolButton, QComboBox {
    color: $text; background: $raised; border: 1px solid $line; border-radius: 6px; min-height: 22px;
}
QPushButton { padding: 4px 16px; }
QToolButton { padding: 4px 6px; background: transparent; border-color: transparent; min-width: 22px; }
QComboBox { padding: 4px 8px; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow { image: url("$chevron"); width: 16px; height: 16px; }
QPushButton:hover, QToolButton:hover, QComboBox:hover { background: $hover; }
QPushButton:pressed, QToolButton:pressed { background: $track; }
QToolButton::menu-indicator { image: none; }
QLineEdit { min-height: 24px; }
QToolButton:checked { background: $hover; border-color: $line; }
QPushButton:default { color: $on_accent; background: $accent; border-color: $accent; }
QPushButton:disabled, QToolButton:disabled, QComboBox:disabled { color: $faint_text; background: transparent; }
QPushButton:default:disabled { border-color: $line; }
QPushButton:focus, QToolButton:focus, QComboBox:focus { border-color: $accent; }
QPushButton:default:focus { border-color: $text; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: $track; }
QSlider::sub-page:horizontal { border-radius: 2px; background: $accent; }
QSlider::handle:horizontal {
    width: 14px; height: 14px; margin: -6px 0; border-radius: 8px; border: 1px solid $window; background: $accent;
}
QSlider::handle:horizontal:focus { border-color: $text; }
QSlider::sub-page:horizontal:disabled, QSlider::handle:horizontal:disabled { background: $line; }
QDockWidget::title { padding: 8px 16px; }
QStatusBar { color: $quiet_text; }
QStatusBar::item { border: none; }
QToolTip { color: $text; background: $raised; border: 1px solid $line; padding: 4px; }
""")
