"""`tensorflow.python.distribute.values`: Variables of several replicas, of which there are none.

A Variable is one here however many devices it is on, so `isinstance` with these is false.
"""

from tapeflow.engine.absent import absent as _absent

_ADVICE = "A tf.Variable is one object under any strategy: use it as it is."

AggregatingVariable = _absent("AggregatingVariable", _ADVICE)
DistributedVariable = _absent("DistributedVariable", _ADVICE)
MirroredVariable = _absent("MirroredVariable", _ADVICE)
SyncOnReadVariable = _absent("SyncOnReadVariable", _ADVICE)
