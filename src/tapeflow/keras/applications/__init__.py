"""`tf.keras.applications`: well-known image networks, with Keras's layer names and order, so its files load.

One family of networks a module, each with its `preprocess_input` and `decode_predictions`: a table of blocks, a
function for each kind of block. They are ordinary functional models made of `keras.layers`. What they share:
`assembly`, their arguments, heads and weight files; `sizes`, padding and widths; `pixels`, ImageNet's means;
`vgg`, `residual_block`, `inception_block` and `mobile_block`, what several families are made of; `scale_layers`, the
two layers that are only theirs. `imagenet_utils` scales pixels and names classes. Weights come from a local file,
from the models folder of `KERAS_HOME`, or, for `weights="imagenet"`, from Keras's own address.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
