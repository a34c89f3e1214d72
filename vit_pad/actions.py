"""Everything one can do with the pad, as actions with names, icons, shortcuts and tooltips."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QWidget

from vit_pad.icons import icon
from vit_pad.theme import Theme

Shortcuts = Iterable[QKeySequence.StandardKey | Qt.Key | str]


class PadActions(QObject):
    """The actions of one window; who owns it connects their `triggered`."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._icon_names: dict[QAction, str] = {}
        keys = QKeySequence.StandardKey
        self.pen = self._add("pen", self.tr("Pen"), self.tr("Draw with the pen"), ["P"])
        self.eraser = self._add(
            "eraser",
            self.tr("Eraser"),
            self.tr("Cut strokes where the eraser passes, as the right mouse button does"),
            ["E"],
        )
        self.look = self._add(
            "look",
            self.tr("Look"),
            self.tr(
                "Ask a patch what it looks at: rest on it, or click to pin it; Ctrl and a click do so while drawing"
            ),
            ["L"],
        )
        self.leave_look = self._add(
            None,
            self.tr("Stop looking"),
            self.tr("Let the class token ask again; then take the pen"),
            [Qt.Key.Key_Escape],
        )
        self.leave_look.setEnabled(False)
        self.reset_edits = self._add(
            None, self.tr("Undo all changes of the model"), self.tr("Let the model read as it is"), ["Ctrl+R"]
        )
        self.reset_edits.setEnabled(False)
        self.undo = self._add("undo", self.tr("Undo"), self.tr("Take the last change back"), [keys.Undo])
        self.redo = self._add("redo", self.tr("Redo"), self.tr("Make the change again"), ["Ctrl+Shift+Z", "Ctrl+Y"])
        self.clear = self._add("clear", self.tr("Clear"), self.tr("Empty the pad"), ["Del"])
        self.open = self._add("open", self.tr("Open"), self.tr("Open a picture or a drawing file"), [keys.Open])
        self.save = self._add(None, self.tr("Save …"), self.tr("Save the pad to a file"), [keys.Save])
        self.copy = self._add(None, self.tr("Copy"), self.tr("Copy the pad as a picture"), [keys.Copy])
        self.paper = self._add("paper", self.tr("Paper"), self.tr("Black ink on paper, or white ink on black"), ["B"])
        self.training = self._add(
            "train", self.tr("Train"), self.tr("Train a model of your own, and watch it learn"), ["Ctrl+T"]
        )
        self.training.setCheckable(True)
        self.training.setObjectName("trainingAction")
        self.menu = self._add("menu", self.tr("Menu"), self.tr("Files, text size, your data, about"), ["F10"])
        self.paste = self._add(None, self.tr("Paste"), self.tr("Put a copied picture on the pad"), [keys.Paste])
        self.thinner = self._add(None, self.tr("Thinner"), self.tr("Make the pen thinner"), ["["])
        self.thicker = self._add(None, self.tr("Thicker"), self.tr("Make the pen thicker"), ["]"])
        self.digit_before = self._add(
            None, self.tr("Digit to the left"), self.tr("Show what is seen in the digit to the left"), ["Ctrl+Left"]
        )
        self.digit_after = self._add(
            None, self.tr("Digit to the right"), self.tr("Show what is seen in the digit to the right"), ["Ctrl+Right"]
        )
        self.quit = self._add(None, self.tr("Quit"), self.tr("Close ViT Pad"), ["Ctrl+Q"])
        self.open.setToolTip(
            self.tr(
                "Open a picture or a drawing file ({open_keys}); paste one with {paste_keys}, save with {save_keys}"
            ).format(open_keys=_keys(self.open), paste_keys=_keys(self.paste), save_keys=_keys(self.save))
        )
        self.undo.setToolTip(
            self.tr("Take the last change back ({keys}); Esc takes back the stroke that is being drawn").format(
                keys=_keys(self.undo)
            )
        )
        tools = QActionGroup(self)
        for tool in (self.pen, self.eraser, self.look):
            tool.setCheckable(True)
            tools.addAction(tool)
        self.pen.setChecked(True)
        self.paper.setCheckable(True)

    def _add(self, icon_name: str | None, text: str, help_text: str, shortcuts: Shortcuts) -> QAction:
        action = add_action(self._window, text, help_text, shortcuts)
        if icon_name is not None:
            self._icon_names[action] = icon_name
        return action

    def show_theme(self, theme: Theme) -> None:
        """Draw all icons in the colours of a theme."""
        for action, name in self._icon_names.items():
            action.setIcon(icon(name, theme))


def add_action(window: QWidget, text: str, help_text: str, shortcuts: Shortcuts) -> QAction:
    """Make an action of a window, whose tool tip tells its first key."""
    action = QAction(text, window)
    action.setShortcuts([QKeySequence(each) for each in shortcuts])
    action.setToolTip(f"{help_text} ({_keys(action)})")
    window.addAction(action)
    return action


def _keys(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def connect(pairs: Iterable[tuple[QAction, Callable[[], object]]]) -> None:
    """Connect each action to what it does."""
    for action, what in pairs:
        action.triggered.connect(lambda _checked=False, what=what: what())
