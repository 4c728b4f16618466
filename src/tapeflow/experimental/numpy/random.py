"""`tf.experimental.numpy.random`."""

from tapeflow.ops.numpy.random import poisson as poisson
from tapeflow.ops.numpy.random import rand as rand
from tapeflow.ops.numpy.random import randint as randint
from tapeflow.ops.numpy.random import randn as randn
from tapeflow.ops.numpy.random import random as random
from tapeflow.ops.numpy.random import seed as seed
from tapeflow.ops.numpy.random import standard_normal as standard_normal
from tapeflow.ops.numpy.random import uniform as uniform
