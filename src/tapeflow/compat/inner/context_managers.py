"""`tensorflow.python.util.tf_contextlib`: Python's `contextmanager`."""

from contextlib import contextmanager as contextmanager

__all__ = ["contextmanager"]
