from . import numpy as numpy
from .optional import Optional as Optional
