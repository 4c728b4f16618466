"""`tf.keras.preprocessing.sequence`."""

from tapeflow.keras.utils.padding import pad_sequences as pad_sequences
