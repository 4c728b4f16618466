"""The tf functions that a config may name: those that make tensors of tensors, and do nothing else.

A functional model is made by calling its functions again, with arguments out of the file. A function that calls
others, opens a file, prints or changes the process is therefore none of these; `map_fn`, `print`, `py_function` and
`random.set_seed` are examples. A model can use them, but a file that names one is refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import tapeflow as tf

# Where every function is one, but for those in `_OTHERS`.
SPACES = ("math", "nn", "linalg", "random", "bitwise", "strings", "sparse", "ragged", "image", "signal")
KERAS_SPACES = ("keras.activations", "keras.losses")
# Single functions of other namespaces.
ELSEWHERE = (
    "debugging.check_numerics",
    "keras.backend.batch_flatten",
    "keras.backend.binary_crossentropy",
)
_OTHERS = frozenset(
    {
        *("nn.fixed_unigram_candidate_sampler", "random.fixed_unigram_candidate_sampler"),  # opens a file
        *("sparse.map_values", "ragged.map_flat_values"),  # call functions
        *("random.create_rng_state", "random.get_global_generator"),
        *("random.set_global_generator", "random.set_seed"),
        *(f"{space}.{name}" for space in KERAS_SPACES for name in ("get", "serialize", "deserialize")),
        *("keras.activations.convert_to_tensor", "keras.activations.dispatching"),
    }
)
_NAMES = """
abs acos acosh add add_n argmax argmin argsort as_string asin asinh assert_equal assert_greater assert_less
assert_rank atan atan2 atanh batch_to_space bitcast boolean_mask broadcast_dynamic_shape broadcast_static_shape
broadcast_to cast clip_by_global_norm clip_by_norm clip_by_value complex concat constant convert_to_tensor cos
cosh cumsum divide dynamic_partition dynamic_stitch edit_distance eig eigvals einsum ensure_shape equal exp
expand_dims extract_volume_patches eye fill fingerprint floor gather gather_nd greater greater_equal
guarantee_const histogram_fixed_width histogram_fixed_width_bins identity identity_n is_tensor less less_equal
linspace logical_and logical_not logical_or matmul matrix_square_root maximum meshgrid minimum multiply negative
norm not_equal one_hot ones ones_like pad parallel_stack pow range rank realdiv reduce_all reduce_any
reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum repeat
required_space_to_batch_paddings reshape reverse reverse_sequence roll round saturate_cast scalar_mul scatter_nd
searchsorted sequence_mask shape shape_n sigmoid sign sin sinh size slice sort space_to_batch space_to_batch_nd
split sqrt square squeeze stack stop_gradient strided_slice subtract tan tanh tensor_scatter_nd_add
tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update tensordot tile
timestamp transpose truediv truncatediv truncatemod tuple unique unique_with_counts unravel_index unstack where
zeros zeros_like
"""
_PLAIN = frozenset(_NAMES.split())
"""In `tf` itself."""


def tensor_function(path: str) -> Callable[..., Any] | None:
    """The function of a name below `tf`, such as `'math.reduce_mean'`; None if it is none of these."""
    space, _, name = path.rpartition(".")
    is_listed = name in _PLAIN if not space else space in (*SPACES, *KERAS_SPACES) or path in ELSEWHERE
    if not is_listed or path in _OTHERS or name.startswith("_"):
        return None
    found = getattr(namespace(space), name, None)
    return found if isinstance(found, FunctionType) else None


def namespace(path: str) -> Any:
    """A namespace below `tf`."""
    return functools.reduce(getattr, path.split(".") if path else (), tf)
