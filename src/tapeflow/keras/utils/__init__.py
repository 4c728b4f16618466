"""`tf.keras.utils`: datasets from folders, downloads, seeds, one-hot vectors, diagrams of models and more.

Labels and arrays (`encoding`, `padding`), files (`files`, on `download`, which the data sets share),
progress (`progress`), seeds (`seeding`), images (`images`), folders of files (`directory_datasets`), a user's
batches (`sequence`, `enqueuers`) and batches as `fit` sees them (`samples`). Of models only `plot`, `graph_inputs`
and `sidecar_evaluator` know. None of it is imported before it is used, so
downloading a file needs no JAX.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
