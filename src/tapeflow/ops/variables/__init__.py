"""Writing into Variables: by rows, by elements, and by ops that compute the new value.

`Variable` itself is `engine.values.variable`.
"""
