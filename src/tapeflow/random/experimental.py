"""`tf.random.experimental`: generators, and stateless seeds and shuffles under their older names."""

from tapeflow.ops.random import stateless as _stateless
from tapeflow.ops.random.generator import Generator as Generator
from tapeflow.ops.random.generator import create_rng_state as create_rng_state
from tapeflow.ops.random.generator import get_global_generator as get_global_generator
from tapeflow.ops.random.generator import set_global_generator as set_global_generator
from tapeflow.ops.random.stateless import Algorithm as Algorithm
from tapeflow.ops.random.stateless import index_shuffle as index_shuffle
from tapeflow.ops.random.stateless import stateless_shuffle as stateless_shuffle

stateless_fold_in = _stateless.fold_in
stateless_split = _stateless.split
