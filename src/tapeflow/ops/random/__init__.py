"""`tf.random`: random tensors from the global state, from a `Generator`, and from explicit seeds.

`kernel` and `counts` are pure functions of a key, `draw` reads the arguments that all ways to draw share. The state
itself is `engine.random`.
"""
