from . import layout_pb2 as layout_pb2
from . import summary as summary
