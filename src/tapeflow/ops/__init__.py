"""Ops: pure array functions by topic, with TensorFlow's names, arguments and results.

Each module holds kernels (pure JAX, made ops by `engine.recording.op`) and the public functions on them. They know
nothing of Keras, data or files; kernels that only Keras uses are in `training`. Importing the package gives tensors
their operators and indexing. `domains` and `host_args` read arguments for all folders.
"""

from __future__ import annotations

from tapeflow.engine.devices.device_scope import device as device
from tapeflow.engine.differentiation.tape import GradientTape as GradientTape
from tapeflow.engine.differentiation.tape import UnconnectedGradients as UnconnectedGradients
from tapeflow.engine.functions.function import function as function
from tapeflow.engine.module import Module as Module
from tapeflow.engine.values.convert import constant as constant
from tapeflow.engine.values.convert import convert_to_tensor as convert_to_tensor
from tapeflow.engine.values.tensor import Tensor as Tensor
from tapeflow.engine.values.variable import Variable as Variable
from tapeflow.ops import autograph, operators
from tapeflow.ops.array import getitem
from tapeflow.ops.debugging import summary
from tapeflow.ops.graphs import function_graphs
from tapeflow.ops.variables import scatter as variable_scatter

operators.install()
getitem.install()
variable_scatter.install()
summary.install()
autograph.install()
function_graphs.install()
