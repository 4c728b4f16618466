"""Kernels that exist for `tf.keras` alone: losses, totals of metrics, and whole optimizer steps, one op each.

A training step then records a few nodes instead of dozens. Public losses on logits are `ops.nn.cross_entropy`.
"""
