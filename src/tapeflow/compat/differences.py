"""How names that TapeFlow supports in part differ from TensorFlow's."""

from __future__ import annotations

_NO_EFFECT = "accepted and ignored: XLA compiles every program and makes these choices"
_CROSS_DEVICE = "strategies accept it, but XLA chooses the algorithm"
_WHOLE_BATCH = (
    "`run` calls a step that assigns Variables once, for the examples of all replicas: see distribute.md"
)
_NO_GRAPH = "raises, as in TensorFlow's eager mode: use `tf.GradientTape`"
_REMEMBERED = "the value is stored, but has no effect"
_FAST_HASH = "`hasher_spec` raises an error: the hash is that of `tf.strings.to_hash_bucket_fast`"
_PYTHON = "the training step runs as plain Python, because the shape is random"
_CPU_ALONE = "only for the CPU; JAX cannot split a GPU, and limits its memory only when it starts"
_MENTIONED = "only for `isinstance` and as a base class; creating one raises an error"
_STRINGS = "only to strings; there are no variant tensors"

DIFFERENCES: dict[str, str] = {
    "tf.function": "a function whose control flow cannot be part of a program (it reads a value, changes a list) "
    "runs as plain Python, with a warning that names the line",
    "tf.Graph": "only for scripts that use `with tf.Graph().as_default()`; no graph is built",
    "tf.gradients": "only in a `tf.function`; raises in eager code, as in TensorFlow: use `tf.GradientTape`",
    "tf.hessians": _NO_GRAPH,
    "tf.control_dependencies": "has no effect: side effects always happen in program order",
    "tf.device": "chooses one of JAX's devices",
    "tf.autograph.experimental.set_loop_options": "a loop whose shapes change runs as Python, iteration by iteration",
    "tf.config.optimizer.set_jit": _NO_EFFECT,
    "tf.config.optimizer.set_experimental_options": _REMEMBERED + ": for `auto_mixed_precision` use "
    "`tf.keras.mixed_precision.set_global_policy`",
    "tf.config.experimental.set_device_policy": _REMEMBERED,
    "tf.config.experimental.set_synchronous_execution": _REMEMBERED + ": programs always run asynchronously",
    "tf.config.experimental.disable_mlir_bridge": "accepted and ignored: programs are passed to XLA as MLIR",
    "tf.config.threading.set_inter_op_parallelism_threads": _REMEMBERED + ": XLA has a single thread pool",
    "tf.config.experimental.set_memory_growth": "JAX allocates the memory when it starts: the call warns and names the "
    "environment variable to set",
    "tf.config.experimental.get_device_details": "returns only the name of a GPU",
    "tf.config.set_logical_device_configuration": _CPU_ALONE,
    "tf.config.experimental.set_virtual_device_configuration": _CPU_ALONE,
    "tf.config.experimental.get_memory_info": "only for GPUs, because JAX counts only their memory",
    "tf.config.experimental.get_memory_usage": "only for GPUs, because JAX counts only their memory",
    "tf.debugging.set_log_device_placement": _REMEMBERED,
    "tf.debugging.enable_traceback_filtering": _REMEMBERED + ": tracebacks are never filtered",
    "tf.debugging.disable_traceback_filtering": _REMEMBERED + ": tracebacks are never filtered",
    "tf.data.experimental.copy_to_device": "accepted and ignored: programs copy their inputs to their device",
    "tf.data.experimental.parallel_interleave": "`sloppy` is accepted and ignored: the order is kept",
    "tf.data.experimental.index_table_from_dataset": _FAST_HASH,
    "tf.data.experimental.table_from_dataset": _FAST_HASH,
    "tf.data.experimental.make_batched_features_dataset": "`sloppy_ordering` is accepted and ignored: the "
    "order is kept",
    "tf.distribute.cluster_resolver.SlurmClusterResolver": "GPUs are assigned only if you pass "
    "`gpus_per_node`",
    "tf.distribute.cluster_resolver.TPUClusterResolver": "raises `ValueError`, as on a machine without a TPU",
    "tf.distribute.Strategy": _WHOLE_BATCH,
    "tf.distribute.MirroredStrategy": _WHOLE_BATCH,
    "tf.distribute.MultiWorkerMirroredStrategy": _WHOLE_BATCH,
    "tf.distribute.experimental.CentralStorageStrategy": "Variables are on all devices, as with `MirroredStrategy`",
    "tf.distribute.experimental.PreemptionCheckpointHandler": "only for one process; saves after the step, without a "
    "grace period",
    "tf.distribute.TPUStrategy": _MENTIONED,
    "tf.distribute.ParameterServerStrategy": _MENTIONED,
    "tf.distribute.InputReplicationMode": "accepted; a function that creates a dataset is called once per worker",
    "tf.distribute.RunOptions": "accepted and ignored: its options are for TPUs",
    "tf.distribute.CrossDeviceOps": _CROSS_DEVICE,
    "tf.distribute.HierarchicalCopyAllReduce": _CROSS_DEVICE,
    "tf.distribute.NcclAllReduce": _CROSS_DEVICE,
    "tf.distribute.ReductionToOneDevice": _CROSS_DEVICE,
    "tf.saved_model.save": "raises an error for string functions and for functions that compute gradients",
    "tf.audio.decode_wav": "only 16-bit samples",
    "tf.parallel_stack": "the same as `tf.stack`; also works eagerly",
    "tf.Operation": "only for inspecting the ops of `ConcreteFunction.graph`",
    "tf.RegisterGradient": "has no effect: use `tf.custom_gradient` to define a gradient",
    "tf.no_gradient": "accepted and ignored: each op defines whether it has a gradient",
    "tf.guarantee_const": "the same as `tf.identity`",
    "tf.experimental.function_executor_type": "accepted and ignored: XLA runs every program",
    "tf.experimental.dlpack.to_dlpack": "exports a copy; changing it does not change the tensor",
    "tf.experimental.dlpack.from_dlpack": "imports a copy; also accepts arrays with `__dlpack__`",
    "tf.experimental.ExtensionType": "`tf.nest` flattens it with or without `expand_composites`; Keras "
    "layers do not accept instances",
    "tf.experimental.BatchableExtensionType": "the same as `ExtensionType`: all extension types can be batched",
    "tf.experimental.numpy.experimental_enable_numpy_behavior": "methods, indexing and NumPy's dtype promotion work; "
    "the modes 'safe' and 'all' are missing, and Variables keep TensorFlow's indexing",
    "tf.linalg.LinearOperator": "no slicing with `[]` and no type spec",
    "tf.linalg.eigh_tridiagonal": "computed with the full matrix; `tol` is ignored",
    "tf.linalg.banded_triangular_solve": "computed with the full matrix",
    "tf.io.serialize_sparse": _STRINGS,
    "tf.io.serialize_many_sparse": _STRINGS,
    "tf.make_tensor_proto": "no `verify_shape` and `allow_broadcast`",
    "tf.keras.models.model_from_yaml": "raises, as in Keras 2.11: use `model_from_json`",
    "tf.keras.models.save_model": "writes `.keras`, `.h5` and SavedModels, but no SavedModels of layers that "
    "look up strings",
    "tf.keras.layers.RandomHeight": _PYTHON,
    "tf.keras.layers.RandomWidth": _PYTHON,
    "tf.keras.layers.BatchNormalization": "`adjustment` raises an error; under "
    "a strategy it sees "
    "the whole batch",
    "tf.keras.metrics.experimental.PyMetric": "the training step runs as plain Python, because it has to call "
    "the metric",
    "tf.keras.utils.GeneratorEnqueuer": "uses a thread; `use_multiprocessing=True` raises an error",
    "tf.keras.utils.audio_dataset_from_directory": "`sampling_rate` raises an error: audio is not resampled",
    "tf.keras.optimizers.Nadam": "the same inside and outside `fit`; Keras 2 multiplies its momentum schedule "
    "too often inside `fit`",
    "tf.keras.backend.gradients": _NO_GRAPH,
    "tf.keras.backend.function": "only from Keras inputs to outputs; `updates` and sessions raise an error",
}
"""How each differs, by its whole name."""
