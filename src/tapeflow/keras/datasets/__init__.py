"""Data sets to learn on, as plain NumPy arrays: `tf.keras.datasets`.

`digits` is embedded in the package and needs no network. The others are the files that Keras
serves, kept where Keras keeps them (`$KERAS_HOME/datasets`, or `~/.keras/datasets`), so the two
share one cache.

What is not here: pipelines (`tf.data`) and downloading (`keras.utils.download`); and no JAX, so
loading data never waits for it. `source` ties a file to its address and hash, `unpickle` and `npz`
read the old pickled files without running anything in them, and `text`, `housing` and `cifar` hold
what two data sets have in common.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
