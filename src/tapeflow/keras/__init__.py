"""The Keras part of the namespace: `tf.keras`.

Names are listed in `__init__.pyi` and imported when first used, so `tf.keras.datasets` does not
pay for anything else here.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
