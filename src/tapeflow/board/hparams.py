"""The hyperparameters of a run, from what the hparams plugin logs about its session."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from google.protobuf.message import DecodeError

from tapeflow.board.column_messages import numbers
from tapeflow.board.schema import Setting
from tapeflow.summary.protos import message

PLUGIN = "hparams"
MOST_SHOWN = 500  # characters of a value in a column
_MOST = 1000
_MOST_CHARACTERS = 2000


def hparams_of(content: bytes) -> dict[str, Setting]:
    """Names and values in the content of a `_hparams_/session_start_info`; {} for other content."""
    try:
        found = message("hparams.HParamsPluginData").FromString(content).session_start_info.hparams
    except DecodeError:
        return {}
    pairs = [pair for pair in list(found.items())[:_MOST] if len(pair[0]) <= _MOST_CHARACTERS]
    settings = {name: getattr(value, kind) for name, value in pairs if (kind := value.WhichOneof("kind"))}
    return {name: s[:_MOST_CHARACTERS] if isinstance(s, str) else s for name, s in settings.items()}


def typed_values(
    found: Sequence[Setting | None],
) -> tuple[Literal["number", "string", "bool"], list[Setting | None]]:
    """One column of hparams for JSON: values of several types become texts, and so do NaN and infinities."""
    types = {type(value) for value in found if value is not None}
    if types == {float}:
        values = numbers(np.array([math.nan if value is None else value for value in found], np.float64))
        return "number", [None if was is None else value for was, value in zip(found, values, strict=True)]
    if types == {bool}:
        return "bool", list(found)
    return "string", [None if value is None else text_of(value) for value in found]


def text_of(value: Setting) -> str:
    """A value as JavaScript would write it, too."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)[:MOST_SHOWN]
