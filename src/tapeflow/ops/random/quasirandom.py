"""`tf.math.sobol_sample`: points that fill a cube evenly."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.annotations import DTypeLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype, float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid, read_int

_MOST_DIMENSIONS = 2048


def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """Points of Sobol's sequence in the unit cube, one a row, the origin left out.

    Args:
        dim: how many dimensions, up to 2048.
        num_results: how many points.
        skip: how many to leave out at the beginning.
        dtype: float32 or float64.

    >>> tf.math.sobol_sample(2, 3).numpy().tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    where = "tf.math.sobol_sample"
    wanted = as_dtype(dtype)
    dims, count, first = (
        read_int(v, where, n) for v, n in ((dim, "dim"), (num_results, "num_results"), (skip, "skip"))
    )
    if (
        not 1 <= dims <= _MOST_DIMENSIONS
        or count < 1
        or first < 0
        or wanted.name not in ("float32", "float64")
    ):
        raise invalid(
            f"{where} expected dim from 1 to {_MOST_DIMENSIONS}, num_results of at least 1, skip of at least 0 and a "
            f"dtype of float32 or float64; got dim={dims}, num_results={count}, skip={first}, dtype={wanted.name}."
        )
    from scipy.stats import qmc  # slow to import, and rarely needed

    points = qmc.Sobol(dims, scramble=False, bits=32).fast_forward(first + 1).random(count)
    return convert_to_tensor(points.astype(wanted.as_numpy_dtype))
