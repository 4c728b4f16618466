"""Sparse tensors: values and where they stand in a tensor of zeros, as `tf.SparseTensor`.

Where values stand is known to the host; the values are an ordinary tensor, so gradients pass.
"""
