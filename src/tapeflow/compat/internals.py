"""TensorFlow's inner modules that scripts import from, such as `tensorflow.python.ops.math_ops`.

Each answers with public names: those of the modules it is given here, in this order, the root last. What TensorFlow
has there and does not make public is not there.
"""

from __future__ import annotations

_COMPOSITES = "compat.inner.composites"
_CONTROL_FLOW = "compat.inner.control_flow"
_DECORATORS = "compat.inner.decorators"
_DISTRIBUTED = "compat.inner.distributed"
_EAGER = "compat.inner.eager"
_LINEAR_OPERATORS = "compat.inner.linear_operators"

_FRAMEWORK = "tensorflow.python.framework"
_OPS = "tensorflow.python.ops"

_OF_FRAMEWORK = (*("constant_op", "errors", "errors_impl", "graph_util", "random_seed", "sparse_tensor"),)
_OF_OPS = (
    *("array_ops_stack", "check_ops", "clip_ops", "cond", "custom_gradient", "functional_ops"),
    *("gradients", "gradients_impl", "histogram_ops", "map_fn", "parsing_ops"),
    *("script_ops", "tensor_array_ops", "variables", "while_loop"),
)

# The public modules, below `tapeflow`, that hold what an inner module defines; none for what stands in the root.
INTERNAL: dict[str, tuple[str, ...]] = {
    **{f"{_FRAMEWORK}.{name}": () for name in _OF_FRAMEWORK},
    **{f"{_OPS}.{name}": () for name in _OF_OPS},
    "tensorflow.compiler.tf2xla.python.xla": ("compat.inner.xla",),
    "tensorflow.core.example.example_pb2": ("train",),
    "tensorflow.core.example.feature_pb2": ("train",),
    "tensorflow.python.client.session": ("compat.v1",),
    "tensorflow.python.data.ops.dataset_ops": ("data",),
    "tensorflow.python.data.ops.iterator_ops": ("data",),
    "tensorflow.python.data.util.nest": ("nest", "compat.inner.nests"),
    "tensorflow.python.distribute.distribution_strategy_context": ("distribute",),
    "tensorflow.python.distribute.ps_values": (_DISTRIBUTED,),
    "tensorflow.python.distribute.values": (_DISTRIBUTED,),
    "tensorflow.python.eager.backprop": (),
    "tensorflow.python.eager.context": (_EAGER, "config"),
    "tensorflow.python.eager.def_function": (),
    "tensorflow.python.eager.monitoring": ("compat.inner.monitoring",),
    "tensorflow.python.feature_column.feature_column_lib": ("feature_column",),
    f"{_FRAMEWORK}.composite_tensor": (_COMPOSITES,),
    f"{_FRAMEWORK}.config": ("compat.inner.determinism", "config"),
    f"{_FRAMEWORK}.dtypes": ("dtypes",),
    f"{_FRAMEWORK}.ops": ("compat.v1",),
    f"{_FRAMEWORK}.smart_cond": (_CONTROL_FLOW,),
    f"{_FRAMEWORK}.tensor_shape": ("compat.inner.static_shapes",),
    f"{_FRAMEWORK}.tensor_spec": ("compat.inner.bounded_specs",),
    f"{_FRAMEWORK}.tensor_util": ("compat.inner.static_shapes",),
    f"{_FRAMEWORK}.test_util": ("test",),
    f"{_FRAMEWORK}.type_spec": (_COMPOSITES,),
    f"{_FRAMEWORK}.type_spec_registry": (_COMPOSITES,),
    "tensorflow.python.layers.utils": ("compat.inner.conv_utils",),
    "tensorflow.python.lib.io.file_io": ("io.gfile",),
    "tensorflow.python.lib.io.tf_record": ("io", "data"),
    "tensorflow.python.module.module": (),
    f"{_OPS}.array_ops": ("compat.inner.array_ops",),
    f"{_OPS}.control_flow_case": (_CONTROL_FLOW,),
    f"{_OPS}.control_flow_ops": ("compat.v1",),
    f"{_OPS}.control_flow_util": (_CONTROL_FLOW,),
    f"{_OPS}.embedding_ops": ("nn",),
    f"{_OPS}.gen_sparse_ops": ("compat.inner.sparse_ops",),
    f"{_OPS}.image_ops": ("image", "io"),
    f"{_OPS}.init_ops": ("compat.v1", "keras.initializers"),
    f"{_OPS}.init_ops_v2": ("keras.initializers",),
    f"{_OPS}.io_ops": ("io",),
    f"{_OPS}.linalg.linear_operator": (_LINEAR_OPERATORS, "linalg"),
    f"{_OPS}.linalg.linear_operator_addition": (_LINEAR_OPERATORS, "linalg"),
    f"{_OPS}.linalg.sparse.sparse": ("compat.inner.sparse_matrix",),
    f"{_OPS}.linalg_ops": ("linalg",),
    f"{_OPS}.logging_ops": ("compat.v1",),
    f"{_OPS}.lookup_ops": ("lookup",),
    "tensorflow.python.ops.losses.losses": ("compat.v1", "keras.losses"),
    f"{_OPS}.math_ops": ("math", "linalg"),
    f"{_OPS}.nn": ("nn",),
    f"{_OPS}.nn_impl": ("nn",),
    f"{_OPS}.nn_ops": ("nn", "compat.inner.convolutions"),
    f"{_OPS}.parallel_for.control_flow_ops": (_CONTROL_FLOW,),
    f"{_OPS}.random_ops": ("random", "compat.inner.random_ops"),
    f"{_OPS}.resource_variable_ops": (_COMPOSITES,),
    f"{_OPS}.rnn_cell": ("compat.inner.rnn_cells",),
    f"{_OPS}.rnn_cell_impl": ("nn", "compat.inner.rnn_cells"),
    f"{_OPS}.sparse_ops": ("sparse",),
    f"{_OPS}.special_math_ops": ("math",),
    f"{_OPS}.state_ops": ("compat.v1",),
    f"{_OPS}.string_ops": ("strings",),
    f"{_OPS}.summary_ops_v2": ("summary",),
    f"{_OPS}.variable_scope": ("compat.v1",),
    f"{_OPS}.weights_broadcast_ops": ("compat.inner.weights",),
    "tensorflow.python.platform.gfile": ("compat.v1.gfile", "io.gfile"),
    "tensorflow.python.platform.test": ("test",),
    "tensorflow.python.platform.tf_logging": ("compat.v1.logging",),
    "tensorflow.python.saved_model.tag_constants": ("compat.v1.saved_model",),
    "tensorflow.python.summary.summary_iterator": ("compat.v1.train",),
    "tensorflow.python.tf2": (_EAGER,),
    "tensorflow.python.trackable.base": ("compat.inner.tracking",),
    "tensorflow.python.trackable.data_structures": ("compat.inner.tracking",),
    "tensorflow.python.training.optimizer": ("keras.optimizers.legacy",),
    "tensorflow.python.training.tracking.data_structures": ("compat.inner.tracking",),
    "tensorflow.python.training.tracking.tracking": ("train",),
    "tensorflow.python.types.core": ("types.experimental",),
    "tensorflow.python.types.trace": ("types.experimental",),
    "tensorflow.python.util.all_util": (_DECORATORS,),
    "tensorflow.python.util.deprecation": ("compat.inner.deprecation",),
    "tensorflow.python.util.function_utils": ("compat.inner.tf_inspect",),
    "tensorflow.python.util.nest": ("nest", "compat.inner.nests"),
    "tensorflow.python.util.object_identity": ("compat.inner.identity",),
    "tensorflow.python.util.tf_contextlib": ("compat.inner.context_managers",),
    "tensorflow.python.util.tf_decorator": (_DECORATORS,),
    "tensorflow.python.util.tf_export": (_DECORATORS,),
    "tensorflow.python.util.tf_inspect": ("compat.inner.tf_inspect",),
    "tensorflow.python.util.variable_utils": (_COMPOSITES,),
    "tensorflow.tools.docs.doc_controls": ("compat.inner.doc_controls",),
}

# Names that TensorFlow has there, and the public ones for them.
_ALIASES: dict[str, dict[str, str]] = {
    "tensorflow.compat.v2": {"enable_v2_behavior": "compat.v1.enable_v2_behavior"},
    f"{_FRAMEWORK}.ops": {"EagerTensor": "Tensor", "name_scope_v2": "name_scope"},
    f"{_FRAMEWORK}.tensor_spec": {"DenseSpec": "TensorSpec"},
    f"{_FRAMEWORK}.tensor_util": {
        "constant_value": "get_static_value",
        "MakeNdarray": "make_ndarray",
        "try_evaluate_constant": "get_static_value",
    },
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
    "tensorflow.python.types.core": {"Tensor": "Tensor"},
}

_PYCT = "tensorflow.python.autograph.pyct"
_NO_AUTOGRAPH = "TapeFlow converts control flow in its own way: decorate the function with tf.function."
_NO_GRAPHS = "There are no graphs: call the function, or decorate it with tf.function."
_NO_TPU = (
    "There are no TPUs: use tf.distribute.MirroredStrategy, or tf.distribute.get_strategy() for one device."
)

_NO_ESTIMATORS = "Estimators are not in TensorFlow any more, from 2.16 on: train a tf.keras.Model."
_OF_ESTIMATORS = (
    *(
        "estimator",
        "model_fn",
        "run_config",
        "util",
        "export.export",
        "export.export_output",
        "inputs.inputs",
    ),
    *("canned.dnn", "canned.head", "canned.linear", "canned.metric_keys", "canned.optimizers"),
    *("canned.prediction_keys", "head.base_head", "head.binary_class_head", "head.multi_class_head"),
    *("head.regression_head", "mode_keys", "tpu.tpu_estimator"),
)
_NO_OLD_COLUMNS = (
    "Columns are made by the functions of tf.feature_column, and have no classes to derive from."
)
_NO_PROTOS = (
    "There are no protocol buffers of graphs: tf.saved_model.load and save read and write SavedModels."
)

# Modules that packages import at their start and use only with graphs, TPUs or TensorFlow's compilers: any name of
# theirs can be imported, and says this when it is used.
ABSENT: dict[str, str] = {
    **{
        f"tensorflow.python.autograph.converters.{name}": _NO_AUTOGRAPH
        for name in ("break_statements", "continue_statements", "return_statements")
    },
    **{f"tensorflow.python.autograph.core.{name}": _NO_AUTOGRAPH for name in ("converter", "naming")},
    **{
        f"{_PYCT}.{name}": _NO_AUTOGRAPH
        for name in (
            *(
                "anno",
                "cfg",
                "common_transformers.anf",
                "compiler",
                "inspect_utils",
                "loader",
                "naming",
                "parser",
            ),
            *("qual_names", "static_analysis.activity", "templates", "transformer"),
        )
    },
    **{
        f"tensorflow.core.{name}_pb2": _NO_PROTOS
        for name in (
            *("framework.graph", "framework.node_def", "framework.op_def", "framework.summary"),
            *("framework.tensor", "framework.tensor_shape", "framework.types"),
            *("protobuf.meta_graph", "protobuf.saved_model", "protobuf.struct", "util.event"),
        )
    },
    "tensorflow.estimator": _NO_ESTIMATORS,
    **{f"tensorflow_estimator.python.estimator.{name}": _NO_ESTIMATORS for name in _OF_ESTIMATORS},
    "tensorflow.python.estimator.canned.head": _NO_ESTIMATORS,
    "tensorflow.python.estimator.canned.optimizers": _NO_ESTIMATORS,
    "tensorflow.python.feature_column.feature_column": _NO_OLD_COLUMNS,
    "tensorflow.python.feature_column.feature_column_v2": _NO_OLD_COLUMNS,
    f"{_FRAMEWORK}.op_def_registry": _NO_GRAPHS,
    "tensorflow.python.pywrap_tensorflow": _NO_GRAPHS,
    "tensorflow.python.saved_model.nested_structure_coder": _NO_PROTOS,
    "tensorflow.python.saved_model.signature_def_utils_impl": _NO_PROTOS,
    "tensorflow.python.eager.lift_to_graph": _NO_GRAPHS,
    "tensorflow.python.framework.importer": _NO_GRAPHS,
    "tensorflow.python.tpu.tpu_embedding_v2": _NO_TPU,
    "tensorflow.python.training.training_util": _NO_GRAPHS,
    f"{_OPS}.clustering_ops": "There are no ops of k-means: choose the first centroids in another way.",
    "tensorflow.tpu": _NO_TPU,
}


def packages() -> set[str]:
    """The packages above the inner modules."""
    found: set[str] = set()
    for name in (*INTERNAL, *ABSENT):
        parts = name.split(".")
        found.update(".".join(parts[:k]) for k in range(2, len(parts)))
    return found - set(INTERNAL)


def alias(module: str, name: str) -> str | None:
    """The public name for one that TensorFlow has in an inner module."""
    return _ALIASES.get(module, {}).get(name)
