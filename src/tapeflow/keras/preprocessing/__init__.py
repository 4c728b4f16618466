"""`tf.keras.preprocessing`: the older address of what `tf.keras.utils` has for sequences and images."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
