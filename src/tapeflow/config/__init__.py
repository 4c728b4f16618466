"""`tf.config`: how functions run, on which devices, with how many threads.

What TensorFlow offers here and JAX cannot do is absent: clusters, and counters of memory that begin again.
"""

from __future__ import annotations

from tapeflow.config import experimental as experimental
from tapeflow.config import optimizer as optimizer
from tapeflow.config import threading as threading
from tapeflow.config.devices import get_soft_device_placement as get_soft_device_placement
from tapeflow.config.devices import get_visible_devices as get_visible_devices
from tapeflow.config.devices import list_logical_devices as list_logical_devices
from tapeflow.config.devices import list_physical_devices as list_physical_devices
from tapeflow.config.devices import set_soft_device_placement as set_soft_device_placement
from tapeflow.config.devices import set_visible_devices as set_visible_devices
from tapeflow.config.functions import functions_run_eagerly as functions_run_eagerly
from tapeflow.config.functions import run_functions_eagerly as run_functions_eagerly
from tapeflow.config.logical_configuration import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from tapeflow.config.logical_configuration import (
    get_logical_device_configuration as get_logical_device_configuration,
)
from tapeflow.config.logical_configuration import (
    set_logical_device_configuration as set_logical_device_configuration,
)
from tapeflow.engine.devices.device import LogicalDevice as LogicalDevice
from tapeflow.engine.devices.device import PhysicalDevice as PhysicalDevice

experimental_functions_run_eagerly = functions_run_eagerly
experimental_run_functions_eagerly = run_functions_eagerly
