"""SavedModels of TensorFlow's: which function a call gets, and what is refused, before anything runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.summary.protos import message

FIXTURES = Path(__file__).parents[3] / "parity" / "fixtures" / "saved_models"
X = np.float32([[1.0, 2.0, 3.0]])


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[str, Callable[[Any], None]], Path]:
    """A copy of a fixture whose graph something was done to."""

    def make(name: str, change: Callable[[Any], None]) -> Path:
        folder = tmp_path / name
        shutil.copytree(FIXTURES / name, folder)
        file = folder / "saved_model.pb"
        saved = message("SavedModel").FromString(file.read_bytes())
        change(saved.meta_graphs[0])
        file.write_bytes(saved.SerializeToString())
        return folder

    return make


def function_of(graph: Any, part: str) -> Any:
    return next(f for f in graph.graph_def.library.function if part in f.signature.name)


def all_ops(old: str, new: str) -> Callable[[Any], None]:
    def change(graph: Any) -> None:
        for function in graph.graph_def.library.function:
            for node in function.node_def:
                node.op = new if node.op == old else node.op

    return change


def test_objects_hang_where_they_hung() -> None:
    loaded = tf.saved_model.load(FIXTURES / "module_structures")
    assert float(loaded.parts[0]) == 1.0
    np.testing.assert_array_equal(loaded.parts[1]["x"].numpy(), [2.0, 3.0])
    assert float(loaded.inner.v) == 4.0
    assert loaded.inner.v.name == "deep:0"
    assert len(loaded.trainable_variables) == 3


def test_a_call_that_fits_no_concrete_function_says_which_there_are() -> None:
    loaded = tf.saved_model.load(FIXTURES / "module_structures")
    with pytest.raises(ValueError, match=r"Could not find matching concrete function.*(?s:.)*Option 3:"):
        loaded.f({"a": tf.constant([1.0, 2.0]), "b": [tf.constant(3.0)]}, 17.0)
    with pytest.raises(TypeError, match="missing a required argument"):
        loaded.f()


def test_numbers_become_tensors_where_only_tensors_fit() -> None:
    loaded = tf.saved_model.load(FIXTURES / "module_linear")
    np.testing.assert_allclose(loaded(X), loaded(tf.constant(X)))
    np.testing.assert_allclose(loaded([[1.0, 2.0, 3.0]]), loaded(tf.constant(X)))
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded(tf.constant([[1, 2, 3]]))


def test_signatures_take_tensors_by_name() -> None:
    loaded = tf.saved_model.load(FIXTURES / "module_signatures")
    assert sorted(loaded.signatures) == ["compare", "serving_default"]
    compare = loaded.signatures["compare"]
    assert list(compare.structured_outputs) == ["distance"]
    assert compare(left=X, right=X)["distance"].numpy().tolist() == [0.0]
    with pytest.raises(
        TypeError, match=r"'compare' expected the tensors \['left', 'right'\]; got \['left'\]"
    ):
        compare(left=X)
    with pytest.raises(TypeError, match="expected its tensors by name"):
        compare(X, X)
    with pytest.raises(TypeError, match="'compare' expected tensors like"):
        compare(left=X, right=X.astype(str))


def test_a_loaded_function_is_part_of_what_is_around_it() -> None:
    loaded = tf.saved_model.load(FIXTURES / "module_linear")

    @tf.function
    def twice(x: Any) -> Any:
        return 2.0 * loaded(x)

    np.testing.assert_allclose(twice(tf.constant(X)), 2.0 * loaded(X), rtol=1e-6)
    rows = tf.data.Dataset.from_tensor_slices(np.repeat(X, 4, 0)).batch(2).map(loaded)
    np.testing.assert_allclose(np.concatenate(list(rows)), loaded(np.repeat(X, 4, 0)), rtol=1e-6)
    with tf.GradientTape() as tape:
        x = tf.constant(X)
        tape.watch(x)
        loss = tf.reduce_sum(loaded(x))
    np.testing.assert_allclose(tape.gradient(loss, x), loaded.w.numpy().sum(1)[None], rtol=1e-6)


def test_tags_choose_a_graph() -> None:
    tf.saved_model.load(FIXTURES / "module_linear", tags=["serve"])
    with pytest.raises(ValueError, match=r"got tags=\['train'\]: could not be found in \[\['serve'\]\]"):
        tf.saved_model.load(FIXTURES / "module_linear", tags="train")


def test_several_graphs_need_tags(tmp_path: Path) -> None:
    folder = tmp_path / "two"
    shutil.copytree(FIXTURES / "module_linear", folder)
    saved = message("SavedModel").FromString((folder / "saved_model.pb").read_bytes())
    saved.meta_graphs.add().CopyFrom(saved.meta_graphs[0])
    saved.meta_graphs[1].meta_info_def.tags[:] = ["serve", "gpu"]
    (folder / "saved_model.pb").write_bytes(saved.SerializeToString())
    with pytest.raises(ValueError, match="requires a `tags=` argument if there is more than one MetaGraph"):
        tf.saved_model.load(folder)
    assert tf.saved_model.load(folder, ["gpu", "serve"]).w.shape == (3, 2)


def test_a_graph_of_tensorflow_1_is_cut_between_tensors() -> None:
    loaded = tf.saved_model.load(FIXTURES / "v1_reference_variables")
    hidden = loaded.prune("x:0", "Relu:0")
    x = np.ones((2, 4), np.float32)
    served = loaded.signatures["serving_default"](x=x)
    np.testing.assert_allclose(hidden(x), served["h"])
    assert [v.name for v in loaded.trainable_variables] == ["w:0", "b:0"]
    assert len(loaded.variables) == 3
    with pytest.raises(ValueError, match="has no tensor 'nowhere:0' to be given"):
        loaded.prune("nowhere:0", "Relu:0")(x)


def test_ops_that_are_not_there_are_named_before_anything_runs(changed: Any) -> None:
    loaded = tf.saved_model.load(changed("module_linear", all_ops("AddV2", "Frobnicate")))
    before = loaded.count.numpy()
    with pytest.raises(NotImplementedError, match=r"got 'Frobnicate' \(node '.*' of '__inference_.*'\)"):
        loaded.step(2)
    with pytest.raises(NotImplementedError, match="Nothing was run"):
        loaded(X)
    assert loaded.count.numpy() == before


@pytest.mark.parametrize("op", ["ReadFile", "WriteFile", "EagerPyFunc", "PyFunc", "SaveV2"])
def test_ops_that_reach_out_are_refused_by_name(changed: Any, op: str) -> None:
    folder = changed("module_linear", all_ops("AddV2", op))
    with pytest.raises(PermissionError, match=f"got op {op!r} .* which reaches out of the program"):
        tf.saved_model.load(folder)(X)
    trusted = tf.saved_model.load(folder, options=tf.saved_model.LoadOptions(safe_mode=False))
    with pytest.raises(NotImplementedError, match=op):
        trusted(X)


def test_assets_lie_in_the_folder(changed: Any, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret\n")

    def rename(name: str) -> Callable[[Any], None]:
        return lambda graph: setattr(graph.asset_file_def[0], "filename", name)

    for name in ("../../secret.txt", str(tmp_path / "secret.txt"), ""):
        folder = changed("vocabulary_file", rename(name))
        with pytest.raises(ValueError, match="is outside the folder"):
            tf.saved_model.load(folder)
        shutil.rmtree(folder)
    folder = changed("vocabulary_file", rename("link.txt"))
    (folder / "assets" / "link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(ValueError, match="a symbolic link to a place outside it"):
        tf.saved_model.load(folder)


def test_a_function_that_calls_itself_forever_ends(changed: Any) -> None:
    def change(graph: Any) -> None:
        function = function_of(graph, "__call__")
        node = next(n for n in function.node_def if n.op == "AddV2")
        node.op = "PartitionedCall"
        node.attr["f"].func.name = function.signature.name
        del node.input[:]
        node.input.extend(a.name for a in function.signature.input_arg)

    with pytest.raises(ValueError, match="deeper than functions may go"):
        tf.saved_model.load(changed("module_linear", change))(X)


def test_graphs_with_cycles_are_refused(changed: Any) -> None:
    def change(graph: Any) -> None:
        function = function_of(graph, "__call__")
        add = next(n for n in function.node_def if n.op == "AddV2")
        product = next(n for n in function.node_def if n.op == "MatMul")
        product.input[0] = f"{add.name}:z:0"

    with pytest.raises(ValueError, match="has a cycle through node"):
        tf.saved_model.load(changed("module_linear", change))(X)


def test_damaged_folders_give_one_kind_of_error(tmp_path: Path, changed: Any) -> None:
    broken = "expected a whole SavedModel; got .* which cannot be read"
    folder = tmp_path / "m"
    shutil.copytree(FIXTURES / "module_linear", folder)
    data = (folder / "saved_model.pb").read_bytes()
    (folder / "saved_model.pb").write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match=broken):
        tf.saved_model.load(folder)

    def far(graph: Any) -> None:
        graph.object_graph_def.nodes[0].children[0].node_id = 10_000

    with pytest.raises(ValueError, match=f"{broken}: .*leads"):
        tf.saved_model.load(changed("module_linear", far))

    def huge(graph: Any) -> None:
        for node in graph.object_graph_def.nodes:
            if node.WhichOneof("kind") == "variable":
                node.variable.shape.dim.add(size=1 << 40)

    with pytest.raises(ValueError, match="of another kind in the checkpoint"):
        tf.saved_model.load(changed("module_signatures", huge))
