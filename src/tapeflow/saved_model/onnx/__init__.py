"""ONNX models, made of the TensorFlow nodes that SavedModels are made of too.

- `exporting` has a Keras model lowered to TensorFlow's nodes (`tapeflow.ops.graphs.nodes`) and writes the file.
- `conversion` walks through the nodes of a function and calls a rule for each; `control` has the rules of branches and
  loops, whose bodies become subgraphs.
- The other rules are in tables by topic: `elementwise`, `arrays`, `layers`.
- `graph` puts ONNX nodes together; `backend` imports the `onnx` package, an extra, for all of them.

Variables become constants. A node without a rule is named in the error, before anything is written.
"""
