"""The mixing desk: heads and paths of a model turned down or left out by hand, and what becomes of its answer."""

from __future__ import annotations

import dataclasses
import math

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QMouseEvent, QPalette, QShortcut
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from training.config import ModelConfig, NetworkConfig
from training.edited_count import EditedAccuracy
from training.edits import NO_EDITS, Edits
from training.facts import Prediction
from vit_pad.answer_view import ElidedLabel
from vit_pad.choosers import name_widget, say
from vit_pad.inside.before_after import BeforeAfterBars
from vit_pad.inside.faders import Cell, FaderGrid
from vit_pad.inside.mix import edits_of, mix_of
from vit_pad.look import MEAN_HEAD
from vit_pad.percent import percent
from vit_pad.theme import UNIT, font, set_font

_WIDEST_NUMBER = "0.105"
_BUTTON_EDGES_PX = 4 * UNIT + 2  # padding and border, both sides
_LINES = 2  # of the sentence about test images
_DECADE = 100  # places of a slider between 1 and 10, and between 0.1 and 1
_SNAP = 4  # places this near to the middle are it while one drags


def temperature_at(place: int) -> float:
    """Give the temperature at a place of a slider, in three digits: 0.1 at its left end, 1 in the middle, 10."""
    return float(f"{10 ** (place / _DECADE):.3g}")


def place_of(temperature: float) -> int:
    """Give the place of a temperature, or the end of the slider that is nearer to it."""
    return min(max(round(_DECADE * math.log10(temperature)), -_DECADE), _DECADE)


class TemperatureSlider(QSlider):
    """A logarithmic slider; a double click or Backspace brings it back to 1.

    Signals:
        temperature_chosen: a person moved it.
    """

    temperature_chosen = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setRange(-_DECADE, _DECADE)
        self.setSingleStep(5)
        self.setPageStep(30)  # about half or double
        self.valueChanged.connect(self._on_value)

    def show_temperature(self, temperature: float) -> None:
        """Show a temperature without a signal for it."""
        with QSignalBlocker(self):
            self.setValue(place_of(temperature))
        self.setAccessibleDescription(self.locale().toString(temperature, "g", 3))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.setValue(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Backspace:
            self.setValue(0)
        else:
            super().keyPressEvent(event)

    def _on_value(self, place: int) -> None:
        if self.isSliderDown() and 0 < abs(place) <= _SNAP:
            self.setValue(0)
        else:
            self.temperature_chosen.emit(temperature_at(place))


class MixingDesk(QWidget):
    """A fader for every head, switches for the paths, two temperatures; the answer before and after.

    Blanked and moved patches are none of its business and stay in the edits as they are.

    Signals:
        edits_changed: a person changed something; the new Edits.
    """

    edits_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._config: NetworkConfig = ModelConfig()
        self._edits = NO_EDITS
        self._choice = (0, MEAN_HEAD)  # block and head
        self._grid = FaderGrid()
        self._fader_words = ElidedLabel()
        self._mute, self._solo = QPushButton(), QPushButton()
        self._sliders = {name: TemperatureSlider() for name in ("attention", "softmax")}
        self._numbers = {name: QLabel() for name in self._sliders}
        self._bars = BeforeAfterBars()
        self._accuracy = QLabel()
        self._reset = QPushButton(self.tr("Reset"))
        self._name_parts()
        self._lay_out()
        self._connect_parts()
        self._keep_room()
        self.set_config(self._config)

    @property
    def edits(self) -> Edits:
        """What the desk says; all that changes nothing is None."""
        return self._edits

    def set_edits(self, edits: Edits) -> None:
        """Show edits, without a signal for it; what of them the model can't take is neutral.

        Where faders already make these edits they stay as they are: a muted head remembers its level.
        """
        fitted = dataclasses.replace(
            edits.fitted_to(self._config), blanked_patches=edits.blanked_patches, patch_order=edits.patch_order
        )
        mix = mix_of(fitted, self._config.depth, self._config.num_heads)
        self._edits = _without_neutral(edits_of(mix, fitted))
        if edits_of(self._grid.mix, self._edits) != self._edits:
            self._grid.show_mix(mix)
        self._show_temperatures()

    def set_config(self, config: NetworkConfig) -> None:
        """Set the desk up for another model, whose shape may leave out some of the edits."""
        self._config = config
        has_attention = config.num_heads > 0
        without = self.tr("This model has no attention.")
        for widget in (self._grid, self._sliders["attention"], self._labels["attention"]):
            widget.setEnabled(has_attention)
        self._sliders["attention"].setToolTip(self._tips["attention"] if has_attention else without)
        self._bars.set_class_names(config.class_names)
        edits = self._edits.fitted_to(config)
        if (len(self._grid.mix), self._grid.num_heads) != (config.depth, config.num_heads):
            self._grid.show_mix(mix_of(edits, config.depth, config.num_heads))
            self._frame_choice()
        self.set_edits(edits)

    def reset(self) -> None:
        """Bring all back to rest; patches stay as they are."""
        self._grid.show_mix(mix_of(NO_EDITS, self._config.depth, self._config.num_heads))
        self._take(Edits(blanked_patches=self._edits.blanked_patches, patch_order=self._edits.patch_order))

    def set_choice(self, block: int, head: int) -> None:
        """Frame the fader of a head that is chosen elsewhere; for a head below 0 that of all heads. Emits nothing.

        The same choice again changes nothing: one may have gone on to another fader.
        """
        if (block, head) != self._choice:
            self._choice = block, head
            self._frame_choice()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show the answer before and after; None puts the bars to rest."""
        self._bars.show_prediction(prediction)

    def show_accuracy(self, accuracy: EditedAccuracy | None, unedited: EditedAccuracy | None = None) -> None:
        """Show how many images are read rightly with the change, and without it where that is known.

        None where nothing is counted.
        """
        locale = self.locale()
        if accuracy is None:
            words = "" if unedited is None else self.tr("Unchanged, {share} of {count} test images are read rightly.")
            fact = unedited
        elif not accuracy.is_done:
            words, fact = self.tr("Counting what is still read rightly … {done} of {count}"), accuracy
        elif unedited is None:
            words, fact = self.tr("With this change {share} of {count} test images are read rightly."), accuracy
        else:
            words = self.tr("With this change {share} of {count} test images are read rightly; without it {unedited}.")
            fact = accuracy
        if fact is not None:
            words = words.format(
                share=percent(fact.share, locale, 1),
                count=locale.toString(fact.num_images),
                done=locale.toString(fact.num_done),
                unedited="" if unedited is None else percent(unedited.share, locale, 1),
            )
        say(self._accuracy, words)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._keep_room()
        super().changeEvent(event)

    def _keep_room(self) -> None:
        """Keep room for the longest number, sentence and name of a button, so that nothing moves when they change."""
        metrics = QFontMetrics(font("text"))
        for number in self._numbers.values():
            number.setMinimumWidth(metrics.horizontalAdvance(_WIDEST_NUMBER) + 1)  # fractions are cut off
        for button, texts in self._button_texts.items():
            button.setMinimumWidth(max(map(metrics.horizontalAdvance, texts)) + _BUTTON_EDGES_PX)
        self._accuracy.setMinimumHeight(_LINES * QFontMetrics(font("small")).lineSpacing())

    def _name_parts(self) -> None:
        names = {"attention": self.tr("Attention temperature"), "softmax": self.tr("Answer temperature")}
        self._tips = {
            "attention": self.tr(
                "Divides the scores of every head: below 1 it looks more sharply, above 1 more evenly"
            ),
            "softmax": self.tr(
                "Divides the logits: below 1 the answer is surer, above 1 less sure; the likeliest class stays the same"
            ),
        }
        self._labels = {name: QLabel(text) for name, text in names.items()}
        name_widget(self, "mixingDesk", self.tr("Mixing desk"))
        name_widget(self._sliders["attention"], "attentionTemperatureSlider", names["attention"])
        name_widget(self._sliders["softmax"], "answerTemperatureSlider", names["softmax"])
        name_widget(self._numbers["attention"], "attentionTemperatureNumber", names["attention"])
        name_widget(self._numbers["softmax"], "answerTemperatureNumber", names["softmax"])
        name_widget(self._fader_words, "faderLabel", self.tr("Fader that the keys move"))
        self._button_texts = {  # and once they are on
            self._mute: (self.tr("Mute"), self.tr("Unmute")),
            self._solo: (self.tr("Solo"), self.tr("End solo")),
        }
        for button, object_name in ((self._mute, "muteButton"), (self._solo, "soloButton")):
            name_widget(button, object_name, self._button_texts[button][0])
        name_widget(self._accuracy, "editedAccuracyLabel", self.tr("Test images that are read rightly"))
        name_widget(self._reset, "resetEditsButton", self.tr("Reset"))
        for name, slider in self._sliders.items():
            slider.setToolTip(self._tips[name])
        self._mute.setToolTip(self.tr("Mute what is framed, a head or all heads of a block (M)"))
        self._solo.setToolTip(self.tr("Let the head that is framed be heard alone in its block (S)"))
        self._reset.setToolTip(self.tr("Bring all faders, switches and temperatures back to rest (R)"))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, 2 * UNIT)
        column.setSpacing(UNIT)
        column.addWidget(self._grid, 1)
        column.addWidget(self._fader_words)
        buttons = QHBoxLayout()
        buttons.setSpacing(UNIT)
        for button in (self._mute, self._solo):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys to the grid
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self._reset)
        column.addLayout(buttons)
        temperatures = QGridLayout()
        temperatures.setHorizontalSpacing(UNIT)
        temperatures.setVerticalSpacing(UNIT // 2)
        for row, (name, slider) in enumerate(self._sliders.items()):
            self._labels[name].setBuddy(slider)
            number = self._numbers[name]
            number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for place, widget in enumerate((self._labels[name], slider, number)):
                temperatures.addWidget(widget, row, place)
        temperatures.setColumnStretch(1, 1)
        column.addLayout(temperatures)
        column.addWidget(self._bars)
        self._accuracy.setWordWrap(True)
        self._accuracy.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        set_font(self._accuracy, "small")
        self._accuracy.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(self._accuracy)
        column.addStretch()

    def _connect_parts(self) -> None:
        self._grid.mixed.connect(lambda: self._take(edits_of(self._grid.mix, self._edits)))
        self._grid.framed.connect(self._show_framed)
        self._mute.clicked.connect(self._grid.toggle)
        self._solo.clicked.connect(self._grid.solo)
        self._sliders["attention"].temperature_chosen.connect(
            lambda value: self._take(dataclasses.replace(self._edits, attention_temperature=value))
        )
        self._sliders["softmax"].temperature_chosen.connect(
            lambda value: self._take(dataclasses.replace(self._edits, softmax_temperature=value))
        )
        self._reset.clicked.connect(self.reset)
        QShortcut(QKeySequence("R"), self, self.reset, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)

    def _frame_choice(self) -> None:
        (block, head), num_heads = self._choice, self._grid.num_heads
        self._grid.frame(Cell(block, head if 0 <= head < num_heads else num_heads))

    def _take(self, edits: Edits) -> None:
        """Take what a person made of the edits."""
        edits = _without_neutral(edits)
        if edits != self._edits:
            self._edits = edits
            self._show_temperatures()
            self.edits_changed.emit(edits)

    def _show_temperatures(self) -> None:
        values = {"attention": self._edits.attention_temperature, "softmax": self._edits.softmax_temperature}
        for name, value in values.items():
            temperature = 1.0 if value is None else value
            self._sliders[name].show_temperature(temperature)
            say(self._numbers[name], self.locale().toString(temperature, "g", 3))

    def _show_framed(self) -> None:
        """Say what is framed, and offer what can be done with it."""
        grid, column = self._grid, self._grid.cell.column
        row = grid.row
        fader = None if row is None else row.fader(column)
        say(self._fader_words, "" if row is None else grid.describe(grid.cell))
        self._mute.setEnabled(fader is not None)
        self._solo.setEnabled(row is not None and column < row.num_heads)
        is_muted = fader is not None and fader.is_muted
        is_alone = row is not None and row.soloed == column
        for button, is_on in ((self._mute, is_muted), (self._solo, is_alone)):
            text = self._button_texts[button][is_on]
            button.setText(text)
            button.setAccessibleName(text)


def _without_neutral(edits: Edits) -> Edits:
    """Give the same edits with None for temperatures of 1."""
    attention, softmax = (
        None if value == 1.0 else value for value in (edits.attention_temperature, edits.softmax_temperature)
    )
    return dataclasses.replace(edits, attention_temperature=attention, softmax_temperature=softmax)
