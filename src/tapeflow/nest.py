"""`tf.nest`: structures of lists, tuples and dicts."""

from tapeflow.engine.values.nest import assert_same_structure as assert_same_structure
from tapeflow.engine.values.nest import flatten as flatten
from tapeflow.engine.values.nest import is_nested as is_nested
from tapeflow.engine.values.nest import map_structure as map_structure
from tapeflow.engine.values.nest import pack_sequence_as as pack_sequence_as
