"""What is global: the float type and its kin, the numbers in names, the session that is none."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.config import epsilon as epsilon
from tapeflow.keras.config import floatx as floatx
from tapeflow.keras.config import image_data_format as image_data_format
from tapeflow.keras.config import set_epsilon as set_epsilon
from tapeflow.keras.config import set_floatx as set_floatx
from tapeflow.keras.config import set_image_data_format as set_image_data_format
from tapeflow.keras.layers.base.call_context import set_learning_phase
from tapeflow.keras.layers.base.naming import get_uid as get_uid
from tapeflow.keras.layers.base.naming import reset_names


def backend() -> str:
    """'tensorflow': what programs ask for before they use its functions."""
    return "tensorflow"


def reset_uids() -> None:
    """Begin again with the first name of every kind of layer."""
    reset_names()


def set_session(session: Any) -> None:
    """Nothing to do: `tf.compat.v1.keras.backend.set_session` passes options of a session, which runs nothing."""
    del session


def manual_variable_initialization(value: bool) -> None:
    """Nothing to do: Variables have their values from the start."""
    del value


def clear_session() -> None:
    """Reset automatic names and the learning phase. Models are freed when nothing refers to them."""
    reset_names()
    set_learning_phase(None)
