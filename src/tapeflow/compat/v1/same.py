"""Names of TensorFlow 1 that mean what TensorFlow 2 has, some of it under another name."""

from tapeflow import config as config
from tapeflow import keras as keras
from tapeflow.compat.v1 import io as _io
from tapeflow.engine import random as _random
from tapeflow.engine.values.dimension import Dimension as Dimension
from tapeflow.ops.debugging.introspection import executing_eagerly as executing_eagerly

python_io = _io


executing_eagerly_outside_functions = executing_eagerly
set_random_seed = _random.set_seed
