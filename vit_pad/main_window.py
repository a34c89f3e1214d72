"""The window: it lays the parts out and connects them. What a part does is the part's own business."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QImage, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QMainWindow,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from training import models
from training.config import PRESETS
from training.edits import NO_EDITS
from training.errors import Message, UserError
from training.facts import Prediction, PredictionRequest, WeightPictures
from training.strokes import Stroke
from vit_pad.actions import PadActions, connect
from vit_pad.attention_overlay import AttentionOverlay
from vit_pad.autosave import LastDrawing
from vit_pad.canvas import Canvas, SquareFrame
from vit_pad.digit_marks import DigitMarks
from vit_pad.document import Content, PadDocument
from vit_pad.exceptions import close_log
from vit_pad.file_actions import FileActions
from vit_pad.hand import Tool
from vit_pad.heat import image_box, patch_at
from vit_pad.inside.docks import InsideDocks
from vit_pad.main_menu import MainMenu, text_size_actions
from vit_pad.number import Number
from vit_pad.open_file import content_from_image, content_from_mime, load_file
from vit_pad.pace import Pace
from vit_pad.predictor import LivePredictor, LiveWeights, LoadedModel, LoadRequest
from vit_pad.save_file import pad_picture, save_content
from vit_pad.settings import TEXT_SIZES, Choices, ModelChoice, Settings, geometry_bytes
from vit_pad.side_panel import SidePanel
from vit_pad.status_row import StatusRow
from vit_pad.theme import UNIT, apply_theme
from vit_pad.tool_row import ToolRow
from vit_pad.words import IN_TRAINING, model_title, own_model_entry
from vit_pad.workspaces import INSIDE, TRAIN, Workspaces, layouts_from_text, text_of_layouts

# What few people open is imported when it is opened: the window is to be there at once.
if TYPE_CHECKING:
    from vit_pad.own_data import OwnData
    from vit_pad.training_panel import TrainingPanel
    from vit_pad.training_session import Begun, Ended

_SAVE_AFTER_MS = 300  # a pause in drawing long enough to write the last drawing without being in the way
_SAVE_AT_LATEST_MS = 1500  # of drawing without a pause
_FIRST_SIZE = (1280, 800)
_ERASER_SHARE = 0.8  # radius of the eraser, as a share of the pen's width


class MainWindow(QMainWindow):
    """The pad, the answer, and what the heads look at.

    `overrides` are choices of the command line: in force now, and not remembered.
    """

    predicted = Signal(object)  # the Prediction of the digit that is chosen; None for an empty pad

    def __init__(self, settings: Settings, last_drawing: LastDrawing, overrides: dict[str, Any]) -> None:
        super().__init__()
        self.setWindowTitle(self.tr("ViT Pad"))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)  # what has no button is found there, too
        self._settings = settings
        self._last_drawing = last_drawing
        self._remembered = settings.load()
        self._choices = dataclasses.replace(self._remembered, **overrides)
        self._loaded: LoadedModel | None = None  # the model that answers
        self._wish: LoadRequest | None = None  # the newest, until it is loaded or has failed
        # What to remember if a wish comes true; None: if none ever does.
        self._kept: dict[LoadRequest | None, ModelChoice] = {None: self._remembered.model_choice}
        self._number = Number()  # what is answered
        self._read: tuple[Stroke, ...] = ()  # what was read for it
        self._outdated = 0  # the last revision of something else than what is on the pad now
        self._save_problem: Message | None = None
        self._before_reset: Choices | None = None  # what can be brought back
        self._training: TrainingPanel | None = None  # once it was opened
        self._weights: LiveWeights | None = None  # the newest of the model that is being trained
        self._may_close = False  # in mid-training
        self.document = PadDocument(self)
        self.predictor = LivePredictor(self)
        self._canvas = Canvas(self.document)
        self._overlay = AttentionOverlay()
        self._marks = DigitMarks()
        self._actions = PadActions(self)
        self._tools = ToolRow(self._actions)
        self._panel = SidePanel()
        self._inside = InsideDocks(self)
        self._status = StatusRow()
        self._save_timer = QTimer(self, singleShot=True, interval=_SAVE_AFTER_MS)
        self._save_pace = Pace(_SAVE_AT_LATEST_MS, self._save, self)
        self.files = FileActions(self, self.document)
        self._lay_out()
        self._connect_parts()
        self._connect_files()
        self._workspaces = Workspaces(self, self._docks_of_workspaces())
        views = (*self._workspaces.actions.values(), None, *self._inside.actions, self._actions.reset_edits)
        self._menu = MainMenu(self._actions, self.files.in_menu, views, self)
        self._tools.set_menu(self._menu)
        self._connect_menu()
        self._restore()

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        """The answers of what is on the pad, from left to right."""
        return self._number.digits

    def open_content(self, content: Content) -> None:
        """Put strokes or a picture on the pad in place of what was there; undo brings it back."""
        self._status.clear_problem()
        if content.note is not None:
            self._status.show_problem(content.note)
        self._outdated = self.document.revision
        self.document.replace(content.strokes, content.picture)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.predictor.is_running:
            QTimer.singleShot(0, self.predictor.start)  # torch is imported once the window can be seen

    def close_without_asking(self) -> None:
        """Close, also in mid-training, whose state is saved."""
        self._may_close = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._training is not None and self._training.session.is_running and not self._may_close:
            self._ask_to_close_in_training()
            event.ignore()
            return
        layouts = text_of_layouts(self._workspaces.layouts())
        self.hide()  # stopping may have to wait for torch
        for dialog in self.findChildren(QDialog):
            dialog.close()
        self._remembered = dataclasses.replace(
            self._remembered,
            geometry=geometry_bytes(self.saveGeometry()),
            workspace=self._workspaces.current,
            layouts=layouts,
        )
        self._save()
        if self._training is not None:
            self._training.close_down()
        self._inside.close_down()
        self.predictor.stop()
        event.accept()

    def _lay_out(self) -> None:
        square = SquareFrame(self._canvas)
        square.add_layer(self._overlay)
        square.add_layer(self._marks)
        pad_and_panel = QHBoxLayout()
        pad_and_panel.setSpacing(2 * UNIT)
        pad_and_panel.addWidget(square, 4)
        pad_and_panel.addWidget(self._panel, 3)
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(2 * UNIT, UNIT, 2 * UNIT, UNIT)
        column.setSpacing(UNIT)
        self._tools.add_widget(self.files.drag_handle)
        column.addWidget(self._tools)
        column.addLayout(pad_and_panel, 1)
        column.addWidget(self._status)
        self.setCentralWidget(central)
        self._canvas.setFocus()

    def _connect_parts(self) -> None:
        self.document.changed.connect(self._on_drawn)
        self._canvas.drop_received.connect(self._open_from)
        self._canvas.wheel_turned.connect(self._tools.change_width)
        self._canvas.problem.connect(self._status.show_problem)
        self._canvas.pointed_at.connect(self._point_at)
        self._canvas.looked_at.connect(lambda x, y: self._inside.query.peek(self._patch_at(x, y)))
        self._canvas.look_left.connect(lambda: self._inside.query.peek(None))
        self.predictor.predicted.connect(self._on_predicted)
        self.predictor.loaded.connect(self._on_loaded)
        self.predictor.failed.connect(self._on_failed)
        self._overlay.scale_changed.connect(self._panel.show_scale)
        self._tools.chosen.connect(self._on_chosen)
        self._panel.chosen.connect(self._on_chosen)
        self._panel.patch_pointed.connect(self._inside.query.peek)
        self._panel.patch_clicked.connect(self._inside.click_patch)
        self._inside.chosen.connect(self._on_chosen)
        self._inside.look_changed.connect(self._show_look)
        self._inside.asked_anew.connect(self._ask_anew)
        self._save_timer.timeout.connect(self._save)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._show_theme)
        actions, undo_stack = self._actions, self.document.undo_stack
        actions.undo.setEnabled(False)
        actions.redo.setEnabled(False)
        undo_stack.canUndoChanged.connect(actions.undo.setEnabled)
        undo_stack.canRedoChanged.connect(actions.redo.setEnabled)
        self._enable_saving()
        connect(
            (
                (actions.pen, lambda: self._take_tool("pen")),
                (actions.eraser, lambda: self._take_tool("eraser")),
                (actions.look, self._begin_looking),
                (actions.leave_look, self._leave_look),
                (actions.reset_edits, lambda: self._inside.set_edits(NO_EDITS)),
                (actions.undo, undo_stack.undo),
                (actions.redo, undo_stack.redo),
                (actions.clear, self.document.clear),
                (actions.open, self._ask_for_file),
                (actions.save, self._ask_where_to_save),
                (actions.copy, self._copy),
                (actions.paste, self._paste),
                (actions.digit_before, lambda: self._choose_digit(self._number.next_place(-1))),
                (actions.digit_after, lambda: self._choose_digit(self._number.next_place(1))),
                (actions.paper, lambda: self._on_chosen("paper", "light" if actions.paper.isChecked() else "dark")),
                (actions.quit, self.close),
            )
        )
        actions.training.toggled.connect(self._show_training)

    def _connect_files(self) -> None:
        self.files.opened.connect(self.open_content)
        self.files.file_chosen.connect(self._open_from)
        self.files.problem.connect(self._status.show_problem)

    def _connect_menu(self) -> None:
        menu = self._menu
        larger, smaller, usual = text_size_actions(self)
        connect(
            (
                (menu.reset, self._reset_or_bring_back),
                (menu.delete, self._ask_what_to_delete),
                (menu.about, self._show_about),
                (larger, lambda: self._change_text_size(1)),
                (smaller, lambda: self._change_text_size(-1)),
                (usual, lambda: self._on_chosen("text_size", Choices().text_size)),
                (self._actions.menu, self._tools.open_menu),
            )
        )
        menu.tells_doubt.triggered.connect(lambda is_wanted: self._on_chosen("tells_doubt", is_wanted))
        menu.text_sizes.triggered.connect(lambda action: self._on_chosen("text_size", action.data()))
        menu.themes.triggered.connect(lambda action: self._on_chosen("theme", action.data()))

    def _docks_of_workspaces(self) -> dict[str, tuple[QAction, ...]]:
        """Give the actions of the docks that each workspace opens at first; the first has none of them."""
        first_views = self._inside.actions[2::-1]  # the first of them is opened last, and lies on top
        return {INSIDE: first_views, TRAIN: (self._actions.training,)}

    # What is drawn, and what is said of it.

    def _on_drawn(self) -> None:
        self._save_soon()
        self._enable_saving()
        if self.document.is_empty:
            self._outdated = self.document.revision
            self.predictor.forget()
            self._show_number(Number(place=self._number.place))  # for when the clear is undone
            self.files.recorder.show_number(self._number)
        else:
            self._ask()

    def _ask(self) -> None:
        if self.document.is_empty:
            return
        self.predictor.request(
            PredictionRequest(
                revision=self.document.revision,
                strokes=self.document.strokes,
                picture=self.document.picture,
                placement_mode=self._choices.placement,
                edits=self._inside.edits,
                wanted=self._inside.wanted,
            )
        )

    def _on_predicted(self, digits: tuple[Prediction, ...], request: PredictionRequest) -> None:
        """Show an answer, unless it is to what is no longer there or no longer asked; then the next is on its way."""
        is_late = request.revision <= self._outdated or request.placement_mode != self._choices.placement
        is_late |= request.edits != self._inside.edits
        # While one draws every answer is a step behind, and shown; but that there is no ink must hold for now.
        is_late |= not digits and request.revision < self.document.revision
        if not (is_late or self.document.is_empty):
            self._show_number(Number(digits, self._place_of_pen(request.strokes)))
            self.files.recorder.show_number(self._number)

    def _show_number(self, number: Number) -> None:
        self._number = number
        chosen = number.chosen
        self._marks.show_number(number)
        self._overlay.show_prediction(chosen)
        self._panel.show_number(number)
        is_one = len(number.digits) == 1 and self.document.picture is None
        self._inside.show_prediction(chosen, self._read if is_one else ())
        if self._wish is None:
            self._show_who_answers(None if chosen is None else chosen.elapsed_ms)
        self.predicted.emit(chosen)

    def _place_of_pen(self, strokes: tuple[Stroke, ...]) -> float:
        """Give where the last stroke ends if it was drawn now; otherwise the views stay where they are."""
        known, self._read = self._read, strokes
        # Strokes are equal if they are the same. Who draws lengthens the last one or adds some; who erases cuts others.
        is_drawn = bool(strokes) and strokes[-1] not in known and set(known[:-1]) <= set(strokes)
        if not is_drawn:
            return self._number.place
        return float(strokes[-1].points[-1, 0])

    def _choose_digit(self, place: float) -> None:
        """Let the views show the digit at a place of the pad, counted from the left, until one draws on."""
        if self._number.digits:
            self._show_number(dataclasses.replace(self._number, place=place))

    # What is looked at.

    def _point_at(self, x: float, y: float) -> None:
        """Show the digit at a place of the pad or, where it is shown already, pin the patch there."""
        before = self._number.index
        self._choose_digit(x)
        patch = self._patch_at(x, y)
        if self._number.index == before and patch is not None:
            self._inside.click_patch(patch)

    def _patch_at(self, x: float, y: float) -> int | None:
        """Give the patch at a place of the pad, in the image of the digit that is shown."""
        chosen = self._number.chosen
        if chosen is None:
            return None
        return patch_at(x, y, chosen.grid, image_box(chosen.image.shape[-1], chosen.placement))

    def _show_look(self) -> None:
        look, pinned = self._inside.look, self._inside.query.pinned
        self._overlay.set_look(look)
        self._overlay.set_pinned(pinned)
        self._panel.show_look(look, pinned)
        self._actions.leave_look.setEnabled(self._canvas.is_looking or bool(pinned))

    def _begin_looking(self) -> None:
        self._canvas.is_looking = True
        self._show_look()

    def _leave_look(self) -> None:
        """Let go of what is pinned; where nothing is, take the pen again."""
        if self._inside.query.pinned:
            self._inside.query.clear()
        else:
            self._actions.pen.trigger()

    def _ask_anew(self) -> None:
        """Ask with other edits, or for something else; who answers may be changed by them."""
        self._actions.reset_edits.setEnabled(not self._inside.edits.is_neutral)
        if self._wish is None:
            self._show_who_answers()
        self._ask()

    def _show_who_answers(self, elapsed_ms: float | None = None) -> None:
        if self._loaded is None:
            self._status.show_no_model()
        else:
            title = model_title(self._loaded.asked.model)
            if not self._inside.edits.is_neutral:
                title = self.tr("{model}, changed by hand").format(model=title)
            self._status.show_answered(title, self._loaded.device, elapsed_ms)

    # The model.

    def _load(self) -> None:
        self._status.show_loading(model_title(self._choices.model))
        self._wish = self.predictor.load(self._choices.model, self._choices.device)
        self._kept[self._wish] = self._remembered.model_choice
        self._ask()

    def _on_loaded(self, loaded: LoadedModel) -> None:
        self._loaded = loaded
        if loaded.asked.model == IN_TRAINING == self._choices.model:
            self._show_config()
            self._show_who_answers()
            self._ask()
        elif loaded.asked is self._wish:  # else something newer is wished for, and loads now
            self._wish = None
            self._use_loaded(loaded)

    def _on_failed(self, problem: Message, job: LoadRequest | PredictionRequest) -> None:
        self._status.show_problem(problem)
        if job is self._wish:
            self._wish = None
            self._go_back()

    def _go_back(self) -> None:
        """Return to the model that works; where none did yet, to the default one."""
        default = self._choices.with_model(Choices().model_choice)
        if self._loaded is not None:
            self._use_loaded(self._loaded)
        elif self._choices != default:
            self._choices = default
            self._remembered = self._remembered.with_model(self._kept[None])
            self._panel.show_choices(self._choices)
            self._load()
        else:
            self._show_who_answers()
        self._save_soon()

    def _use_loaded(self, loaded: LoadedModel) -> None:
        self._choices = self._choices.with_model(ModelChoice(loaded.asked.model, loaded.asked.device))
        self._remembered = self._remembered.with_model(self._kept[loaded.asked])
        self._panel.show_devices(loaded.devices)
        self._show_config()
        self._show_who_answers()

    # What is chosen.

    def _take_tool(self, tool: Tool) -> None:
        self._canvas.is_looking = False
        self._canvas.tool = tool
        self._show_look()

    def _on_chosen(self, name: str, value: Any) -> None:
        if value == IN_TRAINING:
            self._choose_model_in_training()
            return
        self._remembered = dataclasses.replace(self._remembered, **{name: value})
        self._choices = dataclasses.replace(self._choices, **{name: value})
        self._forget_before_reset()
        self._status.clear_problem()
        self._save_soon()
        if name in ("model", "device"):
            self._load()
        elif name == "placement":
            self._ask()
        elif name in ("theme", "text_size"):
            self._show_theme()
        else:
            self._show_choices()

    def _show_choices(self) -> None:
        choices = self._choices
        self._tools.show_choices(choices)
        self._panel.show_choices(choices)
        self._overlay.set_style(choices.heat_style)
        self._overlay.set_strength(choices.strength)
        self._overlay.set_paper(choices.paper)
        self._marks.set_paper(choices.paper)
        self._marks.set_telling_doubt(choices.tells_doubt)
        self._menu.show_choices(choices)
        self._canvas.pen_width = choices.pen_width
        self._canvas.eraser_radius = _ERASER_SHARE * choices.pen_width
        self._canvas.paper = choices.paper
        self._actions.paper.setChecked(choices.paper == "light")
        self._inside.show_choices(choices)
        self._show_look()

    def _show_config(self) -> None:
        """Offer the blocks and heads of the model; what it doesn't have becomes its last block or the mean."""
        presumed = PRESETS.get(self._choices.model, PRESETS[models.DEFAULT_MODEL])
        config = presumed if self._loaded is None else self._loaded.config
        if config.num_heads > 0:  # of a model without attention nothing is chosen
            block = min(self._choices.block, config.depth - 1)
            head = self._choices.head if self._choices.head < config.num_heads else Choices().head
            self._choices = dataclasses.replace(self._choices, block=block, head=head)
        self._panel.show_config(config)
        model = None if self._loaded is None else self._loaded.asked.model
        pictures = WeightPictures() if self._loaded is None else self._loaded.pictures
        self._inside.show_model(config, None if model == IN_TRAINING else model, pictures)
        self._show_choices()

    def _show_theme(self) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme = apply_theme(app, self._choices.theme, self._choices.text_size)
        self._menu.show_choices(self._choices)
        self._actions.show_theme(theme)
        self.files.drag_handle.show_theme(theme)
        self._status.show_theme(theme)
        self._panel.follow_text_size()

    # The program itself.

    def _change_text_size(self, steps: int) -> None:
        place = TEXT_SIZES.index(self._choices.text_size) + steps
        self._on_chosen("text_size", TEXT_SIZES[min(max(place, 0), len(TEXT_SIZES) - 1)])

    def _reset_or_bring_back(self) -> None:
        """Choose as a new window would, model and all; or, until something else is chosen, as before that."""
        before, self._before_reset = self._before_reset, None
        if before is None:
            self._before_reset = self._remembered
        self._menu.offer_reset(is_done=before is None)
        self._choose_all(before or Choices())

    def _forget_before_reset(self) -> None:
        if self._before_reset is not None:
            self._before_reset = None
            self._menu.offer_reset(is_done=False)

    def _choose_all(self, choices: Choices) -> None:
        """Put all choices in force; what is drawn stays, and so does the place of the window and its docks."""
        kept = {name: getattr(self._remembered, name) for name in ("geometry", "workspace", "layouts")}
        self._choices = self._remembered = dataclasses.replace(choices, **kept)
        self._status.clear_problem()
        self._show_config()
        self._show_theme()
        self._load()
        self._save_soon()

    def _show_about(self) -> None:
        from vit_pad.about_dialog import AboutDialog

        for shown in self.findChildren(AboutDialog):
            shown.close()  # the device may be another by now
        AboutDialog(None if self._loaded is None else self._loaded.device, self).show()

    def _ask_what_to_delete(self) -> None:
        from vit_pad.delete_dialog import DeleteDialog

        dialog = DeleteDialog(self)
        dialog.deletion_wished.connect(self._delete_data)
        dialog.open()

    def _delete_data(self, data: tuple[OwnData, ...]) -> None:
        """Begin as on the first day, with an empty pad."""
        from vit_pad.own_data import check_no_training, delete

        if self._training is not None and self._training.session.is_running:  # its lock may be on its way
            self._status.show_problem(Message("A training is going on. Stop it, then delete your data."))
            return
        try:
            check_no_training()
        except UserError as error:
            self._status.show_problem(error.message)
            return
        self.files.recorder.show_number(Number())  # what is on the pad is no part of a history any more
        self.document.clear()
        self.document.undo_stack.clear()
        close_log()
        self._forget_before_reset()
        self._choose_all(Choices())
        try:
            delete(data)
        except UserError as error:
            self._status.show_problem(error.message)
        self.files.forget()
        self._list_models()

    # Training.

    def _show_training(self, is_wanted: bool) -> None:
        from vit_pad.training_config import last_training_config
        from vit_pad.training_panel import TrainingPanel

        if self._training is None and is_wanted:
            self._training = TrainingPanel(last_training_config(), self)
            self._training.show_devices(() if self._loaded is None else self._loaded.devices)
            self._training.begun.connect(self._on_training_begun)
            self._training.weights_came.connect(self._on_weights)
            self._training.ended.connect(self._on_training_ended)
            self._training.closed.connect(lambda: self._actions.training.setChecked(False))
            self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self._training)
        if self._training is not None:
            self._training.setVisible(is_wanted)

    def _on_training_begun(self, begun: Begun) -> None:
        from vit_pad.training_config import remember_training_config

        try:
            remember_training_config(begun.config)
        except UserError as error:
            self._status.show_problem(error.message)
        self._weights = None
        self._list_models()
        self._choose_model_in_training()

    def _choose_model_in_training(self) -> None:
        """Answer with what is being trained, as soon as there is something; this isn't remembered."""
        self._wish = None
        self._choices = dataclasses.replace(self._choices, model=IN_TRAINING)
        self._panel.show_choices(self._choices)
        self._status.show_loading(model_title(IN_TRAINING))
        if self._weights is not None:
            self._on_weights(self._weights)

    def _on_weights(self, weights: LiveWeights) -> None:
        self._weights = weights
        self._kept.setdefault(weights.wish, self._remembered.model_choice)
        if self._choices.model == IN_TRAINING:
            self.predictor.show(weights)

    def _on_training_ended(self, ended: Ended) -> None:
        is_shown = self._choices.model == IN_TRAINING
        self._weights = None
        self._list_models()
        if is_shown:
            self._on_chosen("model", ended.model or self._remembered.model)
            self._panel.show_choices(self._choices)

    def _ask_to_close_in_training(self) -> None:
        if self.findChild(QMessageBox, "closeTrainingDialog") is not None:
            return
        dialog = QMessageBox(
            QMessageBox.Icon.Question,
            self.tr("ViT Pad"),
            self.tr("A training is going on. It is saved when you close, and you can go on with it next time."),
            QMessageBox.StandardButton.NoButton,
            self,
        )
        dialog.setObjectName("closeTrainingDialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        close = dialog.addButton(self.tr("Save and close"), QMessageBox.ButtonRole.AcceptRole)
        keep = dialog.addButton(self.tr("Keep training"), QMessageBox.ButtonRole.RejectRole)
        close.setObjectName("closeInTrainingButton")
        dialog.setDefaultButton(keep)
        close.clicked.connect(self.close_without_asking)
        dialog.open()

    # Files.

    def _ask_for_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Open a picture or a drawing file"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setNameFilters(
            [
                self.tr("Pictures and drawings ({patterns})").format(
                    patterns="*.png *.jpg *.jpeg *.bmp *.webp *.gif *.jsonl *.jsonl.gz"
                ),
                self.tr("All files ({patterns})").format(patterns="*"),
            ]
        )
        dialog.fileSelected.connect(lambda name: self._open_from(Path(name)))
        dialog.open()

    def _ask_where_to_save(self) -> None:
        dialog = QFileDialog(self, self.tr("Save the pad"))
        dialog.setObjectName("saveDialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        filters = {
            self.tr("Drawing, with every point ({pattern})").format(pattern="*.jsonl"): "jsonl",
            self.tr("Picture, as it is seen ({pattern})").format(pattern="*.png"): "png",
        }
        dialog.setNameFilters(list(filters))
        dialog.setDefaultSuffix("jsonl" if self.document.picture is None else "png")
        if self.document.picture is not None:
            dialog.selectNameFilter(list(filters)[1])
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(filters[chosen]))
        dialog.fileSelected.connect(lambda name: self._save_to(Path(name)))
        dialog.open()

    def _save_to(self, path: Path) -> None:
        self._status.clear_problem()
        try:
            note = save_content(path, self.document.content)
            self.files.recent.add(path)
        except UserError as error:
            note = error.message
        if note is not None:
            self._status.show_problem(note)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setImage(pad_picture(self.document.content))

    def _enable_saving(self) -> None:
        for action in (self._actions.save, self._actions.copy):
            action.setEnabled(not self.document.is_empty)

    def _paste(self) -> None:
        self._open_from(QGuiApplication.clipboard().mimeData())

    def _open_from(self, source: Path | QImage | QMimeData) -> None:
        try:
            content = _content_from(source)
        except UserError as error:
            self._status.show_problem(error.message)
        else:
            self.open_content(content)
            if isinstance(source, Path):
                self.files.recent.add(source)

    def _restore(self) -> None:
        self._list_models()
        self._panel.show_devices((self._choices.device,))
        self._show_config()
        self._show_theme()
        if not self.restoreGeometry(QByteArray(self._choices.geometry)):
            self.resize(*_FIRST_SIZE)
        strokes, picture = self._last_drawing.load()
        if strokes or picture is not None:
            self.document.restore(Content(strokes, picture))
        self._workspaces.restore(self._choices.workspace, layouts_from_text(self._choices.layouts))
        self._load()

    def _list_models(self) -> None:
        is_training = self._training is not None and self._training.session.is_running
        first = (IN_TRAINING,) if is_training else ()
        chosen = (self._choices.model,) if self._choices.model != IN_TRAINING else ()
        own = models.user_models()
        names = dict.fromkeys((*first, *models.shipped_models(), *own, *chosen))
        self._panel.show_models(
            tuple((own_model_entry(name) if name in own else model_title(name), name) for name in names)
        )

    def _save_soon(self) -> None:
        self._save_timer.start()
        self._save_pace.ask()

    def _save(self) -> None:
        self._save_timer.stop()
        self._save_pace.stop()
        try:
            self._last_drawing.save(self.document.to_drawing(), self.document.picture)
            self._settings.save(self._remembered)
        except UserError as error:
            self._save_problem = error.message
            self._status.show_problem(error.message)
        else:
            self._status.take_back(self._save_problem)
            self._save_problem = None


def _content_from(source: Path | QImage | QMimeData) -> Content:
    if isinstance(source, Path):
        return load_file(source)
    return content_from_image(source) if isinstance(source, QImage) else content_from_mime(source)
