"""`tf.experimental.Optional`: an element that may not be there."""

from tapeflow.data.iterator import Optional as Optional
