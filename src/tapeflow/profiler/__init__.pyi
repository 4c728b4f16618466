# The public names of `tf.profiler`. `__init__.py` imports each one when it is first used.
from . import experimental as experimental
