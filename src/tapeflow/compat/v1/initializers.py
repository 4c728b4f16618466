"""`tf.compat.v1.initializers`: Keras's initializers under TensorFlow 1's names and with its defaults."""

from __future__ import annotations

from functools import partial

from tapeflow.compat.v1.behavior import tables_initializer as tables_initializer
from tapeflow.keras.initializers import Constant as constant
from tapeflow.keras.initializers import GlorotNormal as glorot_normal
from tapeflow.keras.initializers import GlorotUniform as glorot_uniform
from tapeflow.keras.initializers import (
    HeNormal,
    HeUniform,
    LecunNormal,
    LecunUniform,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
)
from tapeflow.keras.initializers import Ones as ones
from tapeflow.keras.initializers import Orthogonal as orthogonal
from tapeflow.keras.initializers import VarianceScaling as variance_scaling
from tapeflow.keras.initializers import Zeros as zeros

he_normal, he_uniform = HeNormal, HeUniform
lecun_normal, lecun_uniform = LecunNormal, LecunUniform

# Keras's own have a standard deviation of 0.05, and numbers from -0.05 to 0.05.
random_normal = partial(RandomNormal, mean=0.0, stddev=1.0)
truncated_normal = partial(TruncatedNormal, mean=0.0, stddev=1.0)
random_uniform = partial(RandomUniform, minval=0.0, maxval=1.0)

constant_initializer = constant
glorot_normal_initializer = glorot_normal
glorot_uniform_initializer = glorot_uniform
ones_initializer = ones
orthogonal_initializer = orthogonal
random_normal_initializer = random_normal
random_uniform_initializer = random_uniform
truncated_normal_initializer = truncated_normal
variance_scaling_initializer = variance_scaling
zeros_initializer = zeros
