"""`tf.keras.distribution`: how Variables and batches lie on a mesh of devices, as Keras 3 spells it.

`mesh` has the devices and how one value lies on them, `layout_map` the rules by which Variables and outputs of layers
find their layout, `distributions` what applies them. Below it, `engine.placement` does the work. Strategies of
`tf.distribute` are the other way to the same placement; those have no layouts.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
