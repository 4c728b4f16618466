"""`tf.io`: files, TFRecords, examples, images, csv and raw bytes.

All of it happens on the host, at once: what goes in and comes out is strings and arrays in tensors. Records
are framed as event files are (`summary.records`), messages are built from the same kind of `.proto` files.
`tapeflow.data` reads datasets with what is here; nothing here knows of datasets.

Names are listed in `__init__.pyi` and imported when first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
