"""Normalisation layers, on the ops of `tapeflow.ops.nn.norm`.

`Normalization`, which scales features of data, is in `layers.features`.
"""
