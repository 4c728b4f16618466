from . import summary as summary
