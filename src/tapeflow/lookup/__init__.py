"""`tf.lookup`: tables from keys to values, on the host.

Names are listed in `__init__.pyi` and imported when first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
