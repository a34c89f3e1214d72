"""The line at the bottom: what went wrong, if anything, and who answers how fast."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from training.errors import Message
from vit_pad.choosers import name_widget, say
from vit_pad.pace import Pace
from vit_pad.theme import UNIT, Theme, set_font
from vit_pad.words import translated

_STATUS_EVERY_MS = 250  # a number that changes faster can't be read


class StatusRow(QWidget):
    """A banner for problems at the left, the status at the right. Its height stays the same, whatever it says."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown_problem: Message | None = None
        self._problem = QLabel()
        self._problem.setTextFormat(Qt.TextFormat.PlainText)  # a file's name may look like HTML
        self._problem.setWordWrap(True)
        self._problem.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        name_widget(self._problem, "problemBanner", self.tr("Problem"))
        self._status_text = ""
        self._status_pace = Pace(_STATUS_EVERY_MS, self._show_status, self)
        self._status = QLabel()
        set_font(self._status, "small")
        self._status.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._status.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        name_widget(self._status, "statusLabel", self.tr("Status"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * UNIT)
        for label, stretch in ((self._problem, 3), (self._status, 2)):
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
            row.addWidget(label, stretch)
        self._keep_height()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._keep_height()
        super().changeEvent(event)

    def _keep_height(self) -> None:
        self.setFixedHeight(2 * self.fontMetrics().lineSpacing() + UNIT // 2)  # two lines of a banner

    def show_theme(self, theme: Theme) -> None:
        """Colour the banner as the theme colours what went wrong."""
        palette = self._problem.palette()
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.error))
        self._problem.setPalette(palette)

    def show_problem(self, message: Message) -> None:
        """Say what went wrong, until something else is said."""
        self._shown_problem = message
        self._set_banner(translated(message))

    def clear_problem(self) -> None:
        """Take the banner away."""
        self._shown_problem = None
        self._set_banner("")

    def take_back(self, message: Message | None) -> None:
        """Take the banner away if it says this, which is no longer so."""
        if message is not None and message is self._shown_problem:
            self.clear_problem()

    def show_loading(self, model: str) -> None:
        """Say that a model is on its way."""
        self._set_status(self.tr("Loading {model} …").format(model=model))

    def show_no_model(self) -> None:
        """Say that nobody answers."""
        self._set_status(self.tr("No model is loaded"))

    def show_answered(self, model: str, device: str, elapsed_ms: float | None) -> None:
        """Say who answers and, after an answer, how long it took."""
        if elapsed_ms is None:
            self._set_status(f"{model} · {device}")
        else:
            time = self.tr("{time} ms").format(time=self.locale().toString(elapsed_ms, "f", 1))
            self._status_text = f"{model} · {device} · {time}"
            self._status_pace.ask()

    def _set_status(self, text: str) -> None:
        self._status_text = text
        self._status_pace.act_now()

    def _show_status(self) -> None:
        say(self._status, self._status_text)

    def _set_banner(self, text: str) -> None:
        say(self._problem, text)
        self._problem.setToolTip(text)
