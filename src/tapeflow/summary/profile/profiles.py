"""`tf.summary.profile.read`: the files of a profile, and what they say."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from tapeflow.summary.profile.marks import pipelines_of, steps_of
from tapeflow.summary.profile.modules import LOW_PRECISION
from tapeflow.summary.profile.records import Compile, Memory, Pipeline, Record, Step, read_record
from tapeflow.summary.profile.report import report
from tapeflow.summary.profile.trace import Trace, read_trace
from tapeflow.summary.profile.verdicts import Verdict, breakdown, judge
from tapeflow.summary.profile.xplane import Op, ops_of

_STEPS = ".steps.jsonl"
_XPLANE = ".xplane.pb"


def find(logdir: str | os.PathLike[str]) -> list[str]:
    """The folders of the profiles of a run, or of all runs in a folder, oldest first."""
    places = Path(logdir).glob("**/plugins/profile/*/")
    return [str(p) for p in sorted(places, key=lambda p: (p.name, str(p))) if _hosts(p)]


def read(path: str | os.PathLike[str], host: str | None = None) -> Profile:
    """A profile: the one in a folder, or the latest one of the runs below it.

    Args:
        path: a folder of logs, or that of one profile (`<logdir>/plugins/profile/<time>`).
        host: which of the hosts, if several wrote to it; the first one unless given.

    Raises:
        FileNotFoundError: there is none.

    >>> profile = tf.summary.profile.read("logs")
    >>> print(profile)  # all of it, in words
    >>> profile.verdict.kind, profile.verdict.remedies
    >>> profile.steps, profile.ops, profile.compiles, profile.memory
    """
    folder = Path(path)
    if not folder.is_dir():
        raise FileNotFoundError(
            f"tf.summary.profile.read expected a folder; got path={os.fspath(path)!r}, which is none."
        )
    if not _hosts(folder):
        found = find(folder)
        if not found:
            raise FileNotFoundError(
                f"tf.summary.profile.read expected a folder with a profile in it; got path={os.fspath(path)!r}, which "
                "has none. Take one with tf.profiler.experimental.Profile(logdir) or TensorBoard(profile_batch=...)."
            )
        folder = Path(found[-1])
    hosts = _hosts(folder)
    if host is not None and host not in hosts:
        raise ValueError(
            f"tf.summary.profile.read expected one of the hosts {', '.join(map(repr, hosts))}; got host={host!r}."
        )
    return Profile(folder, host or hosts[0])


def hosts_of(names: Iterable[str]) -> list[str]:
    """The hosts that wrote files of these names."""
    own = [name for name in names if not name.startswith(".")]
    return sorted({n.removesuffix(s) for n in own for s in (_STEPS, _XPLANE) if n.endswith(s)})


def _hosts(folder: Path) -> list[str]:
    return hosts_of(file.name for file in folder.iterdir())


class Profile:
    """What one host wrote of a profile; `str()` of it is a summary of all. Times are in seconds.

    The files are read when first asked for. A file that is missing or damaged is said in `damages`, and the rest is
    there.

    Attributes:
        path: the folder.
        host: the host.
        hosts: all hosts that wrote to the folder.
    """

    def __init__(self, folder: Path, host: str, follows_links: bool = True) -> None:
        self.path = str(folder)
        self.host = host
        self.hosts = _hosts(folder)
        self._folder = folder
        self._follows_links = follows_links
        self._damages: dict[str, str] = {}

    @cached_property
    def _record(self) -> Record:
        try:
            return read_record(self._folder / f"{self.host}{_STEPS}", self._follows_links)
        except FileNotFoundError:
            self._damages["record"] = "there is no record of steps: it was not taken by TapeFlow"
            marked = steps_of(self.trace)
            if marked:
                self._damages["record"] += "; steps were found in its trace"
            pipelines = pipelines_of(self.trace)
            return Record(duration=self.trace.end / 1e12, steps=marked, pipelines=pipelines)
        except (ValueError, OSError) as error:
            self._damages["record"] = str(error)
        return Record()

    @property
    def damages(self) -> list[str]:
        """What could not be read."""
        _ = self.ops
        return [*self._record.damages, *self._damages.values()]

    @property
    def device(self) -> str:
        """The kind of device: 'cpu', 'gpu', 'tpu'; '' if that is not known."""
        return str(self._record.about.get("device", ""))

    @property
    def duration(self) -> float:
        """How long the profile took."""
        return self._record.duration

    @property
    def steps(self) -> list[Step]:
        """The steps, in order."""
        return self._record.steps

    @property
    def compiles(self) -> list[Compile]:
        """What was compiled, the slowest first."""
        return sorted(self._record.compiles, key=lambda c: -c.wall)

    @property
    def memory(self) -> list[Memory]:
        """The memory in use over time."""
        return self._record.memory

    @property
    def pipelines(self) -> list[Pipeline]:
        """Where batches came from, the one that took longest first."""
        return sorted(self._record.pipelines, key=lambda p: -p.wall)

    @property
    def hooks(self) -> list[tuple[str, float]]:
        """The hooks of callbacks called between steps, and what each took."""
        return self._record.hooks

    @property
    def callbacks(self) -> list[tuple[str, float]]:
        """The classes of callbacks that were called in steps, and what each took, the slowest first."""
        return sorted(self._record.callbacks, key=lambda one: -one[1])

    @cached_property
    def trace(self) -> Trace:
        """The events of all threads and devices, in columns."""
        try:
            found = read_trace(self._folder / f"{self.host}{_XPLANE}", self._follows_links)
        except FileNotFoundError:
            self._damages["xplane"] = "there is no XPlane file: the profile was not stopped"
        except (ValueError, OSError) as error:
            self._damages["xplane"] = str(error)
        else:
            self._damages |= {damage: damage for damage in found.damages}
            return found
        return Trace()

    @cached_property
    def ops(self) -> list[Op]:
        """The ops of the compiled programs, those that took longest first."""
        found = ops_of(self.trace)
        self.trace.modules.clear()  # they may be large, and have told what they know
        return found

    @property
    def low_precision_share(self) -> float:
        """The share of the ops' time in which they computed in 16 bits or fewer; casting to these is no computing."""
        whole = sum(op.wall for op in self.ops)
        low = [op.wall for op in self.ops if op.dtype in LOW_PRECISION and not op.kind.startswith("convert")]
        return sum(low) / whole if whole else 0.0

    @property
    def main_steps(self) -> list[Step]:
        """The steps of the kind that the verdict is about: training's, else those that took longest."""
        walls: dict[str, float] = {}
        for step in self.steps:
            walls[step.name] = walls.get(step.name, 0.0) + step.wall
        name = "train" if "train" in walls else max(walls, key=lambda n: walls[n], default="")
        return [step for step in self.steps if step.name == name]

    @property
    def breakdown(self) -> dict[str, float]:
        """The seconds of these steps by phase; without steps, those of the thread that was profiled."""
        return breakdown(self.main_steps) if self.steps else dict(self._record.total)

    @property
    def verdict(self) -> Verdict:
        """What training waits for, and what to do about it."""
        return judge(self.main_steps, self._record.total, self.pipelines, self.callbacks)

    def __str__(self) -> str:
        return report(self)

    def __repr__(self) -> str:
        return f"<Profile {self.path!r}: {len(self.steps)} steps, {self.verdict}>"
