"""`tf.distribute.TPUStrategy`, for the programs that ask whether a strategy is one, or derive from it."""

from tapeflow.engine.absent import absent

TPUStrategy = absent(
    "tf.distribute.TPUStrategy",
    "There are no TPUs: use tf.distribute.MirroredStrategy, or tf.distribute.get_strategy() for one device.",
)
