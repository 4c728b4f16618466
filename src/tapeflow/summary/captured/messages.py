"""The format of captured data in event files, written and read.

Plugin `tapeflow_run` (TensorBoard ignores it) holds strings, each of them one JSON object:

| tag | object | read as |
|---|---|---|
| `tapeflow/facts` | `Facts`: what the run is | messages of one `id` add up: they are one process |
| `tapeflow/state` | `State`: a sign of life every `interval_s`, at last how it ended | the last one of an `id` counts |
| `tapeflow/console` | `ConsoleLines`: what was printed | one after the other |
| `tapeflow/alerts` | `UserAlert`: from `tf.summary.alert` | one after the other |

The step of facts and states is 0; that of console lines and alerts is the training step. Plugin `tapeflow_system`
holds system metrics, float32 scalars under the tags of `SYSTEM_METRICS`; their step is the number of seconds since
the run began.

Event files may come from anybody: what a message holds is checked and cut to size when it is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypedDict, cast

PLUGIN = "tapeflow_run"
SYSTEM_PLUGIN = "tapeflow_system"

FACTS = "tapeflow/facts"
STATE = "tapeflow/state"
CONSOLE = "tapeflow/console"
ALERTS = "tapeflow/alerts"

MOST_TEXT = 1 << 20
"""Characters of one string in a message."""
_MOST_ITEMS = 10_000
_MOST_MESSAGE = 8 << 20
_MOST_NUMBER = 2**53

RunEnd = Literal["running", "finished", "crashed"]
Level = Literal["info", "warning", "error"]
Stream = Literal["stdout", "stderr"]
LEVELS: tuple[Level, ...] = ("info", "warning", "error")


class SystemMetric(NamedTuple):
    """A metric of the machine: what it measures, and in which unit (`%`, `B`, `B/s`)."""

    title: str
    unit: str


SYSTEM_METRICS: dict[str, SystemMetric] = {
    "system/cpu": SystemMetric("CPU of the machine", "%"),
    "system/process_cpu": SystemMetric("CPU of the process, 100 % for each core", "%"),
    "system/memory": SystemMetric("Memory of the machine in use", "%"),
    "system/process_memory": SystemMetric("Memory of the process", "B"),
    "system/disk": SystemMetric("Disk of the log folder in use", "%"),
    "system/disk_free": SystemMetric("Free space on the disk of the log folder", "B"),
    "system/disk_read": SystemMetric("Read from disks", "B/s"),
    "system/disk_written": SystemMetric("Written to disks", "B/s"),
    "system/received": SystemMetric("Received from the network", "B/s"),
    "system/sent": SystemMetric("Sent to the network", "B/s"),
}
"""By tag. A GPU adds `system/gpu0` (%) and `system/gpu0_memory` (B), the next one `system/gpu1`, and so on."""


class Git(TypedDict, total=False):
    """The state of the code. `diff` is what differs from the commit; `is_cut` says that it was longer."""

    commit: str
    branch: str
    remote: str
    is_dirty: bool
    diff: str
    is_cut: bool
    untracked: list[str]


class Facts(TypedDict, total=False):
    """What a run is.

    `id` names the process's capture, `time` is when it began, `command` the command line word by word, `script` the
    file that was started, `folder` the working directory. `process` and `process_began` tell whether the process is
    still there, on the host of that name. `environment` has the variables that change how training runs.
    """

    id: str
    time: float
    command: list[str]
    script: str
    folder: str
    python: str
    executable: str
    platform: str
    packages: dict[str, str]
    environment: dict[str, str]
    host: str
    process: int
    process_began: float
    cpus: int
    memory_bytes: int
    devices: list[str]
    seed: int
    git: Git


class State(TypedDict, total=False):
    """A sign of life or an end. `error` is the exception in one line, if it ended with one."""

    id: str
    state: RunEnd
    interval_s: float
    error: str
    traceback: str


class ConsoleLine(NamedTuple):
    """A line that was printed, and when."""

    time: float
    stream: Stream
    text: str


class UserAlert(TypedDict):
    """What `tf.summary.alert` was given."""

    title: str
    text: str
    level: Level


# Writing


def dumped(message: Mapping[str, Any]) -> str:
    """A message as it is written."""
    return _text(json.dumps(message, ensure_ascii=False, separators=(",", ":")))


def console_message(lines: Iterable[ConsoleLine]) -> str:
    """Lines as one message."""
    return dumped({"lines": [[round(line.time, 3), line.stream, line.text] for line in lines]})


# Reading


def facts_of(texts: Iterable[str | bytes]) -> Facts:
    """The facts of the process that began last, in the messages of `tapeflow/facts`."""
    processes: dict[str, dict[str, Any]] = {}
    for text in texts:
        message = _loaded(text, Facts)
        processes.setdefault(message.get("id", ""), {}).update(message)
    return cast("Facts", max(processes.values(), key=lambda found: found.get("time", 0.0), default={}))


def state_of(text: str | bytes) -> State:
    """A message of `tapeflow/state`; empty if it is none."""
    found = _loaded(text, State)
    return cast("State", found if found.get("state") in ("running", "finished", "crashed") else {})


def console_of(text: str | bytes) -> list[ConsoleLine]:
    """The lines in a message of `tapeflow/console`."""
    lines = _object(text).get("lines")
    found = []
    for line in lines[:_MOST_ITEMS] if isinstance(lines, list) else ():
        match line:
            case [int() | float() as time, "stdout" | "stderr" as stream, str() as written]:
                found.append(ConsoleLine(_number(time), stream, _text(written)))
    return found


def alert_of(text: str | bytes) -> UserAlert | None:
    """A message of `tapeflow/alerts`; None if it is none."""
    found = _loaded(text, UserAlert)
    if not found.get("title"):
        return None
    level = found.get("level")
    return {
        "title": found["title"][:500],
        "text": found.get("text", "")[:20_000],
        "level": level if level in LEVELS else "info",
    }


def _text(text: str) -> str:
    """A text of bounded length that can be encoded."""
    return text[:_MOST_MESSAGE].encode("utf-8", "replace").decode()


def _number(number: float) -> float:
    """A number that JSON can hold."""
    return float(number) if abs(number) <= _MOST_NUMBER else 0.0


def _object(text: str | bytes) -> dict[str, Any]:
    if len(text) > _MOST_MESSAGE:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _clean(value: Any) -> Any:
    """A text, a list or a dict of texts, or a number, as it can be passed on."""
    if isinstance(value, str):
        return _text(value[:MOST_TEXT])
    if isinstance(value, list):
        return [_clean(item) for item in value[:_MOST_ITEMS] if isinstance(item, str)]
    if isinstance(value, dict):
        return {_clean(k): _clean(v) for k, v in list(value.items())[:_MOST_ITEMS] if isinstance(v, str)}
    return value if abs(value) <= _MOST_NUMBER else 0


_KINDS: dict[str, type | tuple[type, ...]] = {
    "str": str,
    "float": (int, float),
    "int": int,
    "bool": bool,
    "list[str]": list,
    "dict[str, str]": dict,
    "Git": dict,
    "RunEnd": str,
    "Level": str,
}


def _loaded(text: str | bytes, kind: type) -> dict[str, Any]:
    return _checked(_object(text), kind)


def _checked(found: dict[str, Any], kind: type) -> dict[str, Any]:
    """The keys of a message that are of the kind they should be."""
    kept: dict[str, Any] = {}
    for name, hint in kind.__annotations__.items():
        wanted = getattr(hint, "__forward_arg__", hint)
        value = found.get(name)
        if value is None or not isinstance(value, _KINDS[wanted]):
            continue
        if isinstance(value, bool) != (wanted == "bool"):
            continue
        kept[name] = _clean(value) if wanted != "Git" else _checked(value, Git)
    return kept
