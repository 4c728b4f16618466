"""One thing the doctor has found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class State(StrEnum):
    """How something is: as it should be, worth knowing, costing speed, or keeping TapeFlow from working."""

    OK = "ok"
    NOTE = "note"
    SLOW = "slow"
    BROKEN = "broken"


@dataclass(frozen=True)
class Finding:
    """What was looked at, how it is, and what to do.

    Attributes:
        section: the heading it stands under.
        name: what was looked at.
        value: what was found.
        state: how that is.
        remedy: what to do about it; "" if nothing has to be done.
    """

    section: str
    name: str
    value: str
    state: State = State.OK
    remedy: str = ""

    def as_json(self) -> dict[str, Any]:
        """The same for scripts."""
        return asdict(self)
