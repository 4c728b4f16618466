"""`tf.keras.preprocessing`: images, sequences and texts prepared with NumPy, as older scripts do.

`image` has generators of changed images (`image_data_generator`, `image_batches`, `image_changes`), `text` the
Tokenizer, `sequence` windows and pairs of sequences. None of it is part of a model: that is `keras.layers`. What
`tf.keras.utils` has too is only named here.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
