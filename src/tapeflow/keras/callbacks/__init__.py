"""`tf.keras.callbacks`: objects that `fit`, `evaluate` and `predict` call on each event.

`callback` is the base class with every hook, `callback_list` calls many as one and knows which batch
hooks anybody wants, `logs` is the dict they are handed, whose values are read only when looked at. Every
other file is one callback or one pair of them. What decides *when* a hook is called is `keras.training`;
what a progress bar looks like is `keras.utils`; writing event files is `tapeflow.summary`'s.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
