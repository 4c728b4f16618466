"""Where `fit`, `evaluate` and `predict` take their batches from.

`make_source` (`selection`) looks at what the user handed in and gives a `Source`: `arrays` (anything with
rows, read through `columns`), `stream` (tf.data datasets, generators, any iterable) or `indexed`
(`utils.Sequence`, whose batches a `pool` of threads or processes may fetch). An epoch is a series of
`Group`s: one batch, or several of equal shape stacked on a new leading axis so that one program can run
them all. Grouping never changes which batches come in which order. Values are numpy arrays throughout, but for
ragged and sparse tensors (`composites`); `leaves` says what becomes of each kind of input.

Around it: `single` (one batch, for `train_on_batch`), `samples` (what arrays must agree on), `class_weight`,
`split` (validation_split) and `prefetch`, which gathers on a thread while the device computes. Nothing here
knows models, losses or callbacks: the loop that uses these is in `keras.training`.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
