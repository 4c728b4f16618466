"""`tf.keras.preprocessing.sequence`."""

from tapeflow.keras.preprocessing.skipgrams import make_sampling_table as make_sampling_table
from tapeflow.keras.preprocessing.skipgrams import skipgrams as skipgrams
from tapeflow.keras.preprocessing.timeseries_generator import TimeseriesGenerator as TimeseriesGenerator
from tapeflow.keras.utils.padding import pad_sequences as pad_sequences
