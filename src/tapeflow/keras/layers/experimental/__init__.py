"""`tf.keras.layers.experimental`: older names of layers."""

from tapeflow.keras.layers.experimental import preprocessing as preprocessing
from tapeflow.keras.layers.general.einsum_dense import EinsumDense as EinsumDense
from tapeflow.keras.layers.general.random_fourier_features import (
    RandomFourierFeatures as RandomFourierFeatures,
)
from tapeflow.keras.layers.norm.batch_normalization import BatchNormalization

# Under a strategy, BatchNormalization sees the batch of all replicas as it is.
SyncBatchNormalization = BatchNormalization
