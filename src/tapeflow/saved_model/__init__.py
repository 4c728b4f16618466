"""`tf.saved_model`: save and load the computation of an object, without its Python code.

`saving` writes a folder: `saved_model.json` (what there is, with checksums), a StableHLO program for each function
(`engine.portable`), and `variables.safetensors` (`tapeflow.train`). `loading` runs what `saving` wrote. The
folders that TensorFlow calls SavedModels hold TensorFlow's graphs: `reading` loads them, and `interpreter` runs them.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
