"""`tf.keras.initializers`: initial values of weights.

Values are made by numpy on the host, so that building a model compiles nothing. `initializer` is the
base class, `fixed`, `random` and `spectrum` hold the kinds, `serialization` finds them by name, and `fresh` has
the kinds of TensorFlow itself. Where and when a weight is made is up to the layer.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
