# The public names of `tf.keras.distribution`. `__init__.py` imports each one when it is first used.
from .distributions import DataParallel as DataParallel
from .distributions import ModelParallel as ModelParallel
from .distributions import distribution as distribution
from .distributions import set_distribution as set_distribution
from .layout_map import LayoutMap as LayoutMap
from .mesh import DeviceMesh as DeviceMesh
from .mesh import TensorLayout as TensorLayout
from .mesh import distribute_tensor as distribute_tensor
from .mesh import get_device_count as get_device_count
from .mesh import list_devices as list_devices
from .processes import initialize as initialize
