"""XLA's own convolution on a CPU, asked for in the way in which it is fast.

XLA has two of them. YNNPACK's is the first choice for float32. It works on one core unless the filters are large and
many, and without any padding it takes 2 to 15 times as long. Eigen's works on all cores; it is taken where the result
has more rows than the input. So rows that nobody asked for are added and cut off again: one where there was no
padding, or as many as it takes to have Eigen's.
"""

from __future__ import annotations

import math

from jax import Array, lax

from tapeflow.ops.nn.window import Window

_LAYOUT = ("NHWC", "HWIO", "NHWC")
# YNNPACK shares the work between cores from so many outputs and numbers in the filters on.
_OUTPUTS_OF_MANY = 65
_NUMBERS_OF_MANY = 100_000
# With fewer inputs or outputs, or fewer places in all, Eigen's is slower than YNNPACK's on one core.
_LEAST_INPUTS = 3
_LEAST_OUTPUTS = 24
_LEAST_PLACES = 1000
# More additional rows than this share of those asked for cost more than they save.
_MOST_ADDED = 0.25
# Padding pays from so many inputs on.
_INPUTS_OF_PADDED = 16


def forward(window: Window, x: Array, filters: Array) -> Array:
    """The convolution of `x` with `filters`; arrays are NHWC and HWIO, and there is one group."""
    rows = window.output[0]
    (top, bottom), sides = window.padding
    added = _added_rows(window, x.shape[0], filters.shape)
    result = lax.conv_general_dilated(
        x,
        filters,
        window.strides,
        ((top, bottom + added * window.strides[0]), sides),
        rhs_dilation=window.dilations,
        dimension_numbers=_LAYOUT,
    )
    return result[:, :rows] if added else result


def _added_rows(window: Window, samples: int, filters: tuple[int, ...]) -> int:
    inputs, outputs = filters[2:]
    rows = window.output[0]
    most = int(_MOST_ADDED * rows)
    for_eigen = max(window.input[0] + 1 - rows, 0)
    is_shared = outputs >= _OUTPUTS_OF_MANY and math.prod(filters) >= _NUMBERS_OF_MANY
    is_wide = inputs >= _LEAST_INPUTS and outputs >= _LEAST_OUTPUTS
    if (
        is_wide
        and not is_shared
        and samples * math.prod(window.output) >= _LEAST_PLACES
        and for_eigen <= most
    ):
        return for_eigen
    is_padded = any(n > 0 for pair in window.padding for n in pair)
    return 1 if not is_padded and inputs >= _INPUTS_OF_PADDED and most >= 1 else 0
