"""`tf.keras.optimizers`: optimizers.

`optimizer` is the base class, with what every step has around its arithmetic; `state` is what it
remembers, `rate` its learning rate, `gradients` what it makes of what it is given. `fused` makes a whole
step one op, whose arithmetic lies in `ops.optimizer_rules`; the files named after optimizers hold their
arguments and what they remember. `serialization` finds them by name, `schedules` are rates that change with the
step, `legacy` and `experimental` are names of old. Loss scaling is in `keras.mixed_precision`, and what
calls an optimizer in `keras.training`.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
