"""Branches and loops as ops: `tf.cond`, `tf.while_loop`, `tf.map_fn`, `TensorArray`, and functions in Python.

Python's own `if` and `while` in converted functions are `ops.autograph`, recorded with the ops of this folder.
"""
