"""The names of TensorFlow 1 that scripts for TensorFlow 2 call, and what the others say."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

v1 = tf.compat.v1


def test_what_is_always_on_can_be_turned_on() -> None:
    v1.enable_eager_execution()
    v1.enable_v2_behavior()
    v1.enable_resource_variables()
    v1.reset_default_graph()
    assert v1.executing_eagerly()


def test_seeds_and_logging() -> None:
    v1.set_random_seed(3)
    first = tf.random.normal([2]).numpy().tolist()
    tf.random.set_seed(3)
    assert tf.random.normal([2]).numpy().tolist() == first
    before = v1.logging.get_verbosity()
    v1.logging.set_verbosity(v1.logging.ERROR)
    assert logging.getLogger("tensorflow").level == logging.ERROR
    v1.logging.set_verbosity(before)
    v1.logging.log(v1.logging.DEBUG, "quiet")
    v1.logging.flush()


def test_options_of_a_session_may_be_set() -> None:
    config = v1.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    with v1.Session(config=config) as session, pytest.raises(RuntimeError, match="graph mode"):
        session.run(None)
    assert v1.InteractiveSession(config=config).config is config


@pytest.mark.parametrize(
    "call",
    [
        v1.disable_eager_execution,
        v1.disable_v2_behavior,
        lambda: v1.get_default_graph().as_graph_def(),
        tf.Graph,
        lambda: v1.placeholder(tf.float32),
    ],
    ids=["disable_eager_execution", "disable_v2_behavior", "get_default_graph", "Graph", "placeholder"],
)
def test_what_needs_a_graph_says_what_to_do(call: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError, match=r"Remove the call, and use tf\.function"):
        call()


def test_text_and_bytes() -> None:
    assert tf.compat.as_str(b"a") == tf.compat.as_text("a") == tf.compat.as_str_any(b"a") == "a"
    assert tf.compat.as_bytes("a") == tf.compat.as_bytes(b"a") == b"a"
    assert tf.compat.as_str_any(1) == "1"
    with pytest.raises(TypeError, match="expected binary or unicode string"):
        tf.compat.as_bytes(1)


def test_what_is_the_same_in_tensorflow_2_is_that() -> None:
    assert v1.math.log is tf.math.log
    assert v1.global_variables_initializer() is None
    assert v1.keras.backend.set_session(v1.Session(config=v1.ConfigProto())) is None
    assert v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next().numpy() == 0
    assert not v1.gfile.Exists("nowhere")
    assert tf.compat.dimension_value(tf.ones([2]).shape[0]) == 2
    assert tf.compat.dimension_at_index(tf.TensorShape([None, 3]), 1) == 3
    with pytest.raises(AttributeError, match="metrics"):
        v1.metrics  # noqa: B018


def test_numbers_by_their_old_names() -> None:
    assert v1.to_float(3).dtype == tf.float32
    assert [v1.to_double(1).dtype, v1.to_int32(1.5).dtype, v1.to_int64(1).dtype] == [
        tf.float64,
        tf.int32,
        tf.int64,
    ]
    assert [int(v1.div(7, 2)), float(v1.div(7.0, 2.0))] == [3, 3.5]
    assert v1.log is tf.math.log
    assert v1.random_normal is tf.random.normal
    assert v1.matrix_inverse is tf.linalg.inv


def test_files_are_read_record_by_record(tmp_path: Path) -> None:
    with tf.summary.create_file_writer(tmp_path).as_default():
        tf.summary.scalar("loss", 0.5, step=3)
    (path,) = tmp_path.iterdir()
    values = [(e.step, v.tag, v) for e in v1.train.summary_iterator(path) for v in e.summary.value]
    assert [value[:2] for value in values] == [(3, "loss")]
    assert float(tf.make_ndarray(values[0][2].tensor)) == 0.5
    assert (
        len(list(v1.python_io.tf_record_iterator(path)))
        == len(list(v1.io.tf_record_iterator(str(path))))
        == 2
    )
    with pytest.raises(tf.errors.NotFoundError, match="tf_record_iterator expected a file"):
        next(v1.train.summary_iterator(tmp_path / "nosuch"))
    assert v1.train.Checkpoint is tf.train.Checkpoint
    assert v1.io.gfile is tf.io.gfile


def test_dates_and_kinds_of_numbers() -> None:
    assert tf.compat.forward_compatible(2022, 1, 1)
    assert not tf.compat.forward_compatible(2030, 1, 1)
    with tf.compat.forward_compatibility_horizon(2031, 1, 1):
        assert tf.compat.forward_compatible(2030, 1, 1)
    assert not tf.compat.forward_compatible(2030, 1, 1)
    assert isinstance(3, tf.compat.integral_types)
    assert isinstance(np.float32(3), tf.compat.real_types)
    assert isinstance(np.complex64(3), tf.compat.complex_types)
    assert not isinstance(1.5, tf.compat.integral_types)


def test_variables_by_name_are_new_each_time_and_named_after_their_scope() -> None:
    with v1.variable_scope("a", initializer=v1.ones_initializer()) as scope:
        assert v1.get_variable_scope() is scope
        weight = v1.get_variable("w", [2, 3])
        with v1.variable_scope("b"):
            inner = v1.get_variable("w", shape=[], dtype=tf.int32, initializer=v1.zeros_initializer)
        given = v1.get_variable("c", initializer=tf.constant([2.0]), trainable=False)
    assert [weight.name, inner.name, given.name] == ["a/w:0", "a/b/w:0", "a/c:0"]
    assert weight.numpy().tolist() == [[1.0] * 3] * 2
    assert (inner.dtype, int(inner)) == (tf.int32, 0)
    assert (given.trainable, weight.trainable) == (False, True)
    assert v1.get_variable_scope().name == ""
    assert v1.get_variable_scope().reuse is v1.AUTO_REUSE
    assert v1.get_variable("free", [3, 4]).numpy().std() > 0
    assert v1.get_variable("whole", [3], tf.int64).numpy().tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="get_variable expected a shape; got shape=None for name='w'"):
        v1.get_variable("w")
    with pytest.raises(TypeError, match="variable_scope expected name_or_scope or default_name"):
        v1.variable_scope().__enter__()


def test_initializers_with_the_defaults_of_tensorflow_1() -> None:
    assert v1.random_normal_initializer().get_config()["stddev"] == 1.0
    assert v1.initializers.truncated_normal(stddev=0.1).get_config()["stddev"] == 0.1
    assert v1.initializers.he_normal is tf.keras.initializers.HeNormal
    assert v1.constant_initializer(3)([2]).numpy().tolist() == [3, 3]


def test_dimensions_calculate_and_may_be_unknown() -> None:
    three, unknown = v1.Dimension(3), v1.Dimension(None)
    assert [int(three + 1), int(5 - three), int(three * 2), int(three // 2), int(three % 2)] == [
        4,
        2,
        6,
        1,
        1,
    ]
    assert (repr(unknown + 1), str(three), str(unknown)) == ("Dimension(None)", "3", "?")
    assert three == 3
    assert three != 4
    assert three > 2 >= v1.Dimension(2)
    assert not unknown < 3
    assert three <= 3 < v1.Dimension(4)
    assert ["a", "b", "c", "d"][three] == "d"
    assert unknown.merge_with(three) == three
    assert hash(three) == hash(v1.Dimension(3))
    with pytest.raises(
        ValueError, match=r"merge_with expected compatible sizes; got Dimension\(3\) and Dimension\(4\)"
    ):
        three.merge_with(4)
    with pytest.raises(ValueError, match="expected a size of 0 or more; got value=-1"):
        v1.Dimension(-1)
    with pytest.raises(TypeError, match=r"expected a known size; got Dimension\(None\)"):
        int(unknown)


def test_what_tensorflow_2_leaves_of_graphs() -> None:
    assert float(v1.placeholder_with_default(3.0, None)) == 3.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected shape"):
        v1.placeholder_with_default([3.0], [2])
    with v1.colocate_with(tf.ones([])):
        assert v1.control_flow_v2_enabled()
    assert v1.__version__.startswith("2.")
    with pytest.raises(
        NotImplementedError, match=r"tf.compat.v1.estimator.Estimator is not part.*tf.keras.Model.fit"
    ):
        v1.estimator.Estimator()


def test_what_a_dataset_gives() -> None:
    dataset = tf.data.Dataset.from_tensors((tf.ones([2]), {"a": 1}))
    assert v1.data.get_output_shapes(dataset) == (tf.TensorShape([2]), {"a": tf.TensorShape([])})
    assert v1.data.get_output_types(dataset) == (tf.float32, {"a": tf.int32})
    assert v1.data.get_output_classes(dataset) == (tf.Tensor, {"a": tf.Tensor})


def test_messages_that_are_not_always_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "tensorflow"):
        for _ in range(5):
            v1.logging.log_first_n(v1.logging.INFO, "first", 2)
            v1.logging.log_every_n(v1.logging.INFO, "every %s", 3, "third")
        v1.logging.log_if(v1.logging.INFO, "never", False)
        v1.logging.vlog(v1.logging.INFO, "always")
    assert caplog.messages == ["first", "every third", "first", "every third", "always"]


def test_small_names_of_2_11() -> None:
    assert f"tapeflow-{tf.__version__}" == tf.version.GIT_VERSION
    assert tf.version.COMPILER_VERSION
    assert {tf.qint8, tf.quint16} < tf.dtypes.QUANTIZED_DTYPES
    assert tf.distribute.experimental.CollectiveHints(timeout_seconds=3.0).timeout_seconds == 3.0
    assert isinstance(tf.distribute.get_strategy().extended, tf.distribute.StrategyExtended)
    options = tf.data.Options()
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    options.autotune.autotune_algorithm = tf.data.experimental.AutotuneAlgorithm.HILL_CLIMB
    assert list(tf.data.Dataset.range(2).with_options(options).as_numpy_iterator()) == [0, 1]
    tf.keras.backend.manual_variable_initialization(True)
    with pytest.raises(RuntimeError, match=r"`model_from_yaml\(\)` has been removed.*model_from_json"):
        tf.keras.models.model_from_yaml("")


def test_names_that_moved_out_of_the_root() -> None:
    assert v1.squared_difference is tf.math.squared_difference
    assert v1.parse_example is tf.io.parse_example
    assert v1.cholesky is tf.linalg.cholesky
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        v1.nothing_of_this_name  # noqa: B018


def test_a_vector_chooses_rows() -> None:
    rows = v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]])
    assert rows.numpy().tolist() == [[1, 2], [7, 8]]
    assert v1.where([False, True]).numpy().tolist() == [[1]]
    assert v1.where([True, False], [1, 2], [3, 4]).numpy().tolist() == [1, 4]


def test_cross_entropy_by_its_old_name() -> None:
    labels, logits = [[1.0, 0.0]], [[0.0, 0.0]]
    for found in (
        v1.nn.softmax_cross_entropy_with_logits_v2(labels, logits),
        v1.nn.softmax_cross_entropy_with_logits_v2(labels, logits, dim=1),
    ):
        np.testing.assert_allclose(found, [np.log(2.0)], rtol=1e-6)
    assert v1.nn.relu is tf.nn.relu
