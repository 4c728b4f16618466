"""`tf.summary`: event files, written and read. numpy only: no JAX, and nothing of the rest of TapeFlow.

`records` frames bytes with checksums, `protos` holds the messages, `encoding` and `tensors` turn values into
them, `writer` puts them into a file from a thread of its own, `context` knows the default writer and step.
Each kind of summary is a module (`scalars`, `images`, `confusions`, ...); `totals` adds up what is logged batch by
batch, and `drawing` helps those that draw. `reader` reads files back, `trials` and functions called `read_...` what
is spread over metadata and tags; `projector_checkpoints` and `sorted_table` look into checkpoints, ours and
TensorFlow's. What TapeFlow's own tensors need on top (values still being computed, recorded
functions, name scopes) is plugged in by `ops.summary` through `hooks`; the board and the plugins build on this
package and never the other way.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
