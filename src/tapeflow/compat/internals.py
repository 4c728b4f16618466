"""TensorFlow's inner modules that scripts import from, such as `tensorflow.python.ops.math_ops`.

Each answers with public names: those of the modules it is given here, in this order, the root last. What TensorFlow
has there and does not make public is not there.
"""

from __future__ import annotations

_FRAMEWORK = "tensorflow.python.framework"
_OPS = "tensorflow.python.ops"

_OF_FRAMEWORK = (
    *("constant_op", "errors", "errors_impl", "graph_util", "random_seed", "sparse_tensor", "tensor_shape"),
    *("tensor_spec", "tensor_util", "type_spec"),
)
_OF_OPS = (
    *("array_ops", "array_ops_stack", "check_ops", "clip_ops", "cond", "custom_gradient", "functional_ops"),
    *("gradients", "gradients_impl", "histogram_ops", "map_fn", "parsing_ops", "resource_variable_ops"),
    *("script_ops", "tensor_array_ops", "variables", "while_loop"),
)

# The public modules, below `tapeflow`, that hold what an inner module defines; none for what stands in the root.
INTERNAL: dict[str, tuple[str, ...]] = {
    **{f"{_FRAMEWORK}.{name}": () for name in _OF_FRAMEWORK},
    **{f"{_OPS}.{name}": () for name in _OF_OPS},
    f"{_FRAMEWORK}.config": ("compat.inner.determinism", "config"),
    f"{_FRAMEWORK}.dtypes": ("dtypes",),
    f"{_FRAMEWORK}.ops": ("compat.v1",),
    f"{_FRAMEWORK}.test_util": ("test",),
    f"{_OPS}.control_flow_ops": ("compat.v1",),
    f"{_OPS}.embedding_ops": ("nn",),
    f"{_OPS}.gen_sparse_ops": ("compat.inner.sparse_ops",),
    f"{_OPS}.image_ops": ("image", "io"),
    f"{_OPS}.init_ops": ("compat.v1", "keras.initializers"),
    f"{_OPS}.init_ops_v2": ("keras.initializers",),
    f"{_OPS}.io_ops": ("io",),
    f"{_OPS}.linalg.sparse.sparse": ("compat.inner.sparse_matrix",),
    f"{_OPS}.linalg_ops": ("linalg",),
    f"{_OPS}.logging_ops": ("compat.v1",),
    f"{_OPS}.lookup_ops": ("lookup",),
    f"{_OPS}.math_ops": ("math", "linalg"),
    f"{_OPS}.nn": ("nn",),
    f"{_OPS}.nn_impl": ("nn",),
    f"{_OPS}.nn_ops": ("nn",),
    f"{_OPS}.random_ops": ("random",),
    f"{_OPS}.rnn_cell_impl": ("nn",),
    f"{_OPS}.sparse_ops": ("sparse",),
    f"{_OPS}.special_math_ops": ("math",),
    f"{_OPS}.state_ops": ("compat.v1",),
    f"{_OPS}.string_ops": ("strings",),
    f"{_OPS}.summary_ops_v2": ("summary",),
    f"{_OPS}.variable_scope": ("compat.v1",),
    f"{_OPS}.weights_broadcast_ops": ("compat.inner.weights",),
    "tensorflow.python.data.ops.dataset_ops": ("data",),
    "tensorflow.python.data.ops.iterator_ops": ("data",),
    "tensorflow.python.distribute.distribution_strategy_context": ("distribute",),
    "tensorflow.python.eager.backprop": (),
    "tensorflow.python.eager.context": ("compat.inner.eager", "config"),
    "tensorflow.python.eager.def_function": (),
    "tensorflow.python.layers.utils": ("compat.inner.conv_utils",),
    "tensorflow.python.lib.io.file_io": ("io.gfile",),
    "tensorflow.python.lib.io.tf_record": ("io", "data"),
    "tensorflow.python.module.module": (),
    "tensorflow.python.ops.losses.losses": ("compat.v1", "keras.losses"),
    "tensorflow.python.platform.gfile": ("compat.v1.gfile", "io.gfile"),
    "tensorflow.python.platform.test": ("test",),
    "tensorflow.python.platform.tf_logging": ("compat.v1.logging",),
    "tensorflow.python.summary.summary_iterator": ("compat.v1.train",),
    "tensorflow.python.training.tracking.tracking": ("train",),
    "tensorflow.python.util.nest": ("nest",),
    "tensorflow.python.util.object_identity": ("compat.inner.identity",),
}

# Names that TensorFlow has there, and the public ones for them.
_ALIASES = {
    f"{_FRAMEWORK}.ops": {"EagerTensor": "Tensor", "name_scope_v2": "name_scope"},
    f"{_FRAMEWORK}.tensor_util": {"constant_value": "get_static_value", "MakeNdarray": "make_ndarray"},
    f"{_FRAMEWORK}.test_util": {"TensorFlowTestCase": "test.TestCase"},
    f"{_OPS}.resource_variable_ops": {"BaseResourceVariable": "Variable", "ResourceVariable": "Variable"},
    f"{_OPS}.script_ops": {"eager_py_func": "py_function"},
    f"{_OPS}.math_ops": {"div": "math.divide", "to_float": "compat.v1.to_float"},
    f"{_OPS}.nn_ops": {"softmax_v2": "nn.softmax"},
    f"{_OPS}.init_ops": {
        "Constant": "compat.v1.constant_initializer",
        "Ones": "compat.v1.ones_initializer",
        "TruncatedNormal": "compat.v1.truncated_normal_initializer",
        "Zeros": "compat.v1.zeros_initializer",
    },
    f"{_OPS}.lookup_ops": {
        "StaticHashTable": "lookup.StaticHashTable",
        "HashTable": "lookup.StaticHashTable",
    },
    "tensorflow.python.data.ops.dataset_ops": {"DatasetV2": "data.Dataset"},
    "tensorflow.python.data.ops.iterator_ops": {"OwnedIterator": "data.Iterator"},
}


def packages() -> set[str]:
    """The packages above the inner modules."""
    found: set[str] = set()
    for name in INTERNAL:
        parts = name.split(".")
        found.update(".".join(parts[:k]) for k in range(3, len(parts)))
    return found - set(INTERNAL)


def alias(module: str, name: str) -> str | None:
    """The public name for one that TensorFlow has in an inner module."""
    return _ALIASES.get(module, {}).get(name)
