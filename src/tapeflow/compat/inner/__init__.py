"""What TensorFlow has in inner modules and nowhere else, for the packages that import it from there.

A module here stands for one of `tensorflow.python`, `tensorflow.__internal__` or `keras.__internal__`, by the tables in
`compat.internals` and `compat.names`. Whatever exists under a public name is not here: the tables name it.
"""
