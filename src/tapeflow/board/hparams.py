"""The hyperparameters of a run, from what the hparams plugin logs about its session."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from tapeflow.board.schema import Setting
from tapeflow.summary.protos import message

PLUGIN = "hparams"
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
