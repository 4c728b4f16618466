"""`tf.data`: input pipelines.

A `Dataset` (the public face: `dataset` and the `dataset_...` modules it is put together of) stands on a chain
of pipes (`pipe`): sources and steps, one idea a module. One pass over a pipe is a stream; streams hand over
handles in blocks, and `rows` makes elements of them, so that `from_tensor_slices -> shuffle -> repeat -> batch`
is one gather a batch. Among several workers, each of which reads data of its own, `worker_batches` makes batches for
all. The folders: `sources`, `steps`, and `functions`, which calls the user's functions. Every
stream has a state that can be saved and restored. Nothing here knows of models or JAX: elements are numpy
arrays (`composites`: or ragged and sparse tensors) until `iterator` hands them to the user as tensors. What files
hold is `tapeflow.io`'s business.

Names are listed in `__init__.pyi` and imported when first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
