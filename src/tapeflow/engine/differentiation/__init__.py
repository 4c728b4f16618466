"""Gradients: tapes, the node that stands for a gradient, and `tf.gradients`.

Derivatives of single ops belong to the ops; JAX differentiates their kernels.
"""
