"""`tf.strings`: text in tensors. Strings live on the host, so each function reads its inputs at once."""

from tapeflow.engine.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.printing import string_format as format
from tapeflow.ops.string_conversion import as_string as as_string
from tapeflow.ops.string_conversion import to_number as to_number
from tapeflow.ops.text import join as join
from tapeflow.ops.text import length as length
from tapeflow.ops.text import lower as lower
from tapeflow.ops.text import upper as upper

__all__ = ["as_string", "format", "join", "length", "lower", "to_number", "upper"]

_dispatch_all(globals())
