"""`tf.summary.hparams`: what a trial used and reached, for comparing trials.

A trial is a run. At its beginning it notes the values of its hyperparameters, at its end how it ended; an
experiment, noted once, says which hyperparameters vary and which scalars count. The records are TensorBoard's:
each is a tag beginning with `_hparams_/` whose metadata holds everything, and whose value is empty.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tapeflow.summary import hooks
from tapeflow.summary.context import current, recording_writer
from tapeflow.summary.emission import tag_of
from tapeflow.summary.event_files import encoding
from tapeflow.summary.experimental import write_raw_pb
from tapeflow.summary.kinds.hparam_domains import TYPES, HParam, Metric
from tapeflow.summary.kinds.scalars import scalar
from tapeflow.summary.protos import message

PLUGIN = "hparams"
EXPERIMENT_TAG = "_hparams_/experiment"
START_TAG = "_hparams_/session_start_info"
END_TAG = "_hparams_/session_end_info"


def hparams(
    hparams: Mapping[Any, Any],
    metrics: Mapping[str, Any] | Iterable[Any] | None = None,
    trial_id: str | None = None,
    start_time_secs: float | None = None,
) -> bool:
    """Write the hyperparameters of this run, and its metrics.

    Args:
        hparams: values (bool, int, float, str) by name, or by `HParam`.
        metrics: the results, as numbers by tag, which are written as scalars, too; or just the tags, or `Metric`s,
            if the scalars are logged elsewhere. Without them the board takes every scalar of the run.
        trial_id: which trial it is, for runs that belong together; by default runs with equal values do.
        start_time_secs: when it began; now unless given.

    Returns:
        Whether it was recorded.

    >>> with tf.summary.run("search"):
    ...     tf.summary.hparams({"units": 64, "dropout": 0.2}, metrics={"accuracy": 0.93})
    """
    summary = hparams_pb(hparams, trial_id, start_time_secs)
    if recording_writer() is None:
        return False
    if metrics is not None:
        infos = [
            message("hparams.HParamInfo")(name=name, type=TYPES[type(value)][0])
            for name, value in normal_hparams(hparams).items()
        ]
        write_summary(_experiment(infos, _metrics(metrics)))
    write_summary(summary)
    if isinstance(metrics, Mapping):
        for tag, value in metrics.items():
            scalar(tag, value, step=0 if current.step is None else None)
    return True


def _metrics(metrics: Mapping[str, Any] | Iterable[Any]) -> list[Metric]:
    if isinstance(metrics, Mapping):
        return [Metric(tag_of(tag)) for tag in metrics]
    return [m if isinstance(m, Metric) else Metric(str(m)) for m in metrics]


def hparams_pb(
    hparams: Mapping[Any, Any], trial_id: str | None = None, start_time_secs: float | None = None
) -> Any:
    """The Summary message that `hparams` writes at the beginning of a trial."""
    values = normal_hparams(hparams)
    found = message("hparams.SessionStartInfo")(
        group_name=_group_name(trial_id, values),
        start_time_secs=time.time() if start_time_secs is None else start_time_secs,
    )
    for name in sorted(values):
        value = values[name]
        if isinstance(value, bool):
            found.hparams[name].bool_value = value
        elif isinstance(value, (int, float)):
            found.hparams[name].number_value = value
        else:
            found.hparams[name].string_value = value
    return _summary(START_TAG, session_start_info=found)


def hparams_config_pb(
    hparams: Iterable[HParam], metrics: Iterable[Metric], time_created_secs: float | None = None
) -> Any:
    """The Summary message that says what an experiment varies and is judged by."""
    return _experiment([h.as_proto() for h in hparams], metrics, time_created_secs)


def _experiment(infos: list[Any], metrics: Iterable[Metric], time_created_secs: float | None = None) -> Any:
    found = message("hparams.Experiment")(
        hparam_infos=infos, metric_infos=[m.as_proto() for m in metrics], time_created_secs=time_created_secs
    )
    return _summary(EXPERIMENT_TAG, experiment=found)


def session_end_pb(status: int, end_time_secs: float | None = None) -> Any:
    """The Summary message of the end of a trial; `status` is 1 for success and 2 for failure."""
    found = message("hparams.SessionEndInfo")(
        status=status, end_time_secs=time.time() if end_time_secs is None else end_time_secs
    )
    return _summary(END_TAG, session_end_info=found)


def write_summary(summary: Any) -> bool:
    """Write a message of this module to the default writer."""
    return write_raw_pb(summary.SerializeToString(), step=0)


def _summary(tag: str, **data: Any) -> Any:
    content = message("hparams.HParamsPluginData")(**data).SerializeToString(deterministic=True)
    found = message("Summary")()
    value = found.value.add(tag=tag)
    value.metadata.MergeFromString(encoding.metadata(PLUGIN, content))
    value.tensor.dtype = 1
    value.tensor.tensor_shape.dim.add()
    return found


def normal_hparams(hparams: Mapping[Any, Any]) -> dict[str, Any]:
    """Python values by name, of values by name or by `HParam`."""
    found: dict[str, Any] = {}
    for key, value in hparams.items():
        name = key.name if isinstance(key, HParam) else key
        if name in found:
            raise ValueError(
                f"tf.summary.hparams expected one value for each name; got several for {name!r}: multiple values "
                f"specified for hparam {name!r}."
            )
        if not isinstance(name, str):
            raise TypeError(
                f"tf.summary.hparams expected names or HParam objects as keys; got {name!r} of type "
                f"{type(name).__name__}."
            )
        found[name] = _plain(name, value)
    return found


def _plain(name: str, value: npt.ArrayLike) -> bool | int | float | str:
    if isinstance(value, (bool, int, float, str)) and not isinstance(value, np.generic):
        return value
    if not isinstance(value, (list, tuple, dict, set, type(None))):
        array = hooks.value(value)
        array = array if isinstance(array, np.ndarray) else array.get()
        plain = array.item() if array.ndim == 0 else None
        if isinstance(plain, (bool, int, float, str)):
            return plain
    raise TypeError(
        f"tf.summary.hparams expected a bool, a number or a string for each name; got {name}={value!r} of "
        f"unsupported type {type(value).__name__}. Pass str({name}) instead."
    )


def _group_name(trial_id: str | None, values: dict[str, Any]) -> str:
    """The name of the trial: a hash that TensorBoard gives the same values, too."""
    if trial_id is None:
        text = json.dumps(values, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
    if not isinstance(trial_id, str):
        raise TypeError(f"tf.summary.hparams expected a `str`: `trial_id` should be one; got {trial_id!r}.")
    return trial_id
