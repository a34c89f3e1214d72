"""The menu behind the button at the right end of the tool row: what one needs now and then."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from vit_pad.actions import PadActions
from vit_pad.settings import TEXT_SIZES


class MainMenu(QMenu):
    """Files first, then the look, then what is about the program itself.

    Its own actions are attributes; `text_sizes` has one for each size, whose `data()` is the size in per cent.
    """

    def __init__(self, actions: PadActions, files: Sequence[QAction | QMenu], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("mainMenu")
        self.setToolTipsVisible(True)
        self.reset = self._action(self.tr("Reset all choices"), self.tr("All choices as they were at first"))
        self.delete = self._action(self.tr("Delete all my data …"), self.tr("Choices, drawings, history, models"))
        self.about = self._action(self.tr("About ViT Pad"), self.tr("Versions, device and folders"))
        self.text_sizes = QActionGroup(self)
        self._fill(actions, files)

    def _fill(self, actions: PadActions, files: Sequence[QAction | QMenu]) -> None:
        self.addAction(actions.open)
        for each in files:
            if isinstance(each, QMenu):
                self.addMenu(each)
            else:
                self.addAction(each)
        self.addActions([actions.save, actions.copy, actions.paste])
        self.addSeparator()
        self.addMenu(self._text_size_menu())
        self.addSeparator()
        self.addActions([self.reset, self.delete, self.about])
        self.addSeparator()
        self.addAction(actions.quit)

    def _text_size_menu(self) -> QMenu:
        menu = QMenu(self.tr("Text size"), self)
        menu.setObjectName("textSizeMenu")
        for size in TEXT_SIZES:
            action = menu.addAction(self.tr("{number} %").format(number=size))
            action.setData(size)
            action.setCheckable(True)
            self.text_sizes.addAction(action)
        return menu

    def show_text_size(self, size: int) -> None:
        """Tick the size that is chosen."""
        for action in self.text_sizes.actions():
            action.setChecked(action.data() == size)

    def _action(self, text: str, help_text: str) -> QAction:
        action = QAction(text, self)
        action.setToolTip(help_text)
        return action


def text_size_actions(window: QWidget) -> tuple[QAction, QAction, QAction]:
    """Make the actions for larger, smaller and usual text, by the keys that browsers have for them."""
    keys = QKeySequence.StandardKey
    larger = QAction(window.tr("Larger text"), window)
    smaller = QAction(window.tr("Smaller text"), window)
    usual = QAction(window.tr("Usual text size"), window)
    larger.setShortcuts([*QKeySequence.keyBindings(keys.ZoomIn), QKeySequence("Ctrl+=")])
    smaller.setShortcuts(keys.ZoomOut)
    usual.setShortcut(QKeySequence("Ctrl+0"))
    window.addActions([larger, smaller, usual])
    return larger, smaller, usual
