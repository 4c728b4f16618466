"""`tf.ragged`: tensors whose rows differ in length."""

from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.ragged.arranging import stack as stack
from tapeflow.ops.ragged.arranging import stack_dynamic_partitions as stack_dynamic_partitions
from tapeflow.ops.ragged.construction import constant as constant
from tapeflow.ops.ragged.construction import map_flat_values as map_flat_values
from tapeflow.ops.ragged.construction import range as range
from tapeflow.ops.ragged.construction import row_splits_to_segment_ids as row_splits_to_segment_ids
from tapeflow.ops.ragged.construction import segment_ids_to_row_splits as segment_ids_to_row_splits
from tapeflow.ops.ragged.masking import boolean_mask as boolean_mask
from tapeflow.ops.sparse.feature_cross import ragged_cross as cross
from tapeflow.ops.sparse.feature_cross import ragged_cross_hashed as cross_hashed

__all__ = [
    "boolean_mask",
    "constant",
    "cross",
    "cross_hashed",
    "map_flat_values",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]

_dispatch_all(globals())
