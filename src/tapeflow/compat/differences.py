"""Names that TapeFlow has and that do less than TensorFlow's, or something else: how."""

from __future__ import annotations

_NO_EFFECT = "accepted, without effect: XLA compiles every program and chooses for itself"
_CROSS_DEVICE = "accepted by strategies, which leave the choice to XLA"
_WHOLE_BATCH = (
    "`run` calls a step that assigns Variables once, with the examples of all replicas: see distribute.md"
)
_NO_GRAPH = "raises, as in TensorFlow's eager mode: use `tf.GradientTape`"
_REMEMBERED = "remembered, and without effect"
_FAST_HASH = "`hasher_spec` is refused: buckets are those of `tf.strings.to_hash_bucket_fast`"
_PYTHON = "makes the training step run as plain Python, since a shape in it is random"
_CPU_ALONE = "divides the CPU alone; JAX neither divides a GPU nor limits its memory later than at its start"
_STRINGS = "as strings; there are no variants"

DIFFERENCES: dict[str, str] = {
    "tf.function": "a function whose control flow cannot be part of a program (it reads a value, changes a list) "
    "runs as plain Python, with a warning that names the line",
    "tf.Graph": "for scripts that name it in `with tf.Graph().as_default()`; there are no graphs",
    "tf.gradients": "in a `tf.function`; raises in eager code, as in TensorFlow: use `tf.GradientTape`",
    "tf.hessians": _NO_GRAPH,
    "tf.control_dependencies": "has nothing to do: effects happen in the order of the program",
    "tf.device": "chooses among JAX's devices",
    "tf.autograph.experimental.set_loop_options": "a loop whose shapes change runs turn by turn",
    "tf.config.optimizer.set_jit": _NO_EFFECT,
    "tf.config.optimizer.set_experimental_options": _REMEMBERED + ": for `auto_mixed_precision` use "
    "`tf.keras.mixed_precision.set_global_policy`",
    "tf.config.experimental.set_device_policy": _REMEMBERED,
    "tf.config.experimental.set_synchronous_execution": _REMEMBERED + ": programs always run ahead of Python",
    "tf.config.experimental.disable_mlir_bridge": "accepted, without effect: programs go to XLA as MLIR",
    "tf.config.threading.set_inter_op_parallelism_threads": _REMEMBERED + ": XLA has one pool of threads",
    "tf.config.experimental.set_memory_growth": "JAX takes the memory as it starts: it warns and names the "
    "environment variable",
    "tf.config.experimental.get_device_details": "the name of a GPU alone",
    "tf.config.set_logical_device_configuration": _CPU_ALONE,
    "tf.config.experimental.set_virtual_device_configuration": _CPU_ALONE,
    "tf.config.experimental.get_memory_info": "of GPUs, whose memory JAX counts",
    "tf.config.experimental.get_memory_usage": "of GPUs, whose memory JAX counts",
    "tf.debugging.set_log_device_placement": _REMEMBERED,
    "tf.debugging.enable_traceback_filtering": _REMEMBERED + ": tracebacks are whole",
    "tf.debugging.disable_traceback_filtering": _REMEMBERED + ": tracebacks are whole",
    "tf.data.experimental.copy_to_device": "accepted; programs take what they need to their device",
    "tf.data.experimental.parallel_interleave": "`sloppy` is accepted; the order is kept",
    "tf.data.experimental.index_table_from_dataset": _FAST_HASH,
    "tf.data.experimental.table_from_dataset": _FAST_HASH,
    "tf.data.experimental.make_batched_features_dataset": "`sloppy_ordering` is accepted; the order is kept",
    "tf.distribute.cluster_resolver.SlurmClusterResolver": "GPUs are handed out if `gpus_per_node` says how many there "
    "are",
    "tf.distribute.cluster_resolver.TPUClusterResolver": "raises the `ValueError` of a machine without a TPU",
    "tf.distribute.Strategy": _WHOLE_BATCH,
    "tf.distribute.MirroredStrategy": _WHOLE_BATCH,
    "tf.distribute.MultiWorkerMirroredStrategy": _WHOLE_BATCH,
    "tf.distribute.experimental.CentralStorageStrategy": "Variables lie on all devices, as those of `MirroredStrategy`",
    "tf.distribute.experimental.PreemptionCheckpointHandler": "for one process; it saves after the step, without a "
    "grace period",
    "tf.distribute.TPUStrategy": "to be named, in `isinstance` and as a base; making one raises",
    "tf.distribute.InputReplicationMode": "accepted; a function that makes a dataset is called once for a worker",
    "tf.distribute.RunOptions": "accepted; the options are of TPUs",
    "tf.distribute.CrossDeviceOps": _CROSS_DEVICE,
    "tf.distribute.HierarchicalCopyAllReduce": _CROSS_DEVICE,
    "tf.distribute.NcclAllReduce": _CROSS_DEVICE,
    "tf.distribute.ReductionToOneDevice": _CROSS_DEVICE,
    "tf.saved_model.save": "SavedModels that TensorFlow loads; functions of strings and computed gradients are refused",
    "tf.audio.decode_wav": "samples of 16 bits",
    "tf.parallel_stack": "`tf.stack`, eagerly too",
    "tf.Operation": "an op of `ConcreteFunction.graph`, to look at",
    "tf.RegisterGradient": "remembered, and without effect: `tf.custom_gradient` gives a function another gradient",
    "tf.no_gradient": "accepted, without effect: ops know themselves whether they have a gradient",
    "tf.guarantee_const": "`tf.identity`",
    "tf.experimental.function_executor_type": "accepted, without effect: XLA runs every program",
    "tf.experimental.dlpack.to_dlpack": "gives a copy; changing it does not change the tensor",
    "tf.experimental.dlpack.from_dlpack": "takes a copy; also of arrays with `__dlpack__`",
    "tf.experimental.ExtensionType": "`tf.nest` looks into it, with `expand_composites` or without; Keras "
    "layers do not take instances",
    "tf.experimental.BatchableExtensionType": "as `ExtensionType`, every one of which can be batched",
    "tf.experimental.numpy.experimental_enable_numpy_behavior": "methods, indexing and NumPy's promotion of dtypes; "
    "not the modes 'safe' and 'all', and Variables keep TensorFlow's indexing",
    "tf.linalg.LinearOperator": "no slicing with `[]`, and no `Spec`",
    "tf.linalg.eigh_tridiagonal": "by the whole matrix; `tol` is ignored",
    "tf.linalg.banded_triangular_solve": "by the whole matrix",
    "tf.io.serialize_sparse": _STRINGS,
    "tf.io.serialize_many_sparse": _STRINGS,
    "tf.make_tensor_proto": "`verify_shape` and `allow_broadcast` are not there",
    "tf.keras.models.model_from_yaml": "raises, as in Keras 2.11: use `model_from_json`",
    "tf.keras.models.save_model": "`.keras`, `.h5` and SavedModels, these not of layers that look strings up",
    "tf.keras.layers.RandomHeight": _PYTHON,
    "tf.keras.layers.RandomWidth": _PYTHON,
    "tf.keras.layers.BatchNormalization": "`virtual_batch_size` and `adjustment` are refused; under a strategy it sees "
    "the whole batch",
    "tf.keras.metrics.experimental.PyMetric": "makes the training step run as plain Python, which must call it",
    "tf.keras.utils.GeneratorEnqueuer": "on a thread; `use_multiprocessing=True` is refused",
    "tf.keras.utils.audio_dataset_from_directory": "`sampling_rate` is refused: sounds are not resampled",
    "tf.keras.optimizers.Nadam": "inside `fit` as step by step; Keras 2's own multiplies its schedule too often there",
    "tf.keras.backend.gradients": _NO_GRAPH,
    "tf.keras.backend.function": "from Keras inputs to outputs; `updates` and sessions are refused",
}
"""How each differs, by its whole name."""
