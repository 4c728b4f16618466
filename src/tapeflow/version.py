"""`tf.version`: which TapeFlow this is."""

import tapeflow

VERSION = tapeflow.__version__
"""TapeFlow's own version."""
