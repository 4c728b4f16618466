"""Training: what `compile` adds to a layer, then steps of one batch, then `fit` and its like over many.

- `compilation`, `steps` and `trainer`: the classes below `Model`, each of which derives from the one before.
- `fitting`: the epochs of `fit`. `loop`: the batches of an epoch, for `fit`, `evaluate` and `predict` alike; what sets
  the three apart is in `mode`.
- `staged_steps` and `running`: a step as a program. `sources`: from data to batches. `resume`: going on after an end.
"""
