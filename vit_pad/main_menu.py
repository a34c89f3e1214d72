"""The menu behind the button at the right end of the tool row: what one needs now and then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from vit_pad.actions import PadActions
from vit_pad.settings import TEXT_SIZES, Choices


class MainMenu(QMenu):
    """Files first, then the look, then what is about the program itself.

    `views` are the actions of its menu of views; None is a line between them. Its own actions are attributes. Each
    action of `themes` and `text_sizes` has as its `data()` the theme's name, or the size in per cent.
    """

    def __init__(
        self, actions: PadActions, files: Sequence[QAction | QMenu], views: Sequence[QAction | None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("mainMenu")
        self.setToolTipsVisible(True)
        self.reset = self._action("", "")
        self.offer_reset(is_done=False)
        self.delete = self._action(self.tr("Delete all my data …"), self.tr("Choices, drawings, history, models"))
        self.about = self._action(self.tr("About ViT Pad"), self.tr("Versions, device and folders"))
        self.tells_doubt = self._action(
            self.tr("Say when it isn't sure"), self.tr("Mark answers that are unsure, and say why")
        )
        self.tells_doubt.setObjectName("unsureSwitch")
        self.tells_doubt.setCheckable(True)
        self.themes, self.text_sizes = QActionGroup(self), QActionGroup(self)
        self._fill(actions, files, views)

    def _fill(self, actions: PadActions, files: Sequence[QAction | QMenu], views: Sequence[QAction | None]) -> None:
        self.addAction(actions.open)
        for each in files:
            if isinstance(each, QMenu):
                self.addMenu(each)
            else:
                self.addAction(each)
        self.addActions([actions.save, actions.copy, actions.paste])
        self.addSeparator()
        self._add_views(views)
        themes = ((self.tr("As the system"), "system"), (self.tr("Light"), "light"), (self.tr("Dark"), "dark"))
        self._add_choices(self.tr("Theme"), "themeMenu", self.themes, themes)
        sizes = [(self.tr("{number} %").format(number=size), size) for size in TEXT_SIZES]
        self._add_choices(self.tr("Text size"), "textSizeMenu", self.text_sizes, sizes)
        self.addAction(self.tells_doubt)
        self.addSeparator()
        self.addActions([self.reset, self.delete, self.about])
        self.addSeparator()
        self.addAction(actions.quit)

    def _add_views(self, views: Sequence[QAction | None]) -> None:
        menu = self.addMenu(self.tr("Views"))
        menu.setObjectName("viewsMenu")
        menu.setToolTipsVisible(True)
        for action in views:
            if action is None:
                menu.addSeparator()
            else:
                menu.addAction(action)

    def show_choices(self, choices: Choices) -> None:
        """Tick what is chosen."""
        self.tells_doubt.setChecked(choices.tells_doubt)
        for group, chosen in ((self.themes, choices.theme), (self.text_sizes, choices.text_size)):
            for action in group.actions():
                action.setChecked(action.data() == chosen)

    def offer_reset(self, is_done: bool) -> None:
        """Offer to reset all choices or, when that is done, to bring them back."""
        if is_done:
            self.reset.setText(self.tr("Bring my choices back"))
            self.reset.setToolTip(self.tr("All choices as they were before they were reset"))
        else:
            self.reset.setText(self.tr("Reset all choices"))
            self.reset.setToolTip(self.tr("All choices as they were at first; the drawing stays"))

    def _add_choices(self, text: str, name: str, group: QActionGroup, choices: Iterable[tuple[str, object]]) -> None:
        menu = self.addMenu(text)
        menu.setObjectName(name)
        for each, data in choices:
            action = menu.addAction(each)
            action.setData(data)
            action.setCheckable(True)
            group.addAction(action)

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
