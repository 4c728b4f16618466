"""The names of symbolic tensors: those of the ops that TensorFlow's layers end with, `dense/BiasAdd:0`.

Nothing here looks a tensor up by its name; scripts print them, and find layers by the part before the slash.
"""

from __future__ import annotations

import re
from typing import Any

_ACTIVATIONS = {
    "elu": "Elu", "exponential": "Exp", "gelu": "Gelu/mul_1", "hard_sigmoid": "clip_by_value",
    "leaky_relu": "LeakyRelu", "log_softmax": "LogSoftmax", "relu": "Relu", "relu6": "Relu6", "selu": "Selu",
    "sigmoid": "Sigmoid", "softmax": "Softmax", "softplus": "Softplus", "softsign": "Softsign", "swish": "IdentityN",
    "tanh": "Tanh",
}  # fmt: skip
_CONVOLUTIONS = ("Conv1D", "Conv2D", "Conv3D", "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose")
_WITH_BIAS = (*_CONVOLUTIONS, "Dense", "DepthwiseConv2D", "SeparableConv2D")
_WITHOUT_BIAS = {
    "Dense": "MatMul", "Conv2DTranspose": "conv2d_transpose", "DepthwiseConv2D": "depthwise",
    "SeparableConv2D": "separable_conv2d",
}  # fmt: skip
_ENDS = {
    "Add": "add", "AveragePooling2D": "AvgPool", "Average": "truediv", "BatchNormalization": "FusedBatchNormV3",
    "Bidirectional": "concat", "Concatenate": "concat", "Dropout": "Identity", "ELU": "Elu",
    "Embedding": "embedding_lookup/Identity", "Flatten": "Reshape", "GRU": "PartitionedCall",
    "GlobalAveragePooling1D": "Mean", "GlobalAveragePooling2D": "Mean", "GlobalMaxPooling1D": "Max",
    "GlobalMaxPooling2D": "Max", "LSTM": "PartitionedCall", "LayerNormalization": "add", "LeakyReLU": "LeakyRelu",
    "MaxPooling1D": "Squeeze", "MaxPooling2D": "MaxPool", "Maximum": "Maximum", "Minimum": "Minimum", "Multiply": "mul",
    "Permute": "transpose", "ReLU": "Relu", "Reshape": "Reshape", "Softmax": "Softmax", "SpatialDropout2D": "Identity",
    "Subtract": "sub", "UpSampling2D": "resize/ResizeNearestNeighbor", "ZeroPadding2D": "Pad",
}  # fmt: skip
_OPERATIONS = {
    "add": "AddV2", "concat": "concat", "expand_dims": "ExpandDims", "getitem": "strided_slice", "matmul": "MatMul",
    "multiply": "Mul", "reduce_max": "Max", "reduce_mean": "Mean", "reduce_min": "Min", "reduce_sum": "Sum",
    "reshape": "Reshape", "subtract": "Sub", "transpose": "transpose", "truediv": "truediv",
}  # fmt: skip


def op_name(layer: Any) -> str | None:
    """The op that a built-in layer ends with in TensorFlow; None of a layer that is not known here."""
    kind = type(layer).__name__
    if not type(layer).__module__.startswith("tapeflow."):
        return None
    if kind in ("TFOpLambda", "SlicingOpLambda"):
        last = layer.symbol.rpartition(".")[2]
        return _OPERATIONS.get(last, re.sub(r"(?:^|_)([a-z])", lambda m: m[1].upper(), last))
    if kind == "Activation":
        return _activated(layer)
    if kind in _WITH_BIAS:
        plain = "BiasAdd" if layer.use_bias else _WITHOUT_BIAS.get(kind, kind)
        return _activated(layer) or plain
    if kind == "BatchNormalization" and not layer.fused:
        return "batchnorm/add_1"
    return _ENDS.get(kind)


def _activated(layer: Any) -> str | None:
    function = layer.activation
    name = getattr(function, "__name__", "")
    is_linear = name == "linear" and function.__module__ == "tapeflow.keras.activations"
    if function is None or is_linear:
        return None
    return _ACTIVATIONS.get(name, name)
