"""`tf.train.experimental`."""

from tapeflow.train.python_state import PythonState as PythonState
