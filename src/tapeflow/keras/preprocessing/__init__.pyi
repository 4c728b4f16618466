from . import image as image
from . import sequence as sequence
from . import text as text
from .datasets import image_dataset_from_directory as image_dataset_from_directory
from .datasets import text_dataset_from_directory as text_dataset_from_directory
from .datasets import timeseries_dataset_from_array as timeseries_dataset_from_array
