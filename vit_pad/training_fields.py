"""The settings of a training as a form: each with a line of help and a range that does no harm."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from training.config import PRESETS, TrainConfig
from vit_pad.choosers import choose, fill_chooser, fill_devices, name_widget
from vit_pad.theme import UNIT, set_font

_ALL_IMAGES = 0  # what the field of images holds for "all of them"
_MOST_IMAGES = 5_500  # of any class of MNIST, the images for validation left out
_FIELD_PX = 22 * UNIT
_PRESET_DROPOUT = -0.05  # what the field of dropout holds for "as the preset has it"


class TrainingFields(QWidget):
    """One field a setting. `changed` tells that a person changed one."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._config = TrainConfig()
        self._preset = self._chooser("presetChooser", ((name, name) for name in PRESETS))
        self._position = self._chooser(
            "positionChooser",
            (
                (self.tr("As the preset has it"), None),
                (self.tr("Learned"), "learned"),
                (self.tr("Sine and cosine"), "sincos"),
                (self.tr("None"), "none"),
            ),
        )
        self._epochs = self._whole("epochsField", 1, 1000)
        self._images = self._whole("imagesPerClassField", _ALL_IMAGES, _MOST_IMAGES, step=100)
        self._images.setSpecialValueText(self.tr("All"))
        self._batch = self._whole("batchSizeField", 1, 4096, step=32)
        self._rate = self._number("learningRateField", 1e-5, 0.1, decimals=5)
        self._decay = self._number("weightDecayField", 0.0, 1.0, decimals=3, step=0.01)
        self._dropout = self._number("dropoutField", _PRESET_DROPOUT, 0.9, decimals=2, step=0.05)
        self._dropout.setSpecialValueText(self.tr("As the preset has it"))
        self._augmentation = self._chooser(
            "augmentationChooser",
            (
                (self.tr("Turned, scaled, shifted"), "affine"),
                (self.tr("Bent, thicker, thinner, too"), "affine+elastic+thickness+occlusion"),
                (self.tr("None"), "none"),
            ),
        )
        self._seed = self._whole("seedField", 0, 2**31 - 1)
        self._device = self._chooser("trainingDeviceChooser", ())
        fill_devices(self._device, ("cpu",))
        self._lay_out()
        self.show_config(self._config)

    @property
    def config(self) -> TrainConfig:
        """What the fields say; settings without a field stay as they were shown last."""
        return dataclasses.replace(
            self._config,
            preset=self._preset.currentData(),
            position=self._position.currentData(),
            epochs=self._epochs.value(),
            images_per_class=self._images.value() or None,
            batch_size=self._batch.value(),
            learning_rate=round(self._rate.value(), self._rate.decimals()),
            weight_decay=round(self._decay.value(), self._decay.decimals()),
            dropout=None if self._dropout.value() < 0 else round(self._dropout.value(), self._dropout.decimals()),
            augmentation=self._augmentation.currentData(),
            seed=self._seed.value(),
            device=self._device.currentData(),
        )

    def show_config(self, config: TrainConfig) -> None:
        """Show the settings of a training, without a signal; what is out of a field's range becomes its nearest end."""
        self._config = config
        values: tuple[tuple[QWidget, Any], ...] = (
            (self._preset, config.preset),
            (self._position, config.position),
            (self._epochs, config.epochs),
            (self._images, config.images_per_class or _ALL_IMAGES),
            (self._batch, config.batch_size),
            (self._rate, config.learning_rate),
            (self._decay, config.weight_decay),
            (self._dropout, _PRESET_DROPOUT if config.dropout is None else config.dropout),
            (self._augmentation, config.augmentation),
            (self._seed, config.seed),
            (self._device, config.device),
        )
        for field, value in values:
            if isinstance(field, QComboBox):
                choose(field, value)
            elif isinstance(field, (QSpinBox, QDoubleSpinBox)):
                with QSignalBlocker(field):
                    field.setValue(value)

    def show_devices(self, devices: tuple[str, ...]) -> None:
        """List the devices there are."""
        fill_devices(self._device, devices)

    def _chooser(self, object_name: str, items: Iterable[tuple[str, Any]]) -> QComboBox:
        chooser = QComboBox()
        chooser.setObjectName(object_name)
        fill_chooser(chooser, items)
        chooser.currentIndexChanged.connect(lambda _index: self.changed.emit())
        return chooser

    def _whole(self, object_name: str, low: int, high: int, step: int = 1) -> QSpinBox:
        field = QSpinBox()
        field.setRange(low, high)
        field.setSingleStep(step)
        self._prepare(field, object_name)
        field.valueChanged.connect(lambda _value: self.changed.emit())
        return field

    def _number(
        self, object_name: str, low: float, high: float, decimals: int, step: float | None = None
    ) -> QDoubleSpinBox:
        field = QDoubleSpinBox()
        field.setDecimals(decimals)
        field.setRange(low, high)
        if step is None:
            field.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        else:
            field.setSingleStep(step)
        self._prepare(field, object_name)
        field.valueChanged.connect(lambda _value: self.changed.emit())
        return field

    def _prepare(self, field: QAbstractSpinBox, object_name: str) -> None:
        field.setObjectName(object_name)
        field.setKeyboardTracking(False)  # a number that is being typed is none yet
        field.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToNearestValue)
        field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the wheel scrolls the form, and changes no field by the way

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        for name, text, field in (
            ("preset", self.tr("Model"), self._preset),
            ("position", self.tr("Positions"), self._position),
            ("epochs", self.tr("Epochs"), self._epochs),
            ("images_per_class", self.tr("Images per class"), self._images),
            ("batch_size", self.tr("Batch size"), self._batch),
            ("learning_rate", self.tr("Learning rate"), self._rate),
            ("weight_decay", self.tr("Weight decay"), self._decay),
            ("dropout", self.tr("Dropout"), self._dropout),
            ("augmentation", self.tr("Augmentation"), self._augmentation),
            ("seed", self.tr("Seed"), self._seed),
            ("device", self.tr("Device"), self._device),
        ):
            help_text = _help_of(name)
            name_widget(field, field.objectName(), text)
            field.setAccessibleDescription(help_text)
            field.setToolTip(help_text)
            column.addLayout(_row(text, field, help_text))
        column.addStretch(1)


def _row(text: str, field: QWidget, help_text: str) -> QGridLayout:
    """Lay out a name, its field and, under both, the line of help."""
    label, words = QLabel(text), QLabel(help_text)
    label.setBuddy(field)
    field.setFixedWidth(_FIELD_PX)
    field.setMinimumHeight(4 * UNIT)
    set_font(words, "small")
    words.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    words.setWordWrap(True)
    row = QGridLayout()
    row.setVerticalSpacing(UNIT // 4)
    row.addWidget(label, 0, 0)
    row.addWidget(field, 0, 1)
    row.addWidget(words, 1, 0, 1, 2)
    row.setColumnStretch(0, 1)
    return row


def _help_of(name: str) -> str:
    (field,) = (each for each in dataclasses.fields(TrainConfig) if each.name == name)
    return QCoreApplication.translate("TrainConfig", field.metadata["help"])
