"""`tf.sparse`: tensors that are zero almost everywhere."""

from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.sparse.counting import bincount as bincount
from tapeflow.ops.sparse.feature_cross import cross as cross
from tapeflow.ops.sparse.feature_cross import cross_hashed as cross_hashed
from tapeflow.ops.sparse.functions import add as add
from tapeflow.ops.sparse.functions import concat as concat
from tapeflow.ops.sparse.functions import expand_dims as expand_dims
from tapeflow.ops.sparse.functions import eye as eye
from tapeflow.ops.sparse.functions import fill_empty_rows as fill_empty_rows
from tapeflow.ops.sparse.functions import from_dense as from_dense
from tapeflow.ops.sparse.functions import map_values as map_values
from tapeflow.ops.sparse.functions import mask as mask
from tapeflow.ops.sparse.functions import maximum as maximum
from tapeflow.ops.sparse.functions import minimum as minimum
from tapeflow.ops.sparse.functions import reduce_max as reduce_max
from tapeflow.ops.sparse.functions import reduce_sum as reduce_sum
from tapeflow.ops.sparse.functions import reorder as reorder
from tapeflow.ops.sparse.functions import reset_shape as reset_shape
from tapeflow.ops.sparse.functions import reshape as reshape
from tapeflow.ops.sparse.functions import retain as retain
from tapeflow.ops.sparse.functions import slice as slice
from tapeflow.ops.sparse.functions import softmax as softmax
from tapeflow.ops.sparse.functions import sparse_dense_matmul as sparse_dense_matmul
from tapeflow.ops.sparse.functions import split as split
from tapeflow.ops.sparse.functions import to_dense as to_dense
from tapeflow.ops.sparse.functions import to_indicator as to_indicator
from tapeflow.ops.sparse.functions import transpose as transpose
from tapeflow.ops.sparse.rows import segment_mean as segment_mean
from tapeflow.ops.sparse.rows import segment_sqrt_n as segment_sqrt_n
from tapeflow.ops.sparse.rows import segment_sum as segment_sum
from tapeflow.ops.sparse.tensor import SparseTensor as SparseTensor

__all__ = [
    "SparseTensor",
    "add",
    "bincount",
    "concat",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "map_values",
    "mask",
    "maximum",
    "minimum",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]

_dispatch_all(globals())
