"""Hyperparameters of experiments and trials: TensorBoard's `hparams.api`.

from tapeflow.plugins.hparams import api as hp

UNITS = hp.HParam("units", hp.Discrete([16, 32]))
with tf.summary.create_file_writer("logs").as_default():
    hp.hparams_config(hparams=[UNITS], metrics=[hp.Metric("accuracy")])
for units in UNITS.domain.values:
    model.fit(x, y, callbacks=[hp.KerasCallback(f"logs/{units}", {UNITS: units})])
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tapeflow.summary.kinds import hyperparameters
from tapeflow.summary.kinds.hparam_domains import Discrete as Discrete
from tapeflow.summary.kinds.hparam_domains import Domain as Domain
from tapeflow.summary.kinds.hparam_domains import HParam as HParam
from tapeflow.summary.kinds.hparam_domains import IntInterval as IntInterval
from tapeflow.summary.kinds.hparam_domains import Metric as Metric
from tapeflow.summary.kinds.hparam_domains import RealInterval as RealInterval
from tapeflow.summary.kinds.hyperparameters import hparams_config_pb as hparams_config_pb
from tapeflow.summary.kinds.hyperparameters import hparams_pb as hparams_pb

if TYPE_CHECKING:
    KerasCallback: Any

__all__ = [
    "Discrete",
    "Domain",
    "HParam",
    "IntInterval",
    "KerasCallback",
    "Metric",
    "RealInterval",
    "hparams",
    "hparams_config",
    "hparams_config_pb",
    "hparams_pb",
]


def hparams(
    hparams: Mapping[Any, Any], trial_id: str | None = None, start_time_secs: float | None = None
) -> bool:
    """Write the hyperparameters of a trial to the default writer.

    Args:
        hparams: values (bool, int, float, str) by name, or by `HParam`.
        trial_id: the trial; by default, runs with equal values belong to the same trial.
        start_time_secs: when it began; now unless given.

    Returns:
        Whether it was recorded.
    """
    return hyperparameters.write_summary(hparams_pb(hparams, trial_id, start_time_secs))


def hparams_config(
    hparams: Iterable[HParam], metrics: Iterable[Metric], time_created_secs: float | None = None
) -> bool:
    """Write to the default writer what an experiment varies and what it is judged by.

    Args:
        hparams: the hyperparameters.
        metrics: the metrics.
        time_created_secs: when it was made.

    Returns:
        Whether it was recorded.
    """
    return hyperparameters.write_summary(hparams_config_pb(hparams, metrics, time_created_secs))


def __getattr__(name: str) -> Any:
    if name == "KerasCallback":  # it is Keras's: whoever logs without Keras does not wait for it
        return importlib.import_module("tapeflow.keras.callbacks.hparams_callback").HParamsCallback
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
