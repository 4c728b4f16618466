"""What TensorBoard's routes are asked for: JSON in which names are written as in proto files, or in camel case."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import orjson
from starlette.exceptions import HTTPException

from tapeflow.board.api.hparams.sessions import MetricName
from tapeflow.board.schema import Setting

STATUSES = ("STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING")
ORDERS = ("ORDER_UNSPECIFIED", "ORDER_ASC", "ORDER_DESC")
AGGREGATIONS = (
    "AGGREGATION_UNSET",
    "AGGREGATION_AVG",
    "AGGREGATION_MEDIAN",
    "AGGREGATION_MIN",
    "AGGREGATION_MAX",
)
_MOST_INTEGER = 2**31 - 1


class Refused(HTTPException):
    """A request that says what cannot be done."""

    def __init__(self, text: str) -> None:
        super().__init__(400, text)


class Column(NamedTuple):
    """A column by which groups are filtered or sorted: a metric or an hparam, one of which is None."""

    metric: MetricName | None
    hparam: str | None
    order: str
    puts_missing_first: bool
    passes: Callable[[Any], bool] | None
    excludes_missing: bool
    is_included: bool | None


class GroupsRequest(NamedTuple):
    """Which groups are wanted, and how."""

    statuses: frozenset[str]
    columns: list[Column]
    aggregation: str
    aggregation_metric: MetricName
    start: int
    size: int
    has_metrics: bool


class ExperimentRequest(NamedTuple):
    """Whether metrics are wanted, and how many hparams; 0 for all."""

    has_metrics: bool
    most_hparams: int


class _Fields:
    """A JSON object; each field is taken once, and what is left at the end is refused."""

    def __init__(self, found: Any, where: str) -> None:
        if not isinstance(found, dict):
            raise Refused(f"{where} expected a JSON object; got {found!r:.200}")
        self._found = dict(found)
        self._where = where

    def take(self, name: str, default: Any, *kinds: type) -> Any:
        camel = re.sub("_(.)", lambda match: match[1].upper(), name)
        value = next(
            (v for v in (self._found.pop(camel, None), self._found.pop(name, None)) if v is not None), None
        )
        if value is None:
            return default
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise Refused(f"{self._where} expected another type of value; got {camel}={value!r:.200}")
        return value

    def integer(self, name: str) -> int:
        value = self.take(name, 0, int)
        if abs(value) > _MOST_INTEGER:
            raise Refused(f"{self._where} expected a number of 32 bits; got {name}={value!r:.80}")
        return value

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        return chosen(self.take(name, choices[0], str, int), choices, self._where)

    def flag(self, name: str) -> bool | None:
        return self.take(name, None, bool)

    def end(self) -> None:
        if self._found:
            raise Refused(f"{self._where} expected no field of the name {next(iter(self._found))!r:.200}")


def chosen(value: Any, choices: tuple[str, ...], where: str) -> str:
    """A member of an enum, by name or number."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(choices):
        return choices[value]
    if value not in choices:
        raise Refused(f"{where} expected one of {', '.join(choices)}; got {value!r:.200}")
    return value


def parsed(data: bytes | str | None, where: str) -> Any:
    """The JSON of a request."""
    try:
        return orjson.loads(data or b"")
    except orjson.JSONDecodeError as error:
        raise Refused(f"{where} expected a request in JSON: {error}") from None


def groups_request(found: Any, where: str) -> GroupsRequest:
    """A request for session groups, or a refusal."""
    fields = _Fields(found, where)
    fields.take("experiment_name", "", str)
    statuses = [chosen(one, STATUSES, where) for one in fields.take("allowed_statuses", [], list)]
    request = GroupsRequest(
        frozenset(statuses),
        [_column(one, where) for one in fields.take("col_params", [], list)],
        fields.choice("aggregation_type", AGGREGATIONS),
        metric_name(fields.take("aggregation_metric", {}, dict), where),
        fields.integer("start_index"),
        fields.integer("slice_size"),
        fields.flag("include_metrics") is not False,
    )
    fields.end()
    return request


def experiment_request(found: Any, where: str) -> ExperimentRequest:
    """A request for the experiment, or a refusal."""
    fields = _Fields(found, where)
    fields.take("experiment_name", "", str)
    request = ExperimentRequest(
        fields.flag("include_metrics") is not False, max(fields.integer("hparams_limit"), 0)
    )
    fields.end()
    return request


def evals_request(found: Any, where: str) -> tuple[str, MetricName]:
    """The session and the metric whose values are wanted."""
    fields = _Fields(found, where)
    fields.take("experiment_name", "", str)
    session = fields.take("session_name", "", str)
    metric = metric_name(fields.take("metric_name", {}, dict), where)
    fields.end()
    return session, metric


def metric_name(found: Any, where: str) -> MetricName:
    """Tag and group."""
    fields = _Fields(found, where)
    name = fields.take("tag", "", str), fields.take("group", "", str)
    fields.end()
    return name


def _column(found: Any, where: str) -> Column:
    fields = _Fields(found, where)
    metric, hparam = fields.take("metric", None, dict), fields.take("hparam", None, str)
    if metric is None and hparam is None:
        raise Refused(f"{where} expected a metric or an hparam in every column; got {found!r:.200}")
    column = Column(
        None if metric is None else metric_name(metric, where),
        None if metric is not None else hparam,
        fields.choice("order", ORDERS),
        fields.flag("missing_values_first") is True,
        _test(fields, where),
        fields.flag("exclude_missing_values") is True,
        fields.flag("include_in_result"),
    )
    fields.end()
    return column


def _test(fields: _Fields, where: str) -> Callable[[Any], bool] | None:
    """The filter of a column, if it has one."""
    pattern = fields.take("filter_regexp", None, str)
    interval = fields.take("filter_interval", None, dict)
    values = fields.take("filter_discrete", None, list)
    if pattern is not None:
        return _matching(pattern, where)
    if interval is not None:
        ends = _Fields(interval, where)
        low, high = (
            _number(ends.take(name, 0.0, int, float, str), where) for name in ("min_value", "max_value")
        )
        ends.end()
        return _between(low, high, where)
    return None if values is None else lambda value: value in values


def _matching(pattern: str, where: str) -> Callable[[Any], bool]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise Refused(f"{where} expected a regular expression; got {pattern!r:.200}: {error}") from None

    def matches(value: Setting) -> bool:
        if not isinstance(value, str):
            raise Refused(f"{where} expected a regular expression on texts only; got one on {value!r:.80}")
        return compiled.search(value) is not None

    return matches


def _between(low: float, high: float, where: str) -> Callable[[Any], bool]:
    def is_between(value: Setting) -> bool:
        if isinstance(value, str):
            raise Refused(f"{where} expected an interval on numbers only; got one on {value!r:.80}")
        return low <= value <= high

    return is_between


def _number(value: Any, where: str) -> float:
    special = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    try:
        return special[value] if value in special else float(value)
    except ValueError:
        raise Refused(f"{where} expected a number; got {value!r:.200}") from None
