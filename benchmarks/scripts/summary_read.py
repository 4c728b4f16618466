"""Reading a run with each reader: every point of every tag; the value is the mean of one tag."""

import os
from collections.abc import Callable

import numpy as np

from benchmarks.scripts.summary_data import POINTS, run_folder

_TAG = "metrics/tag_3"


def tapeflow() -> Callable[[int], float]:
    """`tf.summary.read`, and all columns looked at."""
    from tapeflow import summary

    def run_steps(count: int) -> float:
        for number in range(count):
            run = summary.read(run_folder(number))
            total = sum(len(series.values) for series in run.values())
            if total != 10 * POINTS:
                raise ValueError(f"expected every point; got {total}")
        return float(run[_TAG].values.mean())

    return run_steps


def accumulator() -> Callable[[int], float]:
    """What TensorBoard's server reads with when it has no data server, told to keep every point."""
    from tensorboard.backend.event_processing import event_accumulator
    from tensorboard.util.tensor_util import make_ndarray

    def run_steps(count: int) -> float:
        for number in range(count):
            found = event_accumulator.EventAccumulator(
                run_folder(number), size_guidance={event_accumulator.TENSORS: 0}
            )
            found.Reload()
        return float(np.mean([make_ndarray(event.tensor_proto) for event in found.Tensors(_TAG)]))

    return run_steps


def loader() -> Callable[[int], float]:
    """Its event loader alone, keeping nothing but one tag."""
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    from tensorboard.util.tensor_util import make_ndarray

    def run_steps(count: int) -> float:
        for number in range(count):
            folder = run_folder(number)
            kept = []
            for event in EventFileLoader(os.path.join(folder, os.listdir(folder)[0])).Load():
                kept += [make_ndarray(v.tensor) for v in event.summary.value if v.tag == _TAG]
        return float(np.mean(kept))

    return run_steps
