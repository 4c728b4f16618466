"""`tf.experimental`: of TensorFlow's experiments the one that guides use, `numpy`."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
