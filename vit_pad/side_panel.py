"""What stands beside the pad: the answer, the ten bars, what the model sees, what its heads look at."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QSlider, QVBoxLayout, QWidget

from training.config import DIGITS, NetworkConfig
from training.facts import Prediction
from vit_pad.attention_overlay import ColorBar
from vit_pad.choosers import choose, fill_chooser, fill_devices, name_widget, say
from vit_pad.head_strip import HeadStrip
from vit_pad.heat import MEAN_HEAD
from vit_pad.input_preview import InputPreview
from vit_pad.pace import Pace
from vit_pad.percent import percent
from vit_pad.probability_bars import ProbabilityBars
from vit_pad.settings import Choices
from vit_pad.theme import UNIT, set_font

_UNSURE = "{} ?"
_WIDEST_ANSWER_PX = 240
_LEAST_WIDTH_PX = 45 * UNIT  # the choosers' words fit
_THUMBNAILS_EVERY_MS = 40
_PREVIEW_STEP_PX = 32  # every pixel of a 32 x 32 image comes out equally large


class SidePanel(QWidget):
    """Views of the answer, and the choosers of what is asked and shown."""

    chosen = Signal(str, object)  # a field of Choices and its new value

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumWidth(_LEAST_WIDTH_PX)
        self._answer = AnswerView()
        self._bars = ProbabilityBars()
        self._preview = InputPreview()
        self._head_strip = HeadStrip()
        self._color_bar = ColorBar()
        self._strength = QSlider(Qt.Orientation.Horizontal)
        self._prediction: Prediction | None = None
        self._thumbnail_pace = Pace(_THUMBNAILS_EVERY_MS, self._show_thumbnails, self)
        self._preview.setMinimumSize(2 * _PREVIEW_STEP_PX, 2 * _PREVIEW_STEP_PX)
        self._make_choosers()
        self._lay_out()
        self._head_strip.head_chosen.connect(self._on_head_clicked)

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show an answer in every view; None for an empty pad."""
        self._prediction = prediction
        self._answer.show_prediction(prediction)
        self._bars.show_prediction(prediction)
        if prediction is None:
            self._thumbnail_pace.act_now()
        else:
            self._thumbnail_pace.ask()

    def _show_thumbnails(self) -> None:
        """Show the newest answer in the small views, too: less often, as nobody sees them change faster."""
        self._preview.show_prediction(self._prediction)
        self._head_strip.show_prediction(self._prediction)

    def show_choices(self, choices: Choices) -> None:
        """Show what is chosen, without signals for it."""
        for name, chooser in self._choosers.items():
            choose(chooser, getattr(choices, name))
        with QSignalBlocker(self._strength):
            self._strength.setValue(round(100 * choices.strength))
        self._head_strip.set_choice(choices.block, choices.head)
        self._head_strip.set_paper(choices.paper)
        self._color_bar.set_strength(choices.strength)
        self._color_bar.set_paper(choices.paper)

    def show_scale(self, scale: float) -> None:
        """Show the share of attention that the overlay's hottest colour stands for."""
        self._color_bar.show_scale(scale)

    def follow_text_size(self) -> None:
        """Fit what keeps its place to the size of the text."""
        self._answer.keep_room()

    def show_models(self, models: tuple[tuple[str, str], ...]) -> None:
        """List the models: the text of each, and its name or path."""
        fill_chooser(self._choosers["model"], models)

    def show_devices(self, devices: tuple[str, ...]) -> None:
        """List the devices there are, after the one that leaves the choice to the program."""
        fill_devices(self._choosers["device"], devices)

    def show_config(self, config: NetworkConfig) -> None:
        """Offer the blocks and heads that the model has."""
        blocks = ((self.tr("Block {number}").format(number=each + 1), each) for each in range(config.depth))
        fill_chooser(self._choosers["block"], blocks)
        heads = [(self.tr("Head {number}").format(number=each + 1), each) for each in range(config.num_heads)]
        fill_chooser(self._choosers["head"], [(self.tr("Mean"), MEAN_HEAD), *heads])
        self._head_strip.set_num_heads(config.num_heads)
        self._preview.set_grid(config.grid)
        self._bars.set_class_names(config.class_names)
        self._answer.set_class_names(config.class_names)

    def resizeEvent(self, event: QResizeEvent) -> None:
        side = _PREVIEW_STEP_PX * min(max(self.height() // 140, 2), 5)
        self._preview.setMaximumSize(side, side)
        super().resizeEvent(event)

    def _make_choosers(self) -> None:
        names = {
            "model": self.tr("Model"),
            "device": self.tr("Device"),
            "placement": self.tr("Image"),
            "block": self.tr("Block"),
            "head": self.tr("Head"),
        }
        self._choosers = {name: QComboBox() for name in names}
        tips = {
            "model": self.tr("The model that reads the pad"),
            "device": self.tr("Where the model computes"),
            "placement": self.tr(
                "How the pad becomes the model's image: like MNIST centres it and evens the line width out, "
                "as drawn takes the whole pad"
            ),
            "block": self.tr("The block whose attention is shown"),
            "head": self.tr("The head whose attention lies over the ink"),
        }
        for name, chooser in self._choosers.items():
            name_widget(chooser, f"{name}Chooser", names[name])
            chooser.setToolTip(tips[name])
            chooser.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            chooser.currentIndexChanged.connect(
                lambda _index, name=name, chooser=chooser: self.chosen.emit(name, chooser.currentData())
            )
        self._chooser_labels = names
        modes = ((self.tr("Like MNIST"), "like-mnist"), (self.tr("As drawn"), "as-drawn"))
        fill_chooser(self._choosers["placement"], modes)
        self._strength.setRange(0, 100)
        self._strength.setToolTip(self.tr("How strongly attention is laid over the ink"))
        name_widget(self._strength, "strengthSlider", self.tr("Strength of the overlay"))
        self._strength.valueChanged.connect(lambda value: self.chosen.emit("strength", value / 100))

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(UNIT)
        top.addWidget(self._answer, 1)
        top.addWidget(self._preview, 0, Qt.AlignmentFlag.AlignRight)
        attention = QGridLayout()
        attention.setHorizontalSpacing(UNIT)
        attention.setVerticalSpacing(UNIT // 2)
        models = QGridLayout()
        models.setHorizontalSpacing(UNIT)
        models.setVerticalSpacing(UNIT // 2)
        for column, name in enumerate(("block", "head")):
            _put(attention, column, self._chooser_labels[name], self._choosers[name])
        _put(attention, 2, self.tr("Strength"), self._strength)
        for column, name in enumerate(("model", "device", "placement")):
            _put(models, column, self._chooser_labels[name], self._choosers[name])
        below = QVBoxLayout(self)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(3 * UNIT // 4)
        below.addLayout(top)
        below.addWidget(self._bars, 1)
        below.addSpacing(UNIT)
        below.addLayout(attention)
        below.addWidget(self._color_bar)
        below.addWidget(self._head_strip)
        below.addSpacing(UNIT)
        below.addLayout(models)

    def _on_head_clicked(self, head: int) -> None:
        choose(self._choosers["head"], head)
        self.chosen.emit("head", head)


class AnswerView(QWidget):
    """The answer in large type with its probability beside it.

    Texts change in place, in labels of fixed size: the layout never moves, and Qt needn't work it out anew each time.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answer = ElidedLabel()
        self._answer.setTextFormat(Qt.TextFormat.PlainText)
        set_font(self._answer, "answer", bold=True)
        name_widget(self._answer, "predictionLabel", self.tr("Answer"))
        self._probability = QLabel()
        set_font(self._probability, "title")
        name_widget(self._probability, "probabilityLabel", self.tr("Probability of the answer"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * UNIT)
        row.addWidget(self._answer)
        row.addWidget(self._probability)
        row.addStretch(1)
        self.set_class_names(DIGITS)

    def set_class_names(self, class_names: tuple[str, ...]) -> None:
        """Keep room for the widest answer, up to a limit."""
        self._class_names = class_names
        self.keep_room()

    def keep_room(self) -> None:
        """Fit the labels to the size of the text."""
        metrics = self._answer.fontMetrics()
        widest = max(metrics.horizontalAdvance(_UNSURE.format(name)) for name in self._class_names)
        self._answer.setFixedSize(min(widest, _WIDEST_ANSWER_PX), metrics.height())
        metrics = self._probability.fontMetrics()
        self._probability.setFixedSize(metrics.horizontalAdvance(percent(1.0, self.locale(), 0)), metrics.height())

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show the likeliest class; nothing on an empty pad."""
        if prediction is None or prediction.top is None:
            say(self._answer, "")
            say(self._probability, "")
            return
        share = float(prediction.probabilities.max())
        say(self._answer, _UNSURE.format(prediction.top) if prediction.unsure else prediction.top)
        say(self._probability, percent(share, self.locale(), 0))


class ElidedLabel(QLabel):
    """A label that shows as much of its text as there is room for, and an ellipsis; `text()` is always the whole."""

    def shown_text(self) -> str:
        """Give what is painted."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setFont(self.font())
            self.style().drawItemText(
                painter,
                self.contentsRect(),
                self.alignment(),
                self.palette(),
                self.isEnabled(),
                self.shown_text(),
                self.foregroundRole(),
            )


def _put(grid: QGridLayout, column: int, text: str, widget: QWidget) -> None:
    label = QLabel(text)
    set_font(label, "small")
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    label.setBuddy(widget)
    grid.addWidget(label, 0, column)
    grid.addWidget(widget, 1, column)
    grid.setColumnStretch(column, 1)
