"""Ops: pure array functions by topic, with TensorFlow's names, arguments and results.

Each module holds kernels (pure JAX, made ops by `engine.op`) and the public functions on them. They
know nothing of Keras, data or files. Importing the package gives tensors their operators and indexing.
"""

from __future__ import annotations

from tapeflow.engine.convert import constant as constant
from tapeflow.engine.convert import convert_to_tensor as convert_to_tensor
from tapeflow.engine.device import device as device
from tapeflow.engine.function import function as function
from tapeflow.engine.module import Module as Module
from tapeflow.engine.tape import GradientTape as GradientTape
from tapeflow.engine.tape import UnconnectedGradients as UnconnectedGradients
from tapeflow.engine.tensor import Tensor as Tensor
from tapeflow.engine.variable import Variable as Variable
from tapeflow.ops import control_flow, function_graphs, getitem, operators, summary, variable_scatter

operators.install()
getitem.install()
variable_scatter.install()
summary.install()
control_flow.install()
function_graphs.install()
