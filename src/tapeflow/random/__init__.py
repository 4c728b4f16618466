"""`tf.random`: seeds, distributions, generators and the stateless forms."""

from tapeflow.engine.random import set_seed as set_seed
from tapeflow.engine.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.candidate_hits import all_candidate_sampler as all_candidate_sampler
from tapeflow.ops.candidates import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from tapeflow.ops.candidates import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from tapeflow.ops.candidates import uniform_candidate_sampler as uniform_candidate_sampler
from tapeflow.ops.generator import Generator as Generator
from tapeflow.ops.generator import create_rng_state as create_rng_state
from tapeflow.ops.generator import get_global_generator as get_global_generator
from tapeflow.ops.generator import set_global_generator as set_global_generator
from tapeflow.ops.random import categorical as categorical
from tapeflow.ops.random import gamma as gamma
from tapeflow.ops.random import normal as normal
from tapeflow.ops.random import poisson as poisson
from tapeflow.ops.random import shuffle as shuffle
from tapeflow.ops.random import truncated_normal as truncated_normal
from tapeflow.ops.random import uniform as uniform
from tapeflow.ops.stateless_random import Algorithm as Algorithm
from tapeflow.ops.stateless_random import fold_in as fold_in
from tapeflow.ops.stateless_random import split as split
from tapeflow.ops.stateless_random import stateless_binomial as stateless_binomial
from tapeflow.ops.stateless_random import stateless_categorical as stateless_categorical
from tapeflow.ops.stateless_random import stateless_gamma as stateless_gamma
from tapeflow.ops.stateless_random import stateless_normal as stateless_normal
from tapeflow.ops.stateless_random import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from tapeflow.ops.stateless_random import stateless_poisson as stateless_poisson
from tapeflow.ops.stateless_random import stateless_truncated_normal as stateless_truncated_normal
from tapeflow.ops.stateless_random import stateless_uniform as stateless_uniform
from tapeflow.random import experimental as experimental

_dispatch_all(globals())
