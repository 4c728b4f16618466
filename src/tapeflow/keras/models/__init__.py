"""`tf.keras.models`: Sequential, functional and subclassed models, loading, saving and cloning.

Training them (`compile`, `fit`, ...) is `keras.training`'s, which `Model` inherits; saving them is
`keras.saving`'s. Both know models by the roots of their classes, which are in `kinds`.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
