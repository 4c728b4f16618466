"""The settings all of Keras shares: the default float type, the fuzz factor, the order of image axes.

One object holds them, so that what a model depends on can be read in one place. Setting one does not
change what was made before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tapeflow.keras import mixed_precision
from tapeflow.keras.utils import messages

_FLOATS = ("float16", "bfloat16", "float32", "float64")
_FORMATS = ("channels_first", "channels_last")


@dataclass
class _Settings:
    """The current values, with Keras's defaults."""

    floatx: str = "float32"
    epsilon: float = 1e-7
    image_data_format: str = "channels_last"


_settings = _Settings()


def floatx() -> str:
    """The name of the default float type: 'float32' unless it was set.

    >>> tf.keras.backend.floatx()
    'float32'
    """
    return _settings.floatx


def set_floatx(value: object) -> None:
    """Make `value` ('float16', 'bfloat16', 'float32' or 'float64') the default float type."""
    name = getattr(value, "name", value)
    if name not in _FLOATS:
        raise ValueError(f"Unknown `floatx` value: {value}. Expected one of {', '.join(_FLOATS)}.")
    _settings.floatx = name


def epsilon() -> float:
    """The small number that keeps logarithms and quotients finite: 1e-7 unless it was set."""
    return _settings.epsilon


def set_epsilon(value: float) -> None:
    """Set the fuzz factor. A program that is already compiled keeps the one it was made with."""
    _settings.epsilon = float(value)


def image_data_format() -> str:
    """'channels_last' or 'channels_first': where layers expect the channels of an image."""
    return _settings.image_data_format


def set_image_data_format(data_format: str) -> None:
    """Set where layers made from now on expect the channels of an image."""
    _settings.image_data_format = read_data_format(data_format)


def read_data_format(data_format: Any) -> str:
    """`data_format` as 'channels_last' or 'channels_first'; `None` means the setting."""
    if data_format is None:
        return _settings.image_data_format
    name = data_format.lower() if isinstance(data_format, str) else data_format
    if name not in _FORMATS:
        raise ValueError(f"Unknown `data_format`: {data_format}. Expected one of {', '.join(_FORMATS)}.")
    return name


# Keras 3's names for what is elsewhere in Keras 2.


def backend() -> str:
    """'tensorflow', whose functions a script may rely on."""
    return "tensorflow"


def dtype_policy() -> Any:
    """The dtype policy that layers take unless they are given one."""
    return mixed_precision.global_policy()


def set_dtype_policy(policy: Any) -> None:
    """Have layers take a dtype policy, or the one of a name."""
    mixed_precision.set_global_policy(policy)


def enable_interactive_logging() -> None:
    """Have progress shown as bars."""
    messages.enable_interactive_logging()


def disable_interactive_logging() -> None:
    """Have progress logged in lines."""
    messages.disable_interactive_logging()


def is_interactive_logging_enabled() -> bool:
    """Whether progress is shown as bars."""
    return messages.is_interactive_logging_enabled()


def enable_traceback_filtering() -> None:
    """Kept for `is_traceback_filtering_enabled`: tracebacks are shown whole."""
    from tapeflow import debugging  # start-up

    debugging.enable_traceback_filtering()


def disable_traceback_filtering() -> None:
    """Kept for `is_traceback_filtering_enabled`, and otherwise without effect."""
    from tapeflow import debugging  # start-up

    debugging.disable_traceback_filtering()


def is_traceback_filtering_enabled() -> bool:
    """What was asked for last; True at first."""
    from tapeflow import debugging  # start-up

    return debugging.is_traceback_filtering_enabled()
