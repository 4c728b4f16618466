"""`tf.distribute.ParameterServerStrategy`, for the programs that ask whether a strategy is one, or derive from it."""

from tapeflow.engine.absent import absent

ParameterServerStrategy = absent(
    "tf.distribute.ParameterServerStrategy",
    "There are no parameter servers: use tf.distribute.MultiWorkerMirroredStrategy for several processes, or "
    "tf.keras.distribution to keep a part of each Variable on each device.",
)
