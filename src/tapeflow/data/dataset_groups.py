"""`Dataset.batch` and its kin: elements put together, and taken apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.data.arguments import padding, read_count, read_positive
from tapeflow.data.piped import Piped, check_callable
from tapeflow.data.steps.batching import AsRagged, Batch, PaddedBatch, SparseBatch, Unbatch, Window
from tapeflow.data.steps.folding import Rebatch
from tapeflow.data.steps.grouping import GroupByWindow, bucket_of, check_buckets
from tapeflow.data.structure import as_tensor
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.dtypes import as_dtype, int64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import read_ints

if TYPE_CHECKING:
    from tapeflow.data.dataset import Dataset


class Groups(Piped):
    """Transforms that make elements of several."""

    __slots__ = ()

    def batch(
        self,
        batch_size: TensorLike,
        drop_remainder: bool = False,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Stack `batch_size` elements at a time; the last batch may be smaller, or dropped."""
        size = read_positive(batch_size, "tf.data.Dataset.batch", "batch_size")
        return self._then(Batch(self._pipe, size, bool(drop_remainder)))

    def padded_batch(
        self,
        batch_size: TensorLike,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Stack `batch_size` elements at a time, padded to the largest of them (or to `padded_shapes`)."""
        size = read_positive(batch_size, "tf.data.Dataset.padded_batch", "batch_size")
        shapes, values = padding(self._pipe, padded_shapes, padding_values)
        is_bound = padded_shapes is not None
        return self._then(PaddedBatch(self._pipe, size, shapes, values, bool(drop_remainder), is_bound))

    def unbatch(self, name: str | None = None) -> Dataset:
        """The rows of the elements."""
        return self._then(Unbatch(self._pipe))

    def window(
        self,
        size: TensorLike,
        shift: int | TensorLike | None = None,
        stride: TensorLike = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Datasets of `size` elements that are `stride` apart, one beginning every `shift` elements.

        >>> windows = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
        >>> [w.numpy().tolist() for w in windows.flat_map(lambda window: window.batch(3))]
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        where = "tf.data.Dataset.window"
        length = read_positive(size, where, "size")
        step = length if shift is None else read_positive(shift, where, "shift")
        apart_by = read_positive(stride, where, "stride")
        return self._then(Window(self._pipe, length, step, apart_by, bool(drop_remainder)))

    def ragged_batch(
        self,
        batch_size: TensorLike,
        drop_remainder: bool = False,
        row_splits_dtype: DTypeLike = int64,
        name: str | None = None,
    ) -> Dataset:
        """Combine `batch_size` elements; elements of unknown shape become a `tf.RaggedTensor`.

        >>> rows = tf.data.Dataset.range(4).map(lambda x: tf.range(x))
        >>> [batch.to_list() for batch in rows.ragged_batch(2)]
        [[[], [0]], [[0, 1], [0, 1, 2]]]
        """
        size = read_positive(batch_size, "tf.data.Dataset.ragged_batch", "batch_size")
        rows = AsRagged(self._pipe, as_dtype(row_splits_dtype))
        return self._then(Batch(rows, size, bool(drop_remainder)))

    def sparse_batch(self, batch_size: TensorLike, row_shape: ShapeLike, name: str | None = None) -> Dataset:
        """`batch_size` elements at a time as `tf.SparseTensor`, whose rows have the shape `row_shape`."""
        where = "tf.data.Dataset.sparse_batch"
        size = read_positive(batch_size, where, "batch_size")
        return self._then(SparseBatch(self._pipe, size, read_ints(row_shape, where, "row_shape")))

    def rebatch(
        self, batch_size: int | TensorLike, drop_remainder: bool = False, name: str | None = None
    ) -> Dataset:
        """Change the batch size of batches to `batch_size`, or to several sizes in turn.

        >>> [len(b) for b in tf.data.Dataset.range(7).batch(3).rebatch(2)]
        [2, 2, 2, 1]
        """
        where = "tf.data.Dataset.rebatch"
        sizes = [
            read_positive(s, where, "batch_size")
            for s in read_ints(batch_size, where, "batch_size", scalar=True)
        ]
        return self._then(Rebatch(self._pipe, sizes, bool(drop_remainder)))

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[[Any, Dataset], Dataset],
        window_size: TensorLike | None = None,
        window_size_func: Callable[[Any], Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Group elements by key and apply `reduce_func(key, window)` to every `window_size` of them.

        >>> by_parity = tf.data.Dataset.range(6).group_by_window(
        ...     lambda x: x % 2, lambda key, window: window.batch(2), window_size=2
        ... )
        >>> [b.numpy().tolist() for b in by_parity]
        [[0, 2], [1, 3], [4], [5]]

        Args:
            key_func: gives an int64 for an element.
            reduce_func: makes a dataset of a key and a dataset of elements with it.
            window_size: how many elements make a window.
            window_size_func: gives this for a key; one of the two.
            name: ignored.
        """
        where = "tf.data.Dataset.group_by_window"
        check_callable(key_func, where, "key_func")
        check_callable(reduce_func, where, "reduce_func")
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                f"{where} expected one of window_size and window_size_func: either must be passed, but not "
                "both."
            )
        if window_size_func is None:
            size = read_positive(window_size, where, "window_size")
            return self._then(GroupByWindow(self._pipe, key_func, reduce_func, lambda _: size))
        function = window_size_func

        def size_of(key: int) -> int:
            return read_positive(function(as_tensor(np.array(key, np.int64))), where, "window_size")

        return self._then(GroupByWindow(self._pipe, key_func, reduce_func, size_of))

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Batch elements of similar length, padded.

        Args:
            element_length_func: gives the length of an element.
            bucket_boundaries: lengths at which the next bucket begins.
            bucket_batch_sizes: the batch size of each bucket; one more than there are boundaries.
            padded_shapes: as in `padded_batch`.
            padding_values: as in `padded_batch`.
            pad_to_bucket_boundary: pad to one below the bucket's upper boundary, not to the longest.
            no_padding: batch without padding.
            drop_remainder: whether to drop batches that are not full.
            name: ignored.
        """
        where = "tf.data.Dataset.bucket_by_sequence_length"
        check_callable(element_length_func, where, "element_length_func")
        boundaries = [read_count(b, where, "bucket_boundaries") for b in bucket_boundaries]
        sizes = [read_positive(s, where, "bucket_batch_sizes") for s in bucket_batch_sizes]
        check_buckets(boundaries, sizes)

        def key(*parts: Tensor) -> Any:
            length = read_count(element_length_func(*parts), where, "element_length_func")
            return np.int64(bucket_of(length, boundaries, pad_to_bucket_boundary))

        def batches(key: Any, window: Dataset) -> Dataset:
            size = sizes[int(key)]
            if no_padding:
                return window.batch(size, drop_remainder)
            shapes = padded_shapes
            if pad_to_bucket_boundary:
                shapes = _bounded(window, padded_shapes, boundaries[int(key)] - 1)
            return window.padded_batch(size, shapes, padding_values, drop_remainder)

        def alike(key: Any, window: Dataset) -> Dataset:
            """Batches of any size and length: buckets differ in both."""
            if no_padding:
                return window.batch(sizes[int(key)])
            return window.padded_batch(sizes[int(key)], padded_shapes, padding_values)

        return self._then(GroupByWindow(self._pipe, key, batches, lambda number: sizes[number], alike))


def _bounded(window: Dataset, shapes: Any, bound: int) -> list[Any]:
    """Padded shapes in which dimensions that are left open are as large as the bucket allows."""
    found, _ = padding(window._pipe, shapes, None)
    return window._pipe.structure.pack([[bound if d is None else d for d in shape] for shape in found])
