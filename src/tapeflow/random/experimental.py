"""`tf.random.experimental`: generators, and stateless seeds and shuffles under their older names."""

from tapeflow.ops import stateless_random as _stateless
from tapeflow.ops.generator import Generator as Generator
from tapeflow.ops.generator import create_rng_state as create_rng_state
from tapeflow.ops.generator import get_global_generator as get_global_generator
from tapeflow.ops.generator import set_global_generator as set_global_generator
from tapeflow.ops.stateless_random import Algorithm as Algorithm
from tapeflow.ops.stateless_random import index_shuffle as index_shuffle
from tapeflow.ops.stateless_random import stateless_shuffle as stateless_shuffle

stateless_fold_in = _stateless.fold_in
stateless_split = _stateless.split
