"""`tf.keras.optimizers.schedules`: learning rates that depend on the step.

A schedule is a function of the step with a config. `schedule` is the base class, and how one is saved;
the others are Keras's own, grouped by shape. A schedule belongs to the optimizer; rates that change at
the end of an epoch are a callback's business (`keras.callbacks`).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
