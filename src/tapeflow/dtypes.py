"""`tf.dtypes`: element types and conversion between them."""

from tapeflow.engine.values.dtypes import DType as DType
from tapeflow.engine.values.dtypes import as_dtype as as_dtype
from tapeflow.engine.values.dtypes import bfloat16 as bfloat16
from tapeflow.engine.values.dtypes import bool as bool
from tapeflow.engine.values.dtypes import complex64 as complex64
from tapeflow.engine.values.dtypes import complex128 as complex128
from tapeflow.engine.values.dtypes import double as double
from tapeflow.engine.values.dtypes import float16 as float16
from tapeflow.engine.values.dtypes import float32 as float32
from tapeflow.engine.values.dtypes import float64 as float64
from tapeflow.engine.values.dtypes import half as half
from tapeflow.engine.values.dtypes import int8 as int8
from tapeflow.engine.values.dtypes import int16 as int16
from tapeflow.engine.values.dtypes import int32 as int32
from tapeflow.engine.values.dtypes import int64 as int64
from tapeflow.engine.values.dtypes import qint8 as qint8
from tapeflow.engine.values.dtypes import qint16 as qint16
from tapeflow.engine.values.dtypes import qint32 as qint32
from tapeflow.engine.values.dtypes import quint8 as quint8
from tapeflow.engine.values.dtypes import quint16 as quint16
from tapeflow.engine.values.dtypes import resource as resource
from tapeflow.engine.values.dtypes import string as string
from tapeflow.engine.values.dtypes import uint8 as uint8
from tapeflow.engine.values.dtypes import uint16 as uint16
from tapeflow.engine.values.dtypes import uint32 as uint32
from tapeflow.engine.values.dtypes import uint64 as uint64
from tapeflow.engine.values.dtypes import variant as variant
from tapeflow.ops.math.casting import cast as cast
from tapeflow.ops.math.casting import complex as complex
from tapeflow.ops.math.casting import saturate_cast as saturate_cast

QUANTIZED_DTYPES = frozenset({qint8, quint8, qint16, quint16, qint32})
