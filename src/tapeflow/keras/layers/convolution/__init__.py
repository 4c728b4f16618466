"""Convolutional layers, on the ops of `tapeflow.ops.nn.conv`. Pooling is `layers.pool`."""
