"""`tf.random`: seeds, distributions, generators and the stateless forms."""

from tapeflow.engine.random import set_seed as set_seed
from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.nn.candidate_hits import all_candidate_sampler as all_candidate_sampler
from tapeflow.ops.nn.candidates import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from tapeflow.ops.nn.candidates import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from tapeflow.ops.nn.candidates import uniform_candidate_sampler as uniform_candidate_sampler
from tapeflow.ops.random.distributions import categorical as categorical
from tapeflow.ops.random.distributions import gamma as gamma
from tapeflow.ops.random.distributions import normal as normal
from tapeflow.ops.random.distributions import poisson as poisson
from tapeflow.ops.random.distributions import shuffle as shuffle
from tapeflow.ops.random.distributions import truncated_normal as truncated_normal
from tapeflow.ops.random.distributions import uniform as uniform
from tapeflow.ops.random.generator import Generator as Generator
from tapeflow.ops.random.generator import create_rng_state as create_rng_state
from tapeflow.ops.random.generator import get_global_generator as get_global_generator
from tapeflow.ops.random.generator import set_global_generator as set_global_generator
from tapeflow.ops.random.stateless import Algorithm as Algorithm
from tapeflow.ops.random.stateless import fold_in as fold_in
from tapeflow.ops.random.stateless import split as split
from tapeflow.ops.random.stateless import stateless_binomial as stateless_binomial
from tapeflow.ops.random.stateless import stateless_categorical as stateless_categorical
from tapeflow.ops.random.stateless import stateless_gamma as stateless_gamma
from tapeflow.ops.random.stateless import stateless_normal as stateless_normal
from tapeflow.ops.random.stateless import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from tapeflow.ops.random.stateless import stateless_poisson as stateless_poisson
from tapeflow.ops.random.stateless import stateless_truncated_normal as stateless_truncated_normal
from tapeflow.ops.random.stateless import stateless_uniform as stateless_uniform
from tapeflow.random import experimental as experimental

_dispatch_all(globals())
