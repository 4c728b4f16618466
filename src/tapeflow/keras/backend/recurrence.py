"""`K.rnn`: a step function over the time axis."""

from tapeflow.keras.layers.sequence.recurrence import rnn as rnn

__all__ = ["rnn"]
