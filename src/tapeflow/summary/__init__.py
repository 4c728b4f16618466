"""`tf.summary`: event files, written and read. numpy only: no JAX, and nothing of the rest of TapeFlow.

`kinds` has a module for each kind of summary (`scalars`, `images`, `confusions`, ...), `event_files` writes and reads
the files, `protos` holds their messages, `captured` records what a run is, `profile` reads profiles. `writer` and
`files` put events into a file from a thread of its own, `context` knows the default writer and step, `totals` adds up
what is logged batch by batch, `trials` reads hyperparameters back. What TapeFlow's own tensors need on top (values
still being computed, recorded functions, name scopes) is plugged in by `ops.debugging.summary` through `hooks`; the
board and the plugins build on this package and never the other way.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
