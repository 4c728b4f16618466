from . import numpy as numpy
