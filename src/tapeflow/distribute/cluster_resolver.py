"""`tf.distribute.cluster_resolver`: who the workers are, read from `TF_CONFIG`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

_FORM = (
    '{"cluster": {"worker": ["host1:port", "host2:port"]}, "task": {"type": "worker", "index": 0}}, with an index of '
    "its own in each process"
)


@dataclass(frozen=True)
class ClusterSpec:
    """The addresses of the workers, the first being the one that the others report to."""

    workers: tuple[str, ...]

    def as_dict(self) -> dict[str, list[str]]:
        """The addresses by job, as TensorFlow writes them."""
        return {"worker": list(self.workers)} if self.workers else {}


class TFConfigClusterResolver:
    """Reads the environment variable `TF_CONFIG`; without it, there is one worker.

    Raises:
        ValueError: `TF_CONFIG` is not what it should be.
    """

    def __init__(self) -> None:
        text = os.environ.get("TF_CONFIG") or "{}"
        try:
            self._workers, self.task_type, self.task_id = _parsed(json.loads(text))
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise ValueError(f"TF_CONFIG expected {_FORM}; got {text!r} ({error}).") from None

    def cluster_spec(self) -> ClusterSpec:
        """Who the workers are."""
        return ClusterSpec(self._workers)


class TPUClusterResolver:
    """There are no TPUs to be found by name here: it raises what TensorFlow raises on a machine without one.

    Notebooks that try for a TPU and go on without it, `except ValueError`, then go on.
    """

    def __init__(self, tpu: str | None = None, *arguments: Any, **options: Any) -> None:
        raise ValueError(
            f"TPUClusterResolver expected a TPU; got tpu={tpu!r}, and there is none: please provide a TPU name to "
            "connect to. Use tf.distribute.MirroredStrategy() for the devices of this machine."
        )


def _parsed(config: dict[str, Any]) -> tuple[tuple[str, ...], str, int]:
    cluster, task = config.get("cluster", {}), config.get("task", {})
    other = sorted(set(cluster) - {"chief", "worker"})
    if other:
        raise ValueError(f"there are no jobs {other} here, only 'chief' and 'worker'")
    chiefs, workers = list(cluster.get("chief", [])), list(cluster.get("worker", []))
    kind, index = task.get("type", "worker"), int(task.get("index", 0))
    everybody = (*chiefs, *workers)
    number = index if kind == "chief" else len(chiefs) + index
    if kind not in ("chief", "worker") or not 0 <= number < max(len(everybody), 1):
        raise ValueError(f"there is no task {kind!r} {index} in that cluster")
    return everybody, kind, number
