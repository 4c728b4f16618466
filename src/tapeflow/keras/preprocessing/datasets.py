"""Keras 2's other names for the dataset helpers of `tf.keras.utils`."""

from tapeflow.keras.utils.directory_datasets import (
    image_dataset_from_directory as image_dataset_from_directory,
)
from tapeflow.keras.utils.directory_datasets import text_dataset_from_directory as text_dataset_from_directory
from tapeflow.keras.utils.timeseries import timeseries_dataset_from_array as timeseries_dataset_from_array
