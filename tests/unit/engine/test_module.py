"""tf.Module: order, names and scopes as in TensorFlow 2.21."""

from collections import OrderedDict, deque
from typing import Any, NamedTuple

import pytest

from tapeflow.engine.module import Module
from tapeflow.engine.recording.name_scope import current_name_scope, name_scope
from tapeflow.engine.values.variable import Variable


class Foo(Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = Variable(1.0, name="w")
        self.b = Variable(2.0, name="b", trainable=False)

    @Module.with_name_scope
    def scope(self) -> str:
        """The scope inside."""
        return current_name_scope()


class Pair(NamedTuple):
    y: Any
    x: Any


def labels(values: Any) -> list[str]:
    return [value.name.removesuffix(":0") for value in values]


def variable(name: str) -> Variable:
    return Variable(1.0, name=name)


@pytest.mark.parametrize(
    ("class_name", "name"),
    [
        ("Foo", "foo"),
        ("MyFooBar", "my_foo_bar"),
        ("HTTPServer2D", "http_server2_d"),
        ("_Priv", "__priv"),
    ],
)
def test_default_names(class_name: str, name: str) -> None:
    assert type(class_name, (Module,), {})().name == name


@pytest.mark.parametrize("name", ["x y", "1x", "x/y", "", "é", "a-b", "a.b", 3])
def test_bad_names(name: Any) -> None:
    with pytest.raises(ValueError, match=r"is not a valid module name: tf.Module expected name"):
        Module(name=name)


def test_scopes() -> None:
    assert Foo("x").scope() == "x/"
    assert Foo.scope.__doc__ == "The scope inside."
    with name_scope("outer"):
        module = Foo("h")
        assert module.name == "h"
        assert module.scope() == "outer/h/"
    # The scope is the one of construction, wherever the method is called from.
    with name_scope("elsewhere"):
        assert module.scope() == "outer/h/"
    assert module.name_scope.name == "outer/h/"


def test_variables_by_trainability() -> None:
    module = Foo()
    assert labels(module.variables) == ["b", "w"]
    assert labels(module.trainable_variables) == ["w"]
    assert labels(module.non_trainable_variables) == ["b"]
    assert type(module.variables) is type(module.submodules) is tuple


def test_own_variables_come_first_then_submodules_in_order() -> None:
    root = Module("root")
    root.a = Module("a")  # pyright: ignore
    root.a.v = variable("child")  # pyright: ignore
    root.a.a = Module("a")  # pyright: ignore
    root.a.a.v = variable("grandchild")  # pyright: ignore
    root.b = Module("b")  # pyright: ignore
    root.b.v = variable("second_child")  # pyright: ignore
    root.z = variable("own")  # pyright: ignore
    assert labels(root.variables) == ["own", "child", "grandchild", "second_child"]


def nested_module() -> Module:
    module: Any = Module("m")
    module.z = variable("z")
    module.a = [variable("a0"), {"q": variable("aq"), "b": Foo("inner")}]
    module.t = (variable("t0"),)
    module.dup = module.z
    module.d = {"y": variable("dy"), "x": variable("dx")}
    module.od = OrderedDict(z=variable("odz"), y=variable("ody"))
    module.dq = deque([variable("dq")])
    module.n = None
    module.text = "text"
    module.sub = Foo("sub")
    module._hidden = variable("hid")
    module.cycle = module
    module.nt = Pair(variable("nty"), variable("ntx"))
    module.keys = {2: variable("k2"), 1: variable("k1")}
    module.deep = [[[[Foo("deep")]]]]
    return module


def test_structures_are_walked() -> None:
    module = nested_module()
    own = ["hid", "a0", "aq", "dx", "dy", "dq", "z", "k1", "k2", "nty", "ntx", "ody", "odz", "t0"]
    assert labels(module.variables) == own + ["b", "w"] * 3
    assert labels(module.submodules) == ["inner", "deep", "sub"]


def test_paths() -> None:
    pairs = nested_module()._flatten(predicate=lambda value: isinstance(value, Variable), with_path=True)
    paths = [path for path, _ in pairs]
    assert paths[:3] == [("_hidden",), ("a", 0), ("a", 1, "q")]
    assert ("nt", "y") in paths
    assert ("keys", 1) in paths
    # A value held twice has two paths.
    assert ("dup",) in paths
    assert ("z",) in paths
    assert paths[-6:] == [
        ("a", 1, "b", "b"),
        ("a", 1, "b", "w"),
        ("deep", 0, 0, 0, 0, "b"),
        ("deep", 0, 0, 0, 0, "w"),
        ("sub", "b"),
        ("sub", "w"),
    ]


def test_flatten_options() -> None:
    module: Any = Module("m")
    module.first, module.second = variable("first"), variable("second")
    module.sub = Foo("sub")
    is_variable = lambda value: isinstance(value, Variable)  # noqa: E731
    assert labels(module._flatten(recursive=False, predicate=is_variable)) == ["first", "second"]
    backwards = module._flatten(predicate=is_variable, attribute_traversal_key=lambda name: -ord(name[0]))
    assert labels(backwards) == ["second", "first", "w", "b"]
    assert "m" in list(module._flatten())


def test_ignored_attributes() -> None:
    class Careful(Foo):
        _TF_MODULE_IGNORED_PROPERTIES = frozenset(["b"])

    assert labels(Careful().variables) == ["w"]


def test_what_is_not_an_attribute_of_the_object_is_not_found() -> None:
    class Shared(Module):
        shared = variable("shared")

        @property
        def made(self) -> Variable:
            return variable("made")

    assert Shared().variables == ()


def test_without_super_init() -> None:
    class Bare(Module):
        def __init__(self) -> None:
            self.w = variable("w")

    assert labels(Bare().variables) == ["w"]
    with pytest.raises(AttributeError):
        _ = Bare().name


def test_attributes_that_cannot_be_walked() -> None:
    module: Any = Module("m")
    module.mixed = {"b": 1, 1: 2}
    with pytest.raises(ValueError, match=r"Module.variables expected every attribute .* got mixed="):
        _ = module.variables
