"""`tf.train`: checkpoints, and protocol buffers for TFRecord files.

A checkpoint holds the values of all that an object leads to, by the names of the attributes that lead there,
so that it can be restored into other objects of the same structure, also into ones that are not made yet.

- `trackable` says what an object is made of; `checkpoint` writes that, `restoration` matches it with objects, and
  with what lists and dicts get later (`growing`).
- `checkpoint_state` is the file `checkpoint` of a folder, which names the latest one, `checkpoint_manager` keeps
  the last few, and `checkpoint_reader` looks into one.
- `tensor_file` is the file itself: safetensors, with checksums. `tensor_bundle` reads TensorFlow's in its place, with
  `object_graph`, its graph of objects. `open_file` is what both read from. `plain_state` puts other state, such as
  where an iterator is, into it. `atomic` replaces files whole or not at all; `background` writes them while training
  goes on.
- `object_views` shows the objects and the nodes of a file; `exponential_moving_average`, `coordinator` and
  `cluster_spec` are what else TensorFlow has under this name.

No file is ever unpickled. Whole models, with their architecture, are `tapeflow.keras.saving`'s; what `fit`
needs to go on where it stopped is collected by `tapeflow.keras.training.resume`.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
