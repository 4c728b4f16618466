"""Why TapeFlow does not have the names of TensorFlow 2.11 that it has not, by name or by namespace."""

from __future__ import annotations

_NO_GRAPHS = "there are no graphs: use `tf.function`, and `tf.saved_model` for files"
_NO_LIBRARIES = "ops of XLA and Python only: nothing loads TensorFlow's compiled libraries"
_NO_CLUSTERS = (
    "JAX connects processes when they start: use `tapeflow launch` or `MultiWorkerMirroredStrategy`"
)
_NO_PARAMETER_SERVERS = "there are no parameter servers: use `MultiWorkerMirroredStrategy`"
_NO_SERVICE = "there is no service: each process reads its part of the data"
_NO_VARIANTS = "there are no variant tensors: hand on the dataset itself"
_NO_SESSIONS = "there are no sessions and their hooks: iterators are part of a `tf.train.Checkpoint`"
_NO_CLOUD = "asks a cloud or a cluster over the network: use `TFConfigClusterResolver` or `tapeflow launch`"
_NO_TYPES = "not written: use `tf.RaggedTensor` and `tf.experimental.ExtensionType`"
_NO_MESSAGES = "not written: use Python's `protobuf` in `tf.py_function` or before the dataset"
_OLD_CELLS = "not written: use `tf.keras.layers.StackedRNNCells`, or a cell of your own"
_SAMPLERS = "its state is in the op: use `tf.random.log_uniform_candidate_sampler`"
_INNER = "for TensorFlow's own tests and tools"

REASONS: dict[str, str] = {
    "tf.approx_top_k": "only a TPU is faster for it: use `tf.math.top_k`",
    "tf.import_graph_def": _NO_GRAPHS,
    "tf.load_library": _NO_LIBRARIES,
    "tf.load_op_library": _NO_LIBRARIES,
    "tf.nondifferentiable_batch_function": "batches requests of a server: serve a SavedModel with TensorFlow Serving",
    "tf.random_index_shuffle": "not written: use `tf.random.shuffle` or `tf.data.Dataset.shuffle`",
    "tf.config": _NO_CLUSTERS,
    "tf.config.experimental.ClusterDeviceFilters": _NO_CLUSTERS,
    "tf.config.experimental.reset_memory_stats": "JAX counts from the start of the process",
    "tf.data.experimental.CheckpointInputPipelineHook": _NO_SESSIONS,
    "tf.data.experimental.make_saveable_from_iterator": _NO_SESSIONS,
    "tf.data.experimental.from_variant": _NO_VARIANTS,
    "tf.data.experimental.to_variant": _NO_VARIANTS,
    "tf.data.experimental.service": _NO_SERVICE,
    "tf.debugging.experimental": "writes graphs for TensorBoard's debugger: use `tf.debugging.enable_check_numerics`",
    "tf.distribute": _NO_CLUSTERS,
    "tf.distribute.cluster_resolver": _NO_CLOUD,
    "tf.distribute.coordinator": _NO_PARAMETER_SERVERS,
    "tf.distribute.experimental.coordinator": _NO_PARAMETER_SERVERS,
    "tf.distribute.experimental.rpc": _NO_CLUSTERS,
    "tf.experimental": _NO_TYPES,
    "tf.experimental.ExtensionTypeBatchEncoder": "the encoder of `BatchableExtensionType` cannot be replaced",
    "tf.experimental.register_filesystem_plugin": _NO_LIBRARIES,
    "tf.image": "not written: use `tf.image.non_max_suppression_padded`",
    "tf.io.decode_proto": _NO_MESSAGES,
    "tf.io.encode_proto": _NO_MESSAGES,
    "tf.io.match_filenames_once": "needs a session to initialize it: use `tf.io.gfile.glob`",
    "tf.io.write_graph": _NO_GRAPHS,
    "tf.keras.backend.experimental": "every random layer has a generator, whose state is saved with the model",
    "tf.keras.experimental": "not written: give sequences to a model as ragged tensors or `tf.keras.Input((None,))`",
    "tf.nn": _OLD_CELLS,
    "tf.nn.learned_unigram_candidate_sampler": _SAMPLERS,
    "tf.nn.with_space_to_batch": "not written: give `tf.nn.convolution` its `dilations`",
    "tf.random": _SAMPLERS,
    "tf.saved_model.Asset": "not written: keep the file's name in a constant, and the file beside the SavedModel",
    "tf.saved_model.experimental": "resources of tables are written by themselves; nothing is placed on devices",
    "tf.test": _INNER,
    "tf.test.create_local_cluster": _NO_CLUSTERS,
    "tf.train": _NO_CLUSTERS,
    "tf.version": "versions of the format of graphs",
}
"""The longest entry that a name begins with counts."""


def reason_for(name: str) -> str:
    """Why a name is missing, such as `tf.test.Benchmark`; empty if that is not said."""
    parts = name.split(".")
    for count in range(len(parts), 1, -1):
        found = REASONS.get(".".join(parts[:count]))
        if found is not None:
            return found
    return ""
