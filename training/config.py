"""What a model is and how it is trained, as frozen dataclasses that check themselves."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from training.errors import UserError

Position = Literal["learned", "sincos", "none"]
DIGITS = tuple("0123456789")
AUGMENTATIONS = ("affine", "randaugment", "elastic", "thickness", "occlusion")


def _shown(value: object) -> str:
    """Write a value as a recipe has it, not as Python does."""
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} = {_shown(each)}' for name, each in value.items())}}}"
    return "nothing" if value is None else str(value)


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise UserError(
            "{name} is {value}; it must be a number from {low:g} to {high:g}.",
            name=name,
            value=_shown(value),
            low=low,
            high=high,
        )


def _check_whole(name: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise UserError(
            "{name} is {value}; it must be a whole number from {low:,} to {high:,}.",
            name=name,
            value=_shown(value),
            low=low,
            high=high,
        )


def _check_kind(name: str, value: object, kind: type, word: str) -> None:
    if not isinstance(value, kind):
        raise UserError("{name} is {value}; it must be {word}.", name=name, value=_shown(value), word=word)


def _check_class_names(class_names: tuple[str, ...]) -> None:
    _check_kind("class_names", class_names, tuple, "a list of names")
    for name in class_names:
        _check_kind("A class name", name, str, "a text")
    if len(class_names) < 2 or len(set(class_names)) < len(class_names):
        raise UserError("A model needs at least two classes, each with a name of its own.")


# A description that was damaged, or made up, must not build a model that fills the memory.
_LARGEST = {
    "image_size": 2_048,
    "in_channels": 64,
    "patch_size": 2_048,
    "embed_dim": 4_096,
    "depth": 64,
    "num_heads": 256,
}
_MOST_PATCHES = 4_096


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The shape of a Vision Transformer. Sizes in pixels, tokens or features as named.

    Raises:
        UserError: the sizes don't fit together.
    """

    image_size: int = 32
    in_channels: int = 1
    patch_size: int = 4
    embed_dim: int = 128
    depth: int = 6
    num_heads: int = 8
    mlp_ratio: float = 4.0
    dropout: float = 0.0
    position: Position = "learned"
    residual: bool = True
    distillation: bool = False
    layer_norm_eps: float = 1e-5
    class_names: tuple[str, ...] = DIGITS

    def __post_init__(self) -> None:
        for name, largest in _LARGEST.items():
            value = getattr(self, name)
            if isinstance(value, int) and value < 1:
                raise UserError("{name} is {value}; it must be at least 1.", name=name, value=_shown(value))
            _check_whole(name, value, 1, largest)
        if self.image_size % self.patch_size:
            raise UserError(
                "An image of {image} pixels can't be cut into patches of {patch}; choose a patch size that divides it.",
                image=self.image_size,
                patch=self.patch_size,
            )
        if self.num_patches > _MOST_PATCHES:
            raise UserError(
                "An image of {image} pixels has {count:,} patches of {patch}, over {most:,}; choose larger ones.",
                image=self.image_size,
                patch=self.patch_size,
                count=self.num_patches,
                most=_MOST_PATCHES,
            )
        if self.embed_dim % self.num_heads:
            raise UserError(
                "{dim} features can't be shared out among {heads} heads; choose a number of heads that divides them.",
                dim=self.embed_dim,
                heads=self.num_heads,
            )
        if self.position == "sincos" and self.embed_dim % 2:
            raise UserError("Sine and cosine positions need an even embed_dim, not {dim}.", dim=self.embed_dim)
        if self.position not in ("learned", "sincos", "none"):
            raise UserError(
                "position is {value}; it must be 'learned', 'sincos' or 'none'.",
                value=_shown(self.position),
            )
        _check_range("dropout", self.dropout, 0, 0.9)
        _check_range("mlp_ratio", self.mlp_ratio, 1 / self.embed_dim, 64)
        _check_range("layer_norm_eps", self.layer_norm_eps, 1e-12, 1)
        _check_kind("residual", self.residual, bool, "true or false")
        _check_kind("distillation", self.distillation, bool, "true or false")
        _check_class_names(self.class_names)

    @property
    def grid(self) -> int:
        """Patches along one side of the image."""
        return self.image_size // self.patch_size

    @property
    def num_patches(self) -> int:
        """Patches in one image."""
        return self.grid**2

    @property
    def num_tokens(self) -> int:
        """Tokens in a sequence: class token, patches and, with distillation, one more."""
        return 1 + self.num_patches + int(self.distillation)

    @property
    def head_dim(self) -> int:
        """Features of one head."""
        return self.embed_dim // self.num_heads

    @property
    def mlp_dim(self) -> int:
        """Hidden features of the MLP."""
        return round(self.embed_dim * self.mlp_ratio)

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        return len(self.class_names)


@dataclass(frozen=True, kw_only=True)
class CnnConfig:
    """The shape of the baseline, a plain small CNN: pairs of convolutions, each pair at half the size before.

    It has no patches, no tokens and no attention. Sizes in pixels or channels as named.

    Raises:
        UserError: a size can't be.
    """

    architecture: Literal["cnn"] = "cnn"  # tells it from a Vision Transformer in a checkpoint
    image_size: int = 32
    in_channels: int = 1
    widths: tuple[int, ...] = (32, 64, 128)  # channels of each pair
    dropout: float = 0.0
    class_names: tuple[str, ...] = DIGITS

    def __post_init__(self) -> None:
        for name in ("image_size", "in_channels"):
            _check_whole(name, getattr(self, name), 1, _LARGEST[name])
        _check_kind("widths", self.widths, tuple, "a list of numbers")
        _check_whole("The number of widths", len(self.widths), 1, 8)
        for width in self.widths:
            _check_whole("A width", width, 1, 4_096)
        if self.image_size % 2 ** (len(self.widths) - 1):
            raise UserError(
                "An image of {image} pixels can't be halved {count} times; choose fewer widths.",
                image=self.image_size,
                count=len(self.widths) - 1,
            )
        _check_range("dropout", self.dropout, 0, 0.9)
        _check_class_names(self.class_names)

    @property
    def grid(self) -> int:
        """Patches along one side of the image: there are none."""
        return 0

    @property
    def depth(self) -> int:
        """Blocks with attention: there are none."""
        return 0

    @property
    def num_heads(self) -> int:
        """Attention heads: there are none."""
        return 0

    @property
    def num_tokens(self) -> int:
        """Tokens in a sequence: there are none."""
        return 0

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        return len(self.class_names)


NetworkConfig = ModelConfig | CnnConfig

VIT_PRESETS = {
    "pad-8": ModelConfig(patch_size=8),
    "pad-4": ModelConfig(patch_size=4),
    "vit-tiny": ModelConfig(
        image_size=224, in_channels=3, patch_size=16, embed_dim=192, depth=12, num_heads=3, dropout=0.1
    ),
}
PRESETS: dict[str, NetworkConfig] = {**VIT_PRESETS, "cnn": CnnConfig()}


def preset(name: str) -> NetworkConfig:
    """Give the model config of a preset.

    Raises:
        UserError: there is no preset of that name.
    """
    if name not in PRESETS:
        raise UserError("There is no preset {name!r}; choose one of {known}.", name=name, known=", ".join(PRESETS))
    return PRESETS[name]


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """How a model is trained. Recipe, command line and window share these fields.

    Raises:
        UserError: a value is out of its range.
    """

    preset: str = field(default="pad-8", metadata={"help": "Shape of the model: pad-8, pad-4, vit-tiny or cnn."})
    position: Position | None = field(
        default=None, metadata={"help": "Position encoding; none given means the preset's."}
    )
    start_from: str | None = field(
        default=None, metadata={"help": "Model to go on from: a shipped name or a file; none given starts at random."}
    )
    epochs: int = field(default=10, metadata={"help": "Passes over the training images."})
    images_per_class: int | None = field(
        default=None, metadata={"help": "Training images of each class; none given means all."}
    )
    batch_size: int = field(default=128, metadata={"help": "Images per step."})
    learning_rate: float = field(default=1e-3, metadata={"help": "Highest learning rate of the schedule."})
    weight_decay: float = field(default=0.05, metadata={"help": "Pull of the weight matrices towards zero."})
    dropout: float | None = field(
        default=None, metadata={"help": "Share of activations dropped while training; none given means the preset's."}
    )
    label_smoothing: float = field(default=0.0, metadata={"help": "Share of the target spread over all classes."})
    optimizer: Literal["adamw", "adam"] = field(default="adamw", metadata={"help": "Optimizer."})
    schedule: Literal["one-cycle", "none"] = field(
        default="one-cycle", metadata={"help": "Learning rate over the run: up and down, or constant."}
    )
    clip_norm: float = field(default=1.0, metadata={"help": "Longest gradient allowed; 0 lets all pass."})
    augmentation: str = field(
        default="affine",
        metadata={
            "help": "Random changes of every image: none, or some of affine, randaugment, elastic, thickness and "
            "occlusion, joined by +."
        },
    )
    strokes: str | None = field(
        default=None,
        metadata={"help": "Pen strokes to learn from as well: pendigits-train, or a drawing file with labels."},
    )
    strokes_md5: str | None = field(default=None, metadata={"help": "The md5 that the file of pen strokes must have."})
    left_out_writers: str = field(
        default="", metadata={"help": "Writers whose strokes are left out, as in tra26,tra27."}
    )
    stroke_copies: int = field(default=4, metadata={"help": "How often each pen drawing is drawn, each time changed."})
    styles: int = field(default=0, metadata={"help": "Digits made up in styles that MNIST lacks, to learn from."})
    non_digits: int = field(
        default=0, metadata={"help": "Drawings of something else, from which to learn to be unsure."}
    )
    teacher: str | None = field(
        default=None, metadata={"help": "Model whose answers are learned as well: a shipped name or a file."}
    )
    teacher_share: float = field(default=0.5, metadata={"help": "Weight of the teacher's answers beside the labels."})
    distillation: bool = field(
        default=False, metadata={"help": "Let a token of its own learn from the teacher, as DeiT does."}
    )
    averaging: float = field(
        default=0.998, metadata={"help": "Share of the averaged weights kept at each step; 0 does no averaging."}
    )
    mixed_precision: bool = field(default=True, metadata={"help": "Compute in bfloat16 on a GPU."})
    seed: int = field(default=0, metadata={"help": "Seed of weights, order, augmentation and dropout."})
    cpu_bfloat16: bool = field(
        default=False, metadata={"help": "Compute in bfloat16 on a CPU that supports it; others keep float32."}
    )
    device: str = field(default="auto", metadata={"help": "auto, cpu, cuda, cuda:N or mps."})
    threads: int | None = field(default=None, metadata={"help": "CPU threads; none given means torch's choice."})
    state_every_s: float = field(
        default=30, metadata={"help": "Seconds between saves of the run; a killed run goes on from the last one."}
    )

    def __post_init__(self) -> None:
        _check_kind("preset", self.preset, str, "a text")
        shape = preset(self.preset)
        _check_whole("epochs", self.epochs, 1, 10_000)
        _check_whole("batch_size", self.batch_size, 1, 65_536)
        _check_range("learning_rate", self.learning_rate, 1e-8, 10)
        _check_range("weight_decay", self.weight_decay, 0, 10)
        if self.dropout is not None:
            _check_range("dropout", self.dropout, 0, 0.9)
        _check_range("label_smoothing", self.label_smoothing, 0, 0.9)
        _check_range("clip_norm", self.clip_norm, 0, 1e6)
        _check_range("averaging", self.averaging, 0, 0.99999)
        _check_whole("seed", self.seed, 0, 2**63 - 1)
        _check_range("state_every_s", self.state_every_s, 0, 86_400)
        if self.images_per_class is not None:
            _check_whole("images_per_class", self.images_per_class, 1, 10**9)
        if self.threads is not None:
            _check_whole("threads", self.threads, 1, 1024)
        for name in ("start_from", "strokes", "strokes_md5", "teacher"):
            value = getattr(self, name)
            if value is not None:
                _check_kind(name, value, str, "a text")
                if not value.strip():
                    raise UserError("{name} is empty; leave it out where there is none.", name=name)
        for name in ("device", "left_out_writers", "augmentation"):
            _check_kind(name, getattr(self, name), str, "a text")
        for name in ("mixed_precision", "cpu_bfloat16", "distillation"):
            _check_kind(name, getattr(self, name), bool, "true or false")
        _check_whole("stroke_copies", self.stroke_copies, 1, 1_000)
        _check_whole("styles", self.styles, 0, 10**7)
        _check_whole("non_digits", self.non_digits, 0, 10**7)
        _check_range("teacher_share", self.teacher_share, 0, 1)
        if self.distillation and self.teacher is None:
            raise UserError("A distillation token needs a teacher to learn from: name one.")
        if isinstance(shape, CnnConfig):
            self._check_cnn()
        unknown = set(self.augmentations) - set(AUGMENTATIONS)
        if unknown:
            raise UserError(
                "augmentation is {value!r}; it must be none, or some of {allowed}, joined by +.",
                value=self.augmentation,
                allowed=", ".join(AUGMENTATIONS),
            )
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise UserError(
                    "{name} is {value}; choose one of {allowed}.",
                    name=name,
                    value=_shown(getattr(self, name)),
                    allowed=", ".join(choice for choice in allowed if choice is not None),
                )

    def _check_cnn(self) -> None:
        """Refuse what would do nothing: a CNN has no tokens, to which these settings belong."""
        if self.position is not None:
            raise UserError("A CNN has no tokens whose position could be encoded: leave position out.")
        if self.distillation:
            raise UserError(
                "A CNN has no token of its own to learn from the teacher: leave distillation out; it learns without."
            )

    @property
    def augmentations(self) -> tuple[str, ...]:
        """The random changes by name."""
        return () if self.augmentation == "none" else tuple(self.augmentation.split("+"))

    @property
    def learns_from_more_than_mnist(self) -> bool:
        """Whether MNIST is one of several sets to learn from."""
        return self.strokes is not None or self.styles > 0 or self.non_digits > 0

    def model_config(self, class_names: tuple[str, ...] = DIGITS) -> NetworkConfig:
        """Give the model this config trains, for these classes."""
        base = preset(self.preset)
        dropout = base.dropout if self.dropout is None else self.dropout
        base = dataclasses.replace(base, dropout=dropout, class_names=class_names)
        if isinstance(base, CnnConfig):
            return base
        return dataclasses.replace(base, position=self.position or base.position, distillation=self.distillation)


_CHOICES: dict[str, tuple[str | None, ...]] = {
    "position": (None, "learned", "sincos", "none"),
    "optimizer": ("adamw", "adam"),
    "schedule": ("one-cycle", "none"),
}

ConfigT = TypeVar("ConfigT", ModelConfig, CnnConfig, TrainConfig)


def network_config_from_dict(values: dict[str, Any]) -> NetworkConfig:
    """Build the config of a network from plain values, whichever kind they describe.

    Raises:
        UserError: as for `config_from_dict`.
    """
    if values.get("architecture") == "cnn":
        return config_from_dict(CnnConfig, values)
    return config_from_dict(ModelConfig, values)


def config_from_dict(kind: type[ConfigT], values: dict[str, Any]) -> ConfigT:
    """Build a config from plain values, as read from JSON or TOML: lists become tuples.

    Raises:
        UserError: a name is unknown, or a value is of the wrong type or out of range.
    """
    known = {each.name: each for each in dataclasses.fields(kind)}
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise UserError(
                "{name!r} is no setting; the settings are {known}.",
                name=name,
                known=", ".join(known),
            )
        checked[name] = tuple(value) if isinstance(value, list) else value
    try:
        return kind(**checked)
    except TypeError as error:
        raise UserError("A setting has a value of the wrong type ({detail}).", detail=error) from error
