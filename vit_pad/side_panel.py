"""What stands beside the pad: the answer, the ten bars, what the model sees, what its heads look at."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QSlider, QVBoxLayout, QWidget

from training.config import NetworkConfig
from training.facts import Prediction
from vit_pad.answer_view import AnswerView
from vit_pad.attention_overlay import ColorBar
from vit_pad.choosers import choose, fill_chooser, fill_devices, name_widget
from vit_pad.head_strip import HeadStrip
from vit_pad.input_preview import InputPreview
from vit_pad.look import MEAN_HEAD, Look
from vit_pad.number import Number
from vit_pad.pace import Pace
from vit_pad.probability_bars import ProbabilityBars
from vit_pad.settings import Choices
from vit_pad.theme import UNIT, set_font

_LEAST_WIDTH_PX = 45 * UNIT  # the choosers' words fit
_THUMBNAILS_EVERY_MS = 40
_PREVIEW_STEP_PX = 32  # every pixel of a 32 x 32 image comes out equally large


class SidePanel(QWidget):
    """Views of the answer, and the choosers of what is asked and shown."""

    chosen = Signal(str, object)  # a field of Choices and its new value
    patch_pointed = Signal(object)  # the patch that is pointed at in the image, from 0, or None
    patch_clicked = Signal(int)  # the one that was chosen there

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
        self._preview.patch_pointed.connect(self.patch_pointed)
        self._preview.patch_clicked.connect(self.patch_clicked)

    def show_number(self, number: Number) -> None:
        """Show the whole answer, and the digit that is chosen in every other view; all are at rest on an empty pad."""
        self._prediction = prediction = number.chosen
        self._answer.show_number(number)
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
        self._head_strip.set_palette(choices.palette)
        self._color_bar.set_palette(choices.palette)
        self._color_bar.set_strength(choices.strength)
        self._color_bar.set_paper(choices.paper)
        self._answer.set_telling_doubt(choices.tells_doubt)

    def show_look(self, look: Look, pinned: tuple[int, ...]) -> None:
        """Show who asks in the small views, too."""
        self._head_strip.set_look(look)
        self._preview.set_pinned(pinned)

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
        self._enable_attention(config.num_heads > 0)
        self._preview.set_grid(config.grid)
        self._bars.set_class_names(config.class_names)
        self._answer.set_class_names(config.class_names)

    def _enable_attention(self, has_attention: bool) -> None:
        """Let block, head and strength be chosen, or say why they can't."""
        without = self.tr("This model has no attention.")
        for widget, tip in self._attention_tips.items():
            widget.setEnabled(has_attention)
            widget.setToolTip(tip if has_attention else without)

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
        attention = (self._choosers["block"], self._choosers["head"], self._strength)
        self._attention_tips: dict[QWidget, str] = {widget: widget.toolTip() for widget in attention}
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


def _put(grid: QGridLayout, column: int, text: str, widget: QWidget) -> None:
    label = QLabel(text)
    set_font(label, "small")
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    label.setBuddy(widget)
    grid.addWidget(label, 0, column)
    grid.addWidget(widget, 1, column)
    grid.setColumnStretch(column, 1)
