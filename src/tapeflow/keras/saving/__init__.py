"""Names and files of Keras objects: `tf.keras.saving`.

`registry` turns objects into configs, `family` makes objects of configs again and decides what a config may name;
neither knows of files or weights. `model_file`, `model_loading` and `weight_file` are what `save`, `load_model`,
`save_weights` and `load_weights` call: they find the format that a path or a file's content means. Models import what
saves them, so what is here knows them by their roots (`keras.models.kinds`). The formats:

- `archive`: a `.keras` file, Keras 3's zip of `config.json`, `metadata.json` and `model.weights.h5`. A path
  without an extension is a folder with such a file, `model.keras`, in it (TensorFlow's SavedModels are
  neither written nor read).
- `weight_tree`: the HDF5 file of `.weights.h5` and inside `.keras`: one group for each object, found by the
  attributes that lead to it.
- `layer_groups`: the HDF5 layout of Keras 2's `.h5`: one group for each layer of the model, in order.
- `named_weights`: `.safetensors`, by the weights' names. Weights saved under a path without a known extension
  are a checkpoint, as with TensorFlow: `tapeflow.train` writes and restores it.

`mismatch` is the error about weights that do not fit. `keras3_form` and `keras3_ops` write and read configs as
Keras 3 has them, `training_state` what `compile` was given and what the optimizer remembers. `copies` puts models
into pickles. `hdf5`, `heap_check`, `chunk_check`, `load_budget` and `archive` are the care taken with files: nothing in
one runs code, reads another file or has memory taken out of proportion to its size; `config_errors` is the error about
a config that makes no sense. `tapeflow.train.atomic` replaces a file only by one that is whole. Layers are
not made here: they make themselves from configs.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
