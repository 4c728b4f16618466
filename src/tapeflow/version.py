"""`tf.version`: the version of TapeFlow."""

import platform

import tapeflow

VERSION = tapeflow.__version__
"""TapeFlow's own version."""

GIT_VERSION = f"tapeflow-{tapeflow.__version__}"
COMPILER_VERSION = platform.python_compiler()
