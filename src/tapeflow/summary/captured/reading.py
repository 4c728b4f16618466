"""What was captured of a run, as `tf.summary.read` gives it."""

from __future__ import annotations

from typing import NamedTuple

from tapeflow.summary.captured import messages
from tapeflow.summary.captured.messages import ConsoleLine, Facts, State, UserAlert
from tapeflow.summary.event_files.tag_series import Series
from tapeflow.summary.event_files.values import Value


class LoggedAlert(NamedTuple):
    """An alert, and when it was logged."""

    step: int
    wall_time: float
    alert: UserAlert


class Captured:
    """What a run has captured by itself.

    Attributes:
        console: what it printed.
        alerts: what `tf.summary.alert` logged.
        system: system metrics, by tag: see `messages.SYSTEM_METRICS`.
    """

    def __init__(self) -> None:
        self.console: list[ConsoleLine] = []
        self.alerts: list[LoggedAlert] = []
        self.system: dict[str, Series] = {}
        self._facts: list[str | bytes] = []
        self._states: dict[str, State] = {}

    @property
    def facts(self) -> Facts:
        """What the run is: command line, code, packages, machine; empty if nothing was captured."""
        return messages.facts_of(self._facts)

    @property
    def state(self) -> State:
        """How it is doing, as far as it said; empty if nothing was captured."""
        last: State = next(reversed(self._states.values()), {})
        return self._states.get(self.facts.get("id", ""), last)

    def take(self, value: Value, step: int, wall_time: float) -> None:
        """Add a value of the plugin."""
        if value.array.size != 1 or value.array.dtype != object:
            return
        text = value.array.reshape(-1)[0]
        if not isinstance(text, (str, bytes)):
            return
        if value.tag == messages.FACTS:
            self._facts.append(text)
        elif value.tag == messages.STATE:
            state = messages.state_of(text)
            if state:
                self._states[state.get("id", "")] = state
        elif value.tag == messages.CONSOLE:
            self.console += messages.console_of(text)
        elif value.tag == messages.ALERTS and (alert := messages.alert_of(text)) is not None:
            self.alerts.append(LoggedAlert(step, wall_time, alert))
