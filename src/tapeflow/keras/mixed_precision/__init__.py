"""`tf.keras.mixed_precision`: dtype policies and loss scaling.

`policy` says which dtypes a layer computes in and keeps, `autocast` makes its weights be read in the
compute dtype, `loss_scale_optimizer` keeps float16 gradients from vanishing. What is not here: which
layers cast their inputs, which is `keras.layers`' business.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
