"""`tf.keras.metrics`: metrics that accumulate over batches.

`metric` has the base class, `reduction` and `wrapper` the means that most metrics are; then a file a
family: `accuracies`, `loss_metrics`, `confusion`, `operating_point`, `auc`, `iou`, `f_score`, `r2`,
`correlation`. `serialization` finds a metric by its name, `resolve` decides by shape what 'accuracy' means.

An update records a handful of nodes at most and never reads a value; the kernels that make this so are
in `ops.training.metric_totals` and `ops.training.confusion_counts`. What is not here: the losses, whose
functions are offered under this name too, and which metrics a model has (`keras.training`).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
