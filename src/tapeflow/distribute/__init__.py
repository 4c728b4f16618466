"""`tf.distribute`: training on several devices, of one machine or of many.

A strategy splits each batch over its devices and keeps every Variable on all of them. Inside `strategy.run`,
`fit` and `evaluate`, a step sees the whole batch: XLA splits the work (`tapeflow.engine.devices.placement`). So what
is recorded, staged and differentiated is the very step of one device, and its numbers are the same.

Where TensorFlow hands a function the examples of one replica, here it gets those of all. A loss that is
divided by the size of the whole batch, as TensorFlow asks for, is the same in both; what `run` returns is a value
of the whole batch, and reducing it over the replicas gives it back.

`multi_worker` joins the processes that `detection` finds; `roll_call` names those that do not come, and `watch` those
that hang.

Neighbours: `keras.training` splits the batches of `fit`; parameter servers and TPUs are not here.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
