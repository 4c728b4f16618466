"""`tapeflow.compat.install`: programs written for TensorFlow import TapeFlow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]


def test_every_way_of_importing_gives_the_same_modules(run: Run) -> None:
    run("""
        import tapeflow
        import tensorflow as tf
        import tensorflow.keras as keras_1
        from tensorflow import keras as keras_2
        import tensorflow.keras.callbacks as callbacks_1
        from tensorflow.keras import callbacks as callbacks_2
        from tensorflow.keras.callbacks import EarlyStopping as early_1
        import keras
        from keras.callbacks import EarlyStopping as early_2
        from tensorflow.python.keras.callbacks import EarlyStopping as early_3
        from tensorflow.python import keras as keras_3
        import tensorflow.compat.v2 as tf_2

        assert tf.keras is keras_1 is keras_2 is keras_3 is tapeflow.keras
        assert callbacks_1 is callbacks_2 is keras.callbacks is tapeflow.keras.callbacks
        assert early_1 is early_2 is early_3 is tapeflow.keras.callbacks.EarlyStopping
        assert tf.math is tapeflow.math
        assert tf_2.constant is tf.constant is tapeflow.constant
        assert tf.losses is tapeflow.keras.losses
        assert tapeflow.keras.__spec__.name == tapeflow.keras.__name__ == "tapeflow.keras"
    """)


def test_a_program_runs(run: Run) -> None:
    assert (
        run("""
            import tensorflow as tf

            x = tf.Variable(3.0)
            with tf.GradientTape() as tape:
                y = x * x
            print(float(tape.gradient(y, x)))
        """)
        == "6.0"
    )


def test_versions(run: Run) -> None:
    printed = run("""
        import tapeflow
        import tensorflow as tf
        import keras
        import tensorflow.version
        print(tf.__version__, tf.version.VERSION, keras.__version__, tapeflow.__version__ != tf.__version__)
    """)
    assert printed == "2.15.0 2.15.0 2.15.0 True"


def test_metadata_of_packages_knows_tensorflow(run: Run) -> None:
    run("""
        from importlib.metadata import PackageNotFoundError, distribution, distributions, version
        import tapeflow.compat
        assert version("tensorflow") == version("keras") == "2.15.0"
        assert distribution("tensorflow").metadata["Name"] == "tensorflow"
        assert distribution("tensorflow").requires is None
        assert {"tensorflow", "numpy"} <= {found.metadata["Name"] for found in distributions()}
        assert version("numpy")
        tapeflow.compat.uninstall()
        try:
            assert version("tensorflow") != "2.15.0"
        except PackageNotFoundError:
            pass
    """)


def test_importing_costs_no_jax(run: Run) -> None:
    assert run("import sys, tensorflow, keras; print('jax' in sys.modules)") == "False"


def test_modules_of_old_keras(run: Run) -> None:
    run("""
        import tapeflow
        from keras.utils import np_utils
        import keras.utils.data_utils
        assert np_utils.to_categorical is tapeflow.keras.utils.to_categorical
        assert keras.utils.data_utils is tapeflow.keras.utils
        from keras.layers.normalization.batch_normalization import BatchNormalization
        from keras.optimizer_v2.gradient_descent import SGD
        from keras.optimizers import adam_v2
        from keras.utils.vis_utils import plot_model
        assert adam_v2.Adam is tapeflow.keras.optimizers.Adam
    """)


def test_inner_modules_answer_with_public_names(run: Run) -> None:
    printed = run("""
        import tensorflow as tf
        from tensorflow.python.framework import constant_op, dtypes, ops, tensor_shape, tensor_util, test_util
        from tensorflow.python.ops import array_ops, control_flow_ops, math_ops, nn_ops, variables
        from tensorflow.python.ops.resource_variable_ops import ResourceVariable
        from tensorflow.python.data.ops import dataset_ops
        from tensorflow.python.eager import backprop, context, def_function
        from tensorflow.python.platform import gfile, tf_logging
        from tensorflow.python.util import nest
        x = constant_op.constant([[1.0, 2.0]], dtype=dtypes.float32)
        assert array_ops.shape(x).numpy().tolist() == [1, 2]
        assert float(math_ops.reduce_mean(math_ops.matmul(x, x, transpose_b=True))) == 5.0
        assert ops.convert_to_tensor is tf.convert_to_tensor and isinstance(x, ops.EagerTensor)
        assert tensor_shape.TensorShape([1]) == [1] and tensor_util.constant_value(x).shape == (1, 2)
        assert issubclass(test_util.TensorFlowTestCase, tf.test.TestCase)
        assert control_flow_ops.cond is tf.cond and nn_ops.relu is tf.nn.relu
        assert variables.Variable is ResourceVariable is tf.Variable and context.executing_eagerly()
        assert dataset_ops.DatasetV2 is tf.data.Dataset and backprop.GradientTape is tf.GradientTape
        assert def_function.function is tf.function and nest.flatten([1, [2]]) == [1, 2] and gfile.Exists
        tf_logging.info("said")
        print("all")
    """)
    assert printed.endswith("all")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (
            "import tensorflow as tf; tf.costant",
            "AttributeError: module 'tensorflow' has no attribute 'costant': TapeFlow has no such name; "
            "the nearest is 'constant'",
        ),
        (
            "from tensorflow import constnt",
            "No module or name 'tensorflow.constnt': TapeFlow has no such name; the nearest is 'constant'",
        ),
        ("import tensorflow.keras.calbacks", "No module or name 'tensorflow.keras.calbacks'"),
        (
            "from tensorflow.keras.callbacks import EarlyStoping",
            "ImportError: cannot import name 'EarlyStoping' from 'tensorflow.keras.callbacks': TapeFlow has no "
            "such name; the nearest is 'EarlyStopping'.",
        ),
        (
            "from tensorflow.keras.callbacks import earlystopping",
            "the nearest is 'EarlyStopping'",
        ),
        (
            "from keras import lossess",
            "No module or name 'keras.lossess': TapeFlow has no such name; the nearest are 'losses'",
        ),
        ("import tensorflow.contrib.slim", "No module or name 'tensorflow.contrib'"),
        ("import tensorflow.compat.v3 as tf", "No module or name 'tensorflow.compat.v3'"),
        ("import tensorflow.python.lite", "No module or name 'tensorflow.python.lite'"),
        ("from tensorflow.python.ops.math_ops import reduce_men", "the nearest are 'reduce_mean'"),
        ("from tensorflow.python.ops import math_op", "the nearest is 'math_ops'"),
        ("import tensorflow.engine", "No module or name 'tensorflow.engine'"),
        ("from tensorflow.math import no_such", "cannot import name 'no_such'"),
        ("import keras; keras.Sequental", "module 'keras' has no attribute 'Sequental'"),
    ],
)
def test_what_is_missing_is_named_with_its_nearest(run: Run, code: str, error: str) -> None:
    printed = run(f"""
        try:
            {code}
        except (ImportError, AttributeError) as error:
            print(f"{{type(error).__name__}}: {{error}}")
    """)
    assert error in printed


def test_missing_names_can_be_asked_for(run: Run) -> None:
    run("""
        import tensorflow as tf
        assert not hasattr(tf, "contrib")
        assert getattr(tf, "contrib", 7) == 7
        assert "constant" in dir(tf) and "keras" in dir(tf) and "python" in dir(tf)
        try:
            import tensorflow.contrib
        except ModuleNotFoundError:
            pass
    """)


def test_installing_twice_is_installing_once(run: Run) -> None:
    run("""
        import sys
        tapeflow.compat.install()
        import tensorflow as tf
        tapeflow.compat.install()
        import tensorflow
        assert tensorflow is tf
        assert tapeflow.compat.is_installed()
        assert sum(type(f).__name__ == "Finder" and f.__module__.startswith("tapeflow") for f in sys.meta_path) == 1
    """)


def test_uninstalling_leaves_nothing(run: Run) -> None:
    run("""
        import sys
        import tensorflow.keras.callbacks, keras.losses
        from keras.utils import np_utils
        finders = len(sys.meta_path)
        tapeflow.compat.uninstall()
        tapeflow.compat.uninstall()
        assert len(sys.meta_path) == finders - 1
        assert not tapeflow.compat.is_installed()
        assert [n for n in sys.modules if n.split(".")[0] in ("tensorflow", "keras")] == []
        import tapeflow.keras.callbacks
        tapeflow.compat.install()
        import tensorflow
        assert tensorflow.keras.callbacks is tapeflow.keras.callbacks
    """)


@pytest.mark.parametrize("name", ["tensorflow", "keras"])
def test_refuses_when_the_real_one_is_there(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text("real = True\n")
    printed = run(
        f"""
        import sys
        sys.path.insert(0, ".")
        import {name}
        import tapeflow.compat
        try:
            tapeflow.compat.install()
        except RuntimeError as error:
            print(error)
        assert not tapeflow.compat.is_installed()
        assert {name}.real
        """,
        installed=False,
    )
    assert f"install() expected {name} not to be imported yet; got the real one, from " in printed
    assert "Call install() at the start of the program" in printed


def test_takes_precedence_over_a_real_one_that_is_installed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tensorflow.py").write_text("real = True\n")
    run("""
        import sys
        sys.path.insert(0, ".")
        import tensorflow
        assert not hasattr(tensorflow, "real")
    """)


def test_names_set_on_tensorflow_stay_there(run: Run) -> None:
    run("""
        import tensorflow as tf
        import tapeflow
        tf.my_own = 1
        tf.keras.datasets.mnist.load_data = 2
        assert not hasattr(tapeflow, "my_own")
        from tensorflow.keras.datasets import mnist
        assert mnist.load_data == 2
    """)


def test_packages_know_tensors_by_their_module(run: Callable[[str], str]) -> None:
    code = """
        import pickle
        import tensorflow as tf
        kinds = type(tf.constant(1.0)), type(tf.Variable(1.0))
        print([kind.__module__.partition(".")[0] for kind in kinds])
        print(pickle.loads(pickle.dumps(kinds)) == kinds)
        tapeflow.compat.uninstall()
        print([kind.__module__.partition(".")[0] for kind in kinds])
    """
    assert run(code).splitlines() == ["['tensorflow', 'tensorflow']", "True", "['tapeflow', 'tapeflow']"]


def test_inner_modules_of_packages(run: Callable[[str], str]) -> None:
    code = """
        import tensorflow as tf
        from tensorflow.keras.layers.core import TFOpLambda
        from tensorflow.python.framework.tensor_spec import BoundedTensorSpec, TensorSpec
        from tensorflow.python.util.object_identity import ObjectIdentitySet
        from tensorflow.python.util.tf_contextlib import contextmanager
        from tensorflow.tools.docs import doc_controls
        from tensorflow_estimator.python.estimator.canned import dnn
        print(isinstance(tf.keras.Model(x := tf.keras.Input((2,)), x + 1.0).layers[-1], TFOpLambda))
        tf.compat.v2.enable_v2_behavior()
        try:
            dnn.DNNClassifier()
        except NotImplementedError as error:
            print(error)
    """
    first, second = run(code).splitlines()
    assert first == "True"
    assert "train a tf.keras.Model" in second
