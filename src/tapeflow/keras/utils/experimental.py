"""`tf.keras.utils.experimental`."""

from tapeflow.keras.utils.dataset_creator import DatasetCreator as DatasetCreator
