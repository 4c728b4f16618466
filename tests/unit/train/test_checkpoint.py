"""`tf.train.Checkpoint`: saved by structure, restored into what is there and into what comes later."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.recording.trace import live_trace
from tapeflow.train import restoration
from tapeflow.train.tensor_file import TensorFile, write_tensors

L = tf.keras.layers


class Lazy(tf.Module):
    """Makes its variable when it is called."""

    def __call__(self, x: Any) -> Any:
        if not hasattr(self, "w"):
            self.w = tf.Variable(tf.zeros([2]))
        return self.w * x


def stack() -> Any:
    model = tf.keras.Sequential([L.Dense(2), L.Dropout(0.5), L.Dense(1)])
    model.compile("adam", "mse", run_eagerly=True)
    return model


def test_all_kinds_of_objects(tmp_path: Path) -> None:
    def made(value: float) -> Any:
        data = tf.data.Dataset.range(20).shuffle(6)
        return tf.train.Checkpoint(
            xs=[tf.Variable(value), {"a": tf.Variable([value, value])}],
            metric=tf.keras.metrics.Mean(),
            iterator=iter(data),
            generator=tf.random.Generator.from_seed(int(value)),
            nested=tf.train.Checkpoint(n=tf.Variable(int(value))),
            names=tf.Variable([str(value), "b"]),
        )

    one, other = made(1.0), made(2.0)
    one.metric.update_state([1.0, 2.0])
    for _ in range(3):
        next(one.iterator)
    one.generator.normal([1])
    path = one.save(tmp_path / "ckpt")
    assert path == str(tmp_path / "ckpt-1")
    other.restore(path).assert_consumed()
    assert float(other.metric.result()) == 1.5
    assert [int(x) for x in other.iterator] == [int(x) for x in one.iterator]
    np.testing.assert_array_equal(other.generator.normal([2]), one.generator.normal([2]))
    assert other.xs[1]["a"].numpy().tolist() == [1.0, 1.0]
    assert int(other.nested.n) == 1
    assert other.names.numpy().tolist() == [b"1.0", b"b"]
    assert int(other.save_counter) == 1
    assert other.save(tmp_path / "ckpt") == str(tmp_path / "ckpt-2")


def test_weights_that_are_made_later(tmp_path: Path) -> None:
    x, y = np.ones((4, 3), np.float32), np.zeros((4, 1), np.float32)
    model = stack()
    model.train_on_batch(x, y)
    path = tf.train.Checkpoint(model=model).write(tmp_path / "w")
    again = stack()
    status = tf.train.Checkpoint(model=again).read(path)
    with pytest.raises(AssertionError, match="values of the checkpoint have no object to go to"):
        status.assert_consumed()
    np.testing.assert_array_equal(again.predict_on_batch(x), model.predict_on_batch(x))
    for each in (model, again):
        each.train_on_batch(x, y)
    status.assert_consumed()
    for a, b in zip(model.optimizer.variables, again.optimizer.variables, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_a_module_that_makes_its_variable_later(tmp_path: Path) -> None:
    one, other = Lazy(), Lazy()
    one(1.0)
    one.w.assign([3.0, 4.0])
    status = tf.train.Checkpoint(root=other).read(tf.train.Checkpoint(root=one).write(tmp_path / "w"))
    assert other(1.0).numpy().tolist() == [3.0, 4.0]
    status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match().expect_partial()


def holder(count: int) -> Any:
    """A module with lists and dicts of modules that make their variables later."""
    module = tf.Module()
    module.items, module.table = [Lazy() for _ in range(count)], {"a": {i: Lazy() for i in range(count)}}
    return module


def below(module: Any) -> list[Any]:
    return [*module.items, *module.table["a"].values()]


@pytest.fixture
def three_each(tmp_path: Path) -> str:
    """A checkpoint of a list and a dict of three modules each, whose variables are 0 to 5."""
    module = holder(3)
    for i, each in enumerate(below(module)):
        each(1.0)
        each.w.assign([i, i])
    return tf.train.Checkpoint(net=module).save(tmp_path / "ckpt")


def test_lists_and_dicts_that_grow_later(three_each: str) -> None:
    module = holder(1)
    module.items = []
    status = tf.train.Checkpoint(net=module).restore(three_each)
    module.items.append(Lazy())
    module.items.extend([Lazy()])
    module.items += [Lazy()]
    module.items.insert(3, Lazy())
    table = module.table["a"]
    table[1] = Lazy()
    table.update({2: Lazy()})
    table.setdefault(3, Lazy())
    assert [float(each(1.0)[0]) for each in below(module)] == [0, 1, 2, 0, 3, 4, 5, 0]
    with pytest.raises(AssertionError, match="Found 2 Python objects that were not bound"):
        status.assert_consumed()
    assert module.items._deferred is None  # everything has its value
    copied = copy.deepcopy(module)
    copied.items.append(Lazy())
    copied.table |= {"b": Lazy()}
    assert len(module.items) == 4


def test_lists_that_are_made_later(three_each: str) -> None:
    module = tf.Module()
    tf.train.Checkpoint(net=module).restore(three_each)
    module.items = []
    module.items.append(Lazy())
    module.table = {"a": {}}
    module.table["a"][2] = Lazy()
    module.items[0] = Lazy()  # in the place of one that has no value yet
    assert [float(each(1.0)[0]) for each in below(module)] == [0, 5]


def test_layers_in_lists_that_a_model_makes_when_it_is_called(tmp_path: Path) -> None:
    class Stack(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.parts: list[Any] = []

        def call(self, x: Any) -> Any:
            if not self.parts:
                for _ in range(2):
                    self.parts.append(L.Dense(3))
            for part in self.parts:
                x = part(x)
            return x

    x = np.ones((1, 3), np.float32)
    model, again = Stack(), Stack()
    model(x)
    status = tf.train.Checkpoint(again).restore(tf.train.Checkpoint(model).save(tmp_path / "ckpt"))
    again(x)
    for a, b in zip(again.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)
    status.assert_consumed()


def test_models_inside_models_that_are_not_built(tmp_path: Path) -> None:
    def made() -> Any:
        model = tf.keras.Sequential([tf.keras.Sequential([L.Dropout(0.5), L.Dense(2)]), L.Dense(1)])
        model.compile("adam", "mse")
        return model

    x, y = np.ones((4, 3), np.float32), np.zeros((4, 1), np.float32)
    model, again = made(), made()
    model.fit(x, y, verbose=0)
    status = tf.train.Checkpoint(again).restore(tf.train.Checkpoint(model).save(tmp_path / "ckpt"))
    for each in (model, again):
        each.fit(x, y, verbose=0)
    status.assert_consumed()
    for a, b in zip(model.get_weights(), again.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_count_of_saves_goes_on_after_read(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    for _ in range(2):
        path = checkpoint.save(tmp_path / "ckpt")
    other = tf.train.Checkpoint(v=tf.Variable(0.0))
    other.read(path)
    assert int(other.save_counter) == 2


def test_names_and_attributes_of_a_checkpoint(tmp_path: Path) -> None:
    module, other = holder(1), tf.Variable(1.0)
    with pytest.raises(ValueError, match=r"keyword argument items if root\.items already exists"):
        tf.train.Checkpoint(module, items=other)
    checkpoint = tf.train.Checkpoint(module, items=module.items, v=other)
    checkpoint.note = "kept, but not saved"
    names = [name for name, _ in tf.train.list_variables(checkpoint.write(tmp_path / "w"))]
    assert names == ["_CHECKPOINTABLE_OBJECT_GRAPH", "v/.ATTRIBUTES/VARIABLE_VALUE"]


def test_loss_scale_and_schedules(tmp_path: Path) -> None:
    def made() -> Any:
        inner = tf.keras.optimizers.SGD(0.5, momentum=0.9)
        return tf.keras.mixed_precision.LossScaleOptimizer(inner, initial_scale=4.0)

    one, other, v = made(), made(), tf.Variable([1.0])
    one.build([v])
    one.dynamic_scale.assign(64.0)
    one.learning_rate = 0.25
    path = tf.train.Checkpoint(opt=one).write(tmp_path / "w")
    status = tf.train.Checkpoint(opt=other).read(path)
    other.build([v])
    status.assert_consumed()
    assert float(other.dynamic_scale) == 64.0
    assert float(other.learning_rate) == 0.25


def test_statuses(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(tmp_path / "w")
    fewer = tf.train.Checkpoint(a=tf.Variable(0.0)).read(path)
    assert fewer.assert_existing_objects_matched()
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint: 1 values .*\['b'\]"):
        fewer.assert_consumed()
    more = tf.train.Checkpoint(a=tf.Variable(0.0), c=tf.Variable(0.0)).read(path)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        more.assert_existing_objects_matched()
    other = tf.train.Checkpoint(z=tf.Variable(0.0)).read(path)
    with pytest.raises(AssertionError, match="Nothing except the root object matched"):
        other.assert_nontrivial_match()
    nothing = tf.train.Checkpoint(z=tf.Variable(0.0)).restore(None).expect_partial()
    for check in ("assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match"):
        with pytest.raises(AssertionError, match=r"No checkpoint specified \(save_path=None\)"):
            getattr(nothing, check)()


def test_values_that_do_not_fit_change_nothing(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable([2.0])).write(tmp_path / "w")
    a = tf.Variable(0.0)
    with pytest.raises(ValueError, match=r"incompatible tensor with shape \(1,\) .* with shape \(2,\)"):
        tf.train.Checkpoint(a=a, b=tf.Variable([0.0, 0.0])).read(path)
    with pytest.raises(
        ValueError, match="expected a tensor of dtype int32 for variable Variable:0; got float32"
    ):
        tf.train.Checkpoint(a=a, b=tf.Variable([0])).read(path)
    assert float(a) == 0.0


def test_paths_and_files_that_are_none(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(a=tf.Variable(1.0))
    with pytest.raises(
        tf.errors.NotFoundError, match="no file .*w.safetensors.*missing the checkpoint suffix"
    ):
        checkpoint.restore(tmp_path / "w")
    (tmp_path / "w.index").touch()
    with pytest.raises(ValueError, match="expected a whole TensorFlow checkpoint; got .*w.index.*no footer"):
        checkpoint.restore(tmp_path / "w")
    write_tensors(tmp_path / "t.safetensors", {"a": np.zeros(1)})
    with pytest.raises(ValueError, match="no graph of objects"):
        checkpoint.restore(tmp_path / "t")
    for graph, text in (
        ("[", "cannot be read"),
        ('[{"children":{"a":7},"name":""}]', "not sound"),
        ("[3]", "not sound"),
    ):
        write_tensors(tmp_path / "g.safetensors", {}, {"format": "tapeflow-checkpoint", "graph": graph})
        with pytest.raises(ValueError, match=text):
            checkpoint.restore(tmp_path / "g")
    with pytest.raises(
        ValueError, match="expecting x to be a trackable object .* got 3. Make it a tf.Variable"
    ):
        tf.train.Checkpoint(x=3)


def test_another_datasets_state(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(it=iter(tf.data.Dataset.range(9).shuffle(3))).write(tmp_path / "w")
    with pytest.raises(ValueError, match="Is the dataset the one that was saved"):
        tf.train.Checkpoint(it=iter(tf.data.Dataset.range(9).batch(2))).read(path)


def test_writing_on_a_thread(tmp_path: Path) -> None:
    v, called = tf.Variable(1.0), []
    checkpoint = tf.train.Checkpoint(v=v)
    options = tf.train.CheckpointOptions(enable_async=True, experimental_write_callbacks=[called.append])
    path = checkpoint.save(tmp_path / "ckpt", options)
    v.assign(2.0)
    checkpoint.sync()
    assert called == [path]
    checkpoint.restore(path)
    assert float(v) == 1.0


def test_names_are_tensorflows(tmp_path: Path) -> None:
    model = stack()
    model.train_on_batch(np.ones((2, 3), np.float32), np.zeros((2, 1), np.float32))
    path = tf.train.Checkpoint(model=model, d={"a": tf.Variable(1.0)}).save(tmp_path / "ckpt")
    names = [name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name, _ in tf.train.list_variables(path)]
    # What TensorFlow 2.21 with Keras 2 lists for the same objects.
    optimizer = [f"model/optimizer/_variables/{i}" for i in range(1, 9)]
    assert names == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "d/a",
        *[f"model/layer_with_weights-{i}/{w}" for i in (0, 1) for w in ("bias", "kernel")],
        "model/optimizer/_iterations",
        "model/optimizer/_learning_rate",
        *optimizer,
        "save_counter",
    ]
    reader = tf.train.load_checkpoint(tmp_path)
    assert reader.has_tensor("d/a/.ATTRIBUTES/VARIABLE_VALUE")
    assert reader.get_variable_to_dtype_map()["d/a/.ATTRIBUTES/VARIABLE_VALUE"] is tf.float32
    assert tf.train.load_variable(path, "d/a/.ATTRIBUTES/VARIABLE_VALUE") == 1.0
    with pytest.raises(tf.errors.NotFoundError, match="Key x not found in checkpoint"):
        reader.get_tensor("x")
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.train.load_checkpoint(tmp_path.parent / tmp_path.name / "..")


def test_a_file_is_plain_safetensors(tmp_path: Path) -> None:
    tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tmp_path / "w")
    with TensorFile(tmp_path / "w.safetensors") as file:
        assert file.read("v/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [1.0, 2.0]


def test_what_a_checkpoint_below_gets_later(tmp_path: Path) -> None:
    saved = tf.train.Checkpoint(net=tf.train.Checkpoint(a=tf.Variable(1.0), bs=[tf.Variable(2.0)]))
    path = saved.save(tmp_path / "ckpt")
    net = tf.train.Checkpoint()
    status = tf.train.Checkpoint(net=net).restore(path)
    status.assert_existing_objects_matched()
    with pytest.raises(AssertionError, match="2 values of the checkpoint have no object"):
        status.assert_consumed()
    net.a, net.other = tf.Variable(0.0), tf.Variable(7.0)
    assert (float(net.a), float(net.other)) == (1.0, 7.0)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        status.assert_existing_objects_matched()
    net.other = []
    net.a = tf.Variable(5.0)  # its value has been given; this is another one
    assert float(net.a) == 5.0
    net.bs = [tf.Variable(0.0), tf.Variable(9.0)]
    assert [float(b) for b in net.bs] == [2.0, 9.0]
    assert net._deferred is None  # nothing is left to wait for
    with pytest.raises(AssertionError, match="Found 2 Python objects that were not bound"):
        status.assert_existing_objects_matched()
    assert float(net.a) == 5.0  # asking changes nothing


def test_an_attribute_of_a_restored_module_costs_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = Lazy(), Lazy()
    one(1.0)
    one.more = tf.Variable(1.0)
    path = tf.train.Checkpoint(root=one).write(tmp_path / "w")
    tf.train.Checkpoint(root=other).read(path)
    looked: list[Any] = []
    look = restoration.children
    monkeypatch.setattr(restoration, "children", lambda owner: looked.append(owner) or look(owner))
    for i in range(3):
        other.step = i
    assert looked == []
    other(1.0)
    assert other._deferred is not None
    other.more = tf.Variable(0.0)
    assert float(other.more) == 1.0
    assert other._deferred is None


def test_the_variables_of_an_optimizer_are_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = [tf.Variable([float(i)]) for i in range(4)]
    one, other = tf.keras.optimizers.Adam(), tf.keras.optimizers.Adam()
    one.apply_gradients([(tf.constant([1.0]), weight) for weight in weights])
    status = tf.train.Checkpoint(opt=other).read(tf.train.Checkpoint(opt=one).write(tmp_path / "w"))
    looked: list[Any] = []
    look = restoration.children
    monkeypatch.setattr(restoration, "children", lambda owner: looked.append(owner) or look(owner))
    other.build(weights)
    assert looked == []
    for a, b in zip(one.variables, other.variables, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    status.assert_consumed()


def test_a_graph_whose_tensor_is_no_name(tmp_path: Path) -> None:
    graph = '[{"children":{},"name":"","tensor":["v"]}]'
    write_tensors(tmp_path / "g.safetensors", {}, {"format": "tapeflow-checkpoint", "graph": graph})
    with pytest.raises(ValueError, match="its graph is not sound"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).restore(tmp_path / "g")


def test_names_are_not_listed_anew_for_every_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tf.train.Checkpoint(vs=[tf.Variable(float(i)) for i in range(9)]).write(tmp_path / "w")
    listed: list[TensorFile] = []
    monkeypatch.setattr(
        TensorFile, "names", property(lambda file: listed.append(file) or list(file._entries))
    )
    tf.train.Checkpoint(vs=[tf.Variable(0.0) for _ in range(9)]).read(path)
    assert len(listed) < 9


def test_keys_that_look_like_paths(tmp_path: Path) -> None:
    def made(*values: float) -> Any:
        one, other = map(tf.Variable, values)
        return tf.train.Checkpoint(d={"a/b": one, "a": {"b": other}, "n": 3}, plain=[1, 2])

    path = made(1.0, 2.0).write(tmp_path / "w")
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "d/a.Sb/.ATTRIBUTES/VARIABLE_VALUE" in names
    again = made(0.0, 0.0)
    again.read(path).assert_consumed()
    assert [float(again.d["a/b"]), float(again.d["a"]["b"])] == [1.0, 2.0]
    assert type(tf.train.load_variable(path, "d/a/b/.ATTRIBUTES/VARIABLE_VALUE")) is np.float32


def test_what_follows_a_restore_is_the_program_that_followed_the_save(tmp_path: Path, counting: Any) -> None:
    """What happened to be pending before takes no part in it: it would change how the noise is computed."""
    v = tf.Variable(tf.zeros(3))
    checkpoint = tf.train.Checkpoint(v=v)

    def step() -> None:
        v.assign_add(0.1 * tf.random.normal((3,)))

    held = [tf.sin(tf.constant([1.0, 2.0])) for _ in range(5)]
    path = checkpoint.write(tmp_path / "ckpt")
    assert not live_trace().nodes
    step()
    v.numpy()
    held += [tf.sin(tf.constant([1.0, 2.0])) for _ in range(5)]
    checkpoint.read(path)
    assert not live_trace().nodes
    with counting() as spent:
        step()
        v.numpy()
    assert (spent.compiled, spent.dispatched) == (0, 1)
    assert len(held) == 10
