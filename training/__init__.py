"""The Vision Transformer, its data, its training and its explanations: a library that never heard of Qt.

Importing this package loads neither torch nor numpy; its parts load what they need.
"""

__version__ = "0.1.0"


def load_torch() -> None:
    """Import torch now, rather than with the first part that needs it.

    On Windows this has to happen before Qt is imported, or torch's libraries fail to load.

    Raises:
        UserError: torch is missing or can't be loaded.
    """
    from training.errors import UserError

    try:
        import torch  # noqa: F401
    except (ImportError, OSError) as error:
        raise UserError(
            "PyTorch can't be loaded ({detail}). Install it again: python -m pip install --force-reinstall torch",
            detail=str(error).splitlines()[0] if str(error) else type(error).__name__,
        ) from error
