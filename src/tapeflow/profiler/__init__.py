"""`tf.profiler`: what takes time in training, written to files that XProf and `tf.summary.profile` read.

`session` starts and stops a profile, `recording` writes the step-phase record beside JAX's XPlane file, `tracing` marks
steps and spans, `client` and `server` profile another process; `experimental` holds the public names. Time is noted
where it is spent, by `engine.phases`; reading and judging the files is `tapeflow.summary.profile`, which needs no JAX.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
