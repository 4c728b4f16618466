"""`tf.experimental.numpy.random`."""

from tapeflow.ops.numpy_random import poisson as poisson
from tapeflow.ops.numpy_random import rand as rand
from tapeflow.ops.numpy_random import randint as randint
from tapeflow.ops.numpy_random import randn as randn
from tapeflow.ops.numpy_random import random as random
from tapeflow.ops.numpy_random import seed as seed
from tapeflow.ops.numpy_random import standard_normal as standard_normal
from tapeflow.ops.numpy_random import uniform as uniform
