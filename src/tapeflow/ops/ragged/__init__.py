"""Ragged tensors: rows of different lengths, as `tf.RaggedTensor`.

A ragged tensor is values, one row after the other, and where each row begins (`tensor`). The places live on
the host, the values are ordinary tensors, so gradients pass. Public ops that meet one hand their call over
(`engine.symbolic`) to `dispatch`, which finds out what the op means for it: the same for all values, or one
of the functions of `arranging`, `reducing` and `indexing`. Nothing here is staged: a `tf.function` that
takes ragged tensors runs as Python. Training pads the values of its batches (`roomy`), so that they share programs.
"""

from tapeflow.ops.ragged import dispatch

dispatch.install()
