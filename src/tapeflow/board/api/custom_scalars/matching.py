"""Which tags a regular expression of a layout matches.

An expression comes out of a file, and there are short ones that take Python's `re` longer than the universe has been
there, all the while holding the interpreter's lock. So all but the simplest are tried in a process of their own, which
may use a second of the processor and is ended then. What was too much once is not tried again.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tapeflow.board.notes import Phrases
from tapeflow.board.schema import Note

NOTES = Phrases(
    slow="it took more than {seconds} s to try {expression}",
    not_tried="{expression} was not tried, after {n} others took too long",
    long="it expected expressions of at most {most} characters; got {n}",
    invalid="{expression} is not a regular expression: {error}",
    charts_cut="only the first charts are shown: a layout expected at most {charts} charts and {tags} tags in them",
)

CPU_S = 1
WALL_S = 30.0
MOST_REFUSED = 3  # in one go; each costs a second
MOST_CHARACTERS = 1000
_MOST_KEPT = 2000

_SIMPLE = re.compile(r"[^*+?{|]*(?:[*+?{|][^*+?{|]*)?")
"""At most one choice to make: time that grows with the length of the tag, no faster."""

_CHILD = """
import itertools, json, re, sys
seconds, most, tags, expressions = json.load(sys.stdin)
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
except (ImportError, ValueError, OSError):
    pass
for expression in expressions:
    match = re.compile(expression).match
    fits = (i for i, tag in enumerate(tags) if match(tag))
    print(json.dumps(list(itertools.islice(fits, most))), flush=True)
"""


class Match(NamedTuple):
    """The tags found, in the order they were given in; why there are none, if it could not be tried.

    `is_valid` says whether it is a regular expression at all.
    """

    tags: list[str]
    problem: Note | None = None
    is_valid: bool = True


class Matcher:
    """Matches expressions with tags, from their beginning, as TensorBoard does."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int, int], Match] = OrderedDict()
        self._refused: OrderedDict[str, Match] = OrderedDict()

    def match(self, expressions: Iterable[str], tags: Sequence[str], most: int) -> dict[str, Match]:
        """For each expression, at most so many of the tags it matches."""
        found: dict[str, Match] = {}
        hard: list[str] = []
        key = hash(tuple(tags))
        with self._lock:
            for expression in dict.fromkeys(expressions):
                known = self._kept.get((expression, key, most))
                known = known or self._refused.get(expression) or _refusal(expression)
                if known is not None:
                    found[expression] = known
                elif _SIMPLE.fullmatch(expression):
                    fits = filter(re.compile(expression).match, tags)
                    found[expression] = Match([tag for _, tag in zip(range(most), fits, strict=False)])
                else:
                    hard.append(expression)
            found.update(self._try(hard, tags, most))
            for expression in hard:
                if not found[expression].problem:
                    _keep(self._kept, (expression, key, most), found[expression])
        return found

    def _try(self, expressions: list[str], tags: Sequence[str], most: int) -> dict[str, Match]:
        found: dict[str, Match] = {}
        refusals = 0
        while expressions and refusals < MOST_REFUSED:
            answers = _in_a_process(expressions, tags, most)
            for expression, places in zip(expressions, answers, strict=False):
                found[expression] = Match([tags[place] for place in places])
            expressions = expressions[len(answers) :]
            if expressions:
                refusals += 1
                found[expressions[0]] = self._refuse(
                    expressions[0], NOTES("slow", seconds=CPU_S, expression=repr(expressions[0]))
                )
                expressions = expressions[1:]
        for expression in expressions:
            note = NOTES("not_tried", expression=repr(expression), n=MOST_REFUSED)
            found[expression] = self._refuse(expression, note)
        return found

    def _refuse(self, expression: str, problem: Note) -> Match:
        found = Match([], problem)
        _keep(self._refused, expression, found)
        return found


def _keep(where: OrderedDict[Any, Match], key: object, value: Match) -> None:
    where[key] = value
    if len(where) > _MOST_KEPT:
        where.popitem(last=False)


def _refusal(expression: str) -> Match | None:
    if len(expression) > MOST_CHARACTERS:
        return Match([], NOTES("long", most=MOST_CHARACTERS, n=len(expression)))
    try:
        re.compile(expression)
    except (re.error, RecursionError, OverflowError) as error:
        return Match([], NOTES("invalid", expression=repr(expression), error=str(error)), is_valid=False)
    return None


def _in_a_process(expressions: list[str], tags: Sequence[str], most: int) -> list[list[int]]:
    """The places of the tags that each expression matches, up to the first that takes too long."""
    data = json.dumps([CPU_S, most, list(tags), expressions]).encode()
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        answer = child.communicate(data, WALL_S)[0]
    except subprocess.TimeoutExpired:
        child.kill()
        answer = child.communicate()[0]
    whole = answer[: answer.rfind(b"\n") + 1]
    return [json.loads(line) for line in whole.splitlines()]


matcher = Matcher()
"""The one of this process: expressions that took too long are remembered for all boards."""
