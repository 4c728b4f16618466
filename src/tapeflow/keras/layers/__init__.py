"""`tf.keras.layers`: the layers of Keras, and `Layer`, the base class for your own.

`base` holds what every layer is: `base.layer`, on `weight_owner` (weights), `loss_owner` (losses and metrics added in a
call) and `layer_history` (its calls in functional models). The symbolic side is `keras.graph`'s, models are
`keras.models`'s, and the arithmetic is `tf` ops.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
