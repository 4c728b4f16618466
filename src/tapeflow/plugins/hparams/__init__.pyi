from . import api as api
