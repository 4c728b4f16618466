"""`tf.compat.v1`: the names of TensorFlow 1 that scripts written for TensorFlow 2 still call.

They switch logging, seeds and memory options, or turn on what is always on here. There is no graph mode:
what would need one says so. The other names of TensorFlow 1 are not here.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
