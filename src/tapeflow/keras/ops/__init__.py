"""`tf.keras.ops`: Keras 3's functions, by the names and rules that it has for them, made of those of `tf`.

Python's fractions are of `floatx` and its integers of int32; where dtypes meet, fractions win. A functional model made
of these functions is one made of the `tf` functions behind them, and is saved as such. It does not have what other
backends need (`jvp`, `vectorize`).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
