"""From a recorded trace to results: keys, lowering, compiling, running, and the profile of it.

`steps` decides when a step runs, `running` runs it, `program` holds a compiled one, `repeat` runs many calls of a step
in one program, `host` interprets a few small ops without compiling.
"""
