"""Asking the attention: who asks, how heads and blocks are joined, two maps side by side, and how maps look."""

from __future__ import annotations

import dataclasses

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from training.facts import FloatArray, Prediction
from vit_pad.choosers import choose, fill_chooser, name_widget, say
from vit_pad.heat import HeatStyle, difference_colors, nice_scale, overlay_colors
from vit_pad.inside.map_tile import MapTile
from vit_pad.look import CLASS_TOKEN, Look, heat_map
from vit_pad.percent import percent
from vit_pad.settings import Choices
from vit_pad.theme import UNIT, set_font

_STRENGTH = 0.9  # of the small maps
_ANSWER, _RUNNER_UP = -1, -2  # in place of a class: the likeliest, and the one after it


class AttentionPanel(QWidget):
    """What can be asked, and two answers to compare: of two pinned patches, or for two classes.

    Signals:
        chosen: a field of Choices and its new value.
        look_chosen: a field of Look and its new value.
        unpinned: the class token is to ask again.
    """

    chosen = Signal(str, object)
    look_chosen = Signal(str, object)
    unpinned = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._prediction: Prediction | None = None
        self._look = Look()
        self._style = HeatStyle()
        self._pinned: tuple[int, ...] = ()
        self._class_names: tuple[str, ...] = ()
        self._way, self._palette = QComboBox(), QComboBox()
        self._one_class, self._other_class = QComboBox(), QComboBox()
        self._about, self._asker, self._caution = QLabel(), QLabel(), QLabel()
        self._reversed = QCheckBox(self.tr("Who looks at it"))
        self._smooth = QCheckBox(self.tr("Smooth"))
        self._common = QCheckBox(self.tr("One scale for all heads"))
        self._unpin = QPushButton(self.tr("Let the class token ask"))
        self._tiles = (MapTile(), MapTile(), MapTile())
        self._name_parts()
        self._lay_out()
        self._connect_parts()
        self._show_all()

    @property
    def compared_classes(self) -> tuple[int | None, int | None]:
        """The two classes whose relevance is compared, from 0; None where there is no answer to choose by."""
        return self._class_of(self._one_class), self._class_of(self._other_class)

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show two maps and their difference; None leaves the tiles blank."""
        self._prediction = prediction
        if prediction is not None and prediction.class_names != self._class_names:
            self._class_names = prediction.class_names
            self._fill_classes()
        self._show_tiles()

    def show_look(self, look: Look, pinned: tuple[int, ...]) -> None:
        """Show who asks and how."""
        self._look, self._pinned = look, pinned
        self._show_all()

    def show_choices(self, choices: Choices) -> None:
        """Show what is chosen, without signals for it."""
        self._style = choices.heat_style
        self._show_all()

    def _name_parts(self) -> None:
        name_widget(self, "attentionPanel", self.tr("Asking the attention"))
        for widget, object_name, name in (
            (self._way, "wayChooser", self.tr("How heads and blocks are joined")),
            (self._palette, "paletteChooser", self.tr("Colours")),
            (self._one_class, "oneClassChooser", self.tr("One class")),
            (self._other_class, "otherClassChooser", self.tr("Another class")),
            (self._about, "wayLabel", self.tr("What is shown")),
            (self._asker, "askerLabel", self.tr("Who asks")),
            (self._caution, "cautionLabel", self.tr("Caution")),
            (self._reversed, "reversedSwitch", self._reversed.text()),
            (self._smooth, "smoothSwitch", self._smooth.text()),
            (self._common, "commonScaleSwitch", self._common.text()),
            (self._unpin, "unpinButton", self._unpin.text()),
            (self._tiles[0], "firstMap", self.tr("First map")),
            (self._tiles[1], "secondMap", self.tr("Second map")),
            (self._tiles[2], "differenceMap", self.tr("Difference")),
        ):
            name_widget(widget, object_name, name)
        self._reversed.setToolTip(self.tr("Turn the question round: how much each patch looks at the one that asks"))
        self._common.setToolTip(self.tr("Else the colours of each map go up to a round number above its own highest"))
        fill_chooser(
            self._way,
            (
                (self.tr("A head, or the mean of a block's"), "head"),
                (self.tr("The highest of a block's heads"), "max"),
                (self.tr("The lowest of a block's heads"), "min"),
                (self.tr("Rollout"), "rollout"),
                (self.tr("Relevance for a class"), "relevance"),
            ),
        )
        fill_chooser(
            self._palette,
            (
                (self.tr("Violet to yellow"), "violet"),
                (self.tr("Blue to yellow"), "blue"),
                (self.tr("Grey"), "grey"),
            ),
        )
        self._fill_classes()

    def _fill_classes(self) -> None:
        classes = [(name, index) for index, name in enumerate(self._class_names)]
        fill_chooser(self._one_class, [(self.tr("The answer"), _ANSWER), *classes])
        fill_chooser(self._other_class, [(self.tr("The runner-up"), _RUNNER_UP), *classes])

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, 2 * UNIT)
        column.setSpacing(UNIT)
        for label in (self._about, self._asker, self._caution):
            label.setWordWrap(True)
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            set_font(label, "small")
        form = QFormLayout()
        form.setSpacing(UNIT)
        form.addRow(self.tr("Show"), self._way)
        column.addLayout(form)
        column.addWidget(self._about)
        column.addWidget(self._asker)
        asking = QHBoxLayout()
        asking.addWidget(self._reversed)
        asking.addStretch(1)
        asking.addWidget(self._unpin)
        column.addLayout(asking)
        classes = QHBoxLayout()
        classes.setSpacing(UNIT)
        classes.addWidget(self._one_class)
        classes.addWidget(self._other_class)
        column.addLayout(classes)
        tiles = QHBoxLayout()
        tiles.setSpacing(UNIT)
        for tile in self._tiles:
            tiles.addWidget(tile, 1)
        column.addLayout(tiles)
        looks = QFormLayout()
        looks.setSpacing(UNIT)
        looks.addRow(self.tr("Colours"), self._palette)
        column.addLayout(looks)
        switches = QHBoxLayout()
        switches.addWidget(self._smooth)
        switches.addWidget(self._common)
        switches.addStretch(1)
        column.addLayout(switches)
        column.addWidget(self._caution)
        column.addStretch(1)

    def _connect_parts(self) -> None:
        self._way.currentIndexChanged.connect(lambda: self.look_chosen.emit("way", self._way.currentData()))
        self._palette.currentIndexChanged.connect(lambda: self.chosen.emit("palette", self._palette.currentData()))
        self._smooth.clicked.connect(lambda is_on: self.chosen.emit("is_smooth", is_on))
        self._common.clicked.connect(lambda is_on: self.chosen.emit("has_common_scale", is_on))
        self._reversed.clicked.connect(lambda is_on: self.look_chosen.emit("is_reversed", is_on))
        self._one_class.currentIndexChanged.connect(
            lambda: self.look_chosen.emit("class_index", _class_or_none(self._one_class.currentData()))
        )
        self._other_class.currentIndexChanged.connect(self._show_tiles)
        self._unpin.clicked.connect(self.unpinned)

    def _show_all(self) -> None:
        choose(self._way, self._look.way)
        choose(self._palette, self._style.palette)
        choose(self._one_class, _ANSWER if self._look.class_index is None else self._look.class_index)
        self._smooth.setChecked(self._style.is_smooth)
        self._common.setChecked(self._style.has_common_scale)
        self._reversed.setChecked(self._look.is_reversed)
        is_relevance = self._look.way == "relevance"
        for chooser in (self._one_class, self._other_class):
            chooser.setVisible(is_relevance)
        self._reversed.setEnabled(not is_relevance)
        self._unpin.setEnabled(bool(self._pinned))
        self._common.setEnabled(self._look.way == "head")
        self._say_all()
        self._show_tiles()

    def _say_all(self) -> None:
        abouts = {
            "head": self.tr("One block's attention as the model computes it: a head of it, or the mean of all."),
            "max": self.tr("For each patch, the head of the block that looks at it most."),
            "min": self.tr("For each patch, the head of the block that looks at it least: what all of them look at."),
            "rollout": self.tr(
                "Attention followed through all blocks up to the chosen one, with the residual path beside it "
                "(Abnar and Zuidema, ACL 2020)."
            ),
            "relevance": self.tr(
                "Attention weighed by how much each piece of it moves the logit of a class "
                "(Chefer, Gur and Wolf, ICCV 2021)."
            ),
        }
        say(self._about, abouts[self._look.way])
        if self._look.way == "relevance":
            say(self._asker, self.tr("Why one class, and why another: choose two."))
        elif self._pinned:
            names = "; ".join(f"{number}: {self._name(token)}" for number, token in enumerate(self._pinned, 1))
            say(self._asker, self.tr("Asking: {tokens}").format(tokens=names))
        else:
            say(
                self._asker,
                self.tr("Asking: the class token. With the eye tool (L) rest on a patch, or click to pin up to two."),
            )
        say(self._caution, self.tr("Attention alone is not an explanation: it says where was looked, not why."))

    def _name(self, token: int) -> str:
        """Say which token it is."""
        grid = 0 if self._prediction is None else self._prediction.grid
        if token == CLASS_TOKEN or grid == 0:
            return self.tr("class token")
        row, column = divmod(token - 1, grid)
        return self.tr("row {row}, column {column}").format(row=row + 1, column=column + 1)

    def _show_tiles(self) -> None:
        """Show what two of them see, and how the second differs."""
        prediction = self._prediction
        looks, captions = self._compared()
        maps = [None if prediction is None else heat_map(prediction, look) for look in looks]
        for tile, seen, caption in zip(self._tiles, maps, captions, strict=False):
            tile.set_caption(caption)
            if prediction is None or seen is None:
                tile.show_map(None, None)
                continue
            scale = nice_scale(max(float(each.max()) for each in maps if each is not None))
            colors = overlay_colors(seen, scale, _STRENGTH, "dark", self._style.palette)
            tile.show_map(0.5 * prediction.image, colors, is_smooth=self._style.is_smooth)
        self._show_difference(maps)

    def _show_difference(self, maps: list[FloatArray | None]) -> None:
        one, other = maps
        tile = self._tiles[-1]
        if self._prediction is None or one is None or other is None:
            tile.set_caption(self.tr("Difference"))
            tile.show_map(None, None)
            return
        difference = other - one
        limit = nice_scale(float(np.abs(difference).max()))
        share = percent(limit, self.locale())
        tile.set_caption(self.tr("Difference ± {share}").format(share=share))
        tile.setToolTip(self.tr("Second less first: orange where it is more, blue where it is less"))
        tile.show_map(
            0.5 * self._prediction.image,
            difference_colors(difference, limit, _STRENGTH),
            is_smooth=self._style.is_smooth,
        )

    def _compared(self) -> tuple[tuple[Look, Look], tuple[str, str]]:
        """Give the two maps that are compared, and what they are called."""
        look = self._look
        if look.way == "relevance":
            classes = self.compared_classes
            pair = tuple(dataclasses.replace(look, class_index=index) for index in classes)
            return (pair[0], pair[1]), (self._why(classes[0]), self._why(classes[1]))
        tokens = (*self._pinned, CLASS_TOKEN, CLASS_TOKEN)[:2] if self._pinned else (CLASS_TOKEN, look.token)
        one, other = (dataclasses.replace(look, token=token) for token in tokens)
        return (one, other), (self._name(tokens[0]), self._name(tokens[1]))

    def _class_of(self, chooser: QComboBox) -> int | None:
        """Give the class that a chooser stands for now."""
        chosen: int = chooser.currentData()
        if chosen >= 0 or self._prediction is None:
            return _class_or_none(chosen)
        order = np.argsort(-self._prediction.probabilities, kind="stable")
        return int(order[0 if chosen == _ANSWER else 1])

    def _why(self, index: int | None) -> str:
        if index is None or index >= len(self._class_names):
            return ""
        return self.tr("Why {name}").format(name=self._class_names[index])


def _class_or_none(chosen: int) -> int | None:
    return chosen if chosen >= 0 else None
