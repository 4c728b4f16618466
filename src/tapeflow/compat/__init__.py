"""`tf.compat`: older names of TensorFlow, and `import tensorflow` resolved to TapeFlow.

    import tapeflow.compat

    tapeflow.compat.install()
    import tensorflow as tf  # TapeFlow

`install` puts a finder in front of Python's own; scripts then run unchanged. `tensorflow` and `keras` are
thin modules of their own, so that each can tell a version; everything below them (`tensorflow.keras.layers`)
is TapeFlow's module itself, never a copy. `names` says which name stands for which module, and `internals` which
public ones answer for `tensorflow.python`; `namespace` is the thin module, `finder` is what Python asks.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
