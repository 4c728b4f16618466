"""Health: what is wrong with runs, judged from what the board reads anyway.

`trend` folds a series into a few hundred means, `rules` judges those and has all thresholds, `vitals` follows the signs
of life that runs capture, `watch` looks at what has changed on a thread of its own, and `webhook` passes alerts on.
"""
