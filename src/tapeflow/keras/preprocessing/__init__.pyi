from . import image as image
from . import sequence as sequence
