"""`tf.summary.profile`: profiles read and judged. numpy and protobuf only, so that the board needs no JAX for it.

`records` reads the step-phase record that `tapeflow.profiler` writes, `xplane` JAX's and TensorFlow's XPlane files with
the help of `modules` (what the compiled instructions are), `verdicts` says what training waits for, `remedies` what its
input pipeline lacks, `report` puts it into words, `profiles` finds the files and holds it all together. Taking profiles
is `tapeflow.profiler`; drawing them is the board's.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
