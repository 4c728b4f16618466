"""`tensorflow.python.util.object_identity`: what `tensor.ref()` gives."""

from tapeflow.engine.values.reference import Reference as Reference
