"""Layers under the names they had before they were settled: `tf.keras.layers.experimental`."""

from tapeflow.keras.layers.batch_normalization import BatchNormalization
from tapeflow.keras.layers.einsum_dense import EinsumDense as EinsumDense
from tapeflow.keras.layers.experimental import preprocessing as preprocessing
from tapeflow.keras.layers.random_fourier_features import RandomFourierFeatures as RandomFourierFeatures

# Under a strategy, BatchNormalization sees the batch of all replicas as it is.
SyncBatchNormalization = BatchNormalization
