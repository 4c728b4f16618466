"""Recorded functions as TensorFlow GraphDefs, for the board's graph view and for SavedModels.

`nodes` says how each op is written; `function_graphs` and `graph_export` put the nodes together.
"""
