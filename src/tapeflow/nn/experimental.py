"""`tf.nn.experimental`: dropout with a stateless seed."""

from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.nn.dropout import general_dropout as general_dropout
from tapeflow.ops.nn.dropout import stateless_dropout as stateless_dropout

_dispatch_all(globals())
