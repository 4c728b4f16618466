"""Training: from data to batches (`sources`), the staged step (`staged_steps`), the loop over it, and what it says.

`loop` is the same for `fit`, `evaluate` and `predict`: what differs is in `mode`.
"""
