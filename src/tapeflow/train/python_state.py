"""`tf.train.experimental.PythonState`: state of the user's own that is saved with a checkpoint."""

from __future__ import annotations


class PythonState:
    """The base class of objects that write themselves down as text or bytes, and read that again.

    >>> class Count(tf.train.experimental.PythonState):
    ...     value = 0
    ...
    ...     def serialize(self):
    ...         return str(self.value)
    ...
    ...     def deserialize(self, string_value):
    ...         self.value = int(string_value)
    >>> checkpoint = tf.train.Checkpoint(count=Count())
    """

    def serialize(self) -> str | bytes:
        """The current value, as text or bytes."""
        raise NotImplementedError(f"{type(self).__name__} expected a method `serialize(self)`; it has none.")

    def deserialize(self, string_value: bytes) -> None:
        """Become what was written down; it comes as bytes."""
        raise NotImplementedError(
            f"{type(self).__name__} expected a method `deserialize(self, string_value)`; it has none."
        )
