"""`tf.keras.applications`: well-known image networks, with Keras's layer names and order, so its files load.

One network a module, each with its `preprocess_input` and `decode_predictions`; `assembly` is what they share:
input shapes, heads and weight files; `imagenet_utils` scales pixels and names classes. They are ordinary
functional models made of `keras.layers`. Weights come from a local file, from the models folder of `KERAS_HOME`,
or, for `weights="imagenet"`, from Keras's own address.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
