"""Normalisation by moments: of the batch, of each sample, and the older functions of `tf.nn`."""
