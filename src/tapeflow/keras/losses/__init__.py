"""`tf.keras.losses`: loss functions and classes.

A loss is a function `(y_true, y_pred) -> one value per sample`, and a class of the same name that also
weighs the samples and reduces them to a scalar. `loss` holds the base class, `reduction` the weighting
and averaging all share, `inputs` what every function does to its arguments first. The functions are
grouped by what they compare: `regression`, `crossentropy`, `focal`, `divergence`, `margin`, `overlap`,
`embedding` and `alignment`. `serialization` finds losses by name, `shape_warning` speaks up when shapes
broadcast by accident, and `describe` says in words what a loss computes.

What is not here: which loss belongs to which output of a model, and the order of labels and weights in
a batch (`keras.training`). The kernels of the most used losses are in `tapeflow.ops.training.loss`.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
