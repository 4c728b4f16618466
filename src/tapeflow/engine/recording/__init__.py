"""From a call of an op to an entry in the thread's trace: ops, nodes, the recorder, symbolic arguments.

Nothing runs here. `engine.programs` compiles and runs what was recorded.
"""
