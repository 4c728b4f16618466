"""`tf.keras.backend`: Keras 2's own names for tensor functions, often imported as `K`.

For programs that use it; new code calls `tf` directly, and so does the rest of Keras. `settings` holds
what is global, `values` variables and draws, `numbers` arithmetic and reductions, `arranging` shapes,
`network` what layers compute, `phases` what differs between training and use, and `models` the functions
that need a model. What only made sense for graphs and sessions is not here.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
