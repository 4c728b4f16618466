"""`tf.nest`: structures of lists, tuples and dicts."""

from tapeflow.engine.nest import assert_same_structure as assert_same_structure
from tapeflow.engine.nest import flatten as flatten
from tapeflow.engine.nest import is_nested as is_nested
from tapeflow.engine.nest import map_structure as map_structure
from tapeflow.engine.nest import pack_sequence_as as pack_sequence_as
