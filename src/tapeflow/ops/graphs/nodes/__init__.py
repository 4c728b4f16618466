"""Recorded functions as TensorFlow's nodes: what SavedModels and ONNX models are written from.

- `interfaces` knows what TensorFlow's ops take and give (`interfaces.json`, written by a script from TensorFlow).
- `function_body` puts nodes together to a function: constants, sizes, values from functions around it.
- `recording` records a Python function on arguments of several sizes; `sizes` finds out how the sizes in the records
  follow from those of the arguments, so that these may stay open.
- `lowering` makes nodes of the recorded ops. An op with a rule in `op_rules` becomes the TensorFlow op that it
  stands for; of others the kernel is traced, and each JAX primitive in it becomes a few nodes (`rules_*`).

Nothing is written here and nothing runs. What cannot be said in TensorFlow's ops raises `CannotLower`.
"""
