"""The modules that tensors say they are of."""

from __future__ import annotations

from tapeflow.engine.values.origin import say_theirs, stands_for
from tapeflow.engine.values.tensor import Tensor


def test_classes_say_theirs_or_ours() -> None:
    class Own:
        pass

    ours = Own.__module__
    stands_for(Own, "tensorflow.somewhere")
    assert Own.__module__ == ours
    try:
        say_theirs(True)
        assert Own.__module__ == "tensorflow.somewhere"
        assert Tensor.__module__ == "tensorflow.python.framework.ops"

        class Later:
            pass

        stands_for(Later, "tensorflow.elsewhere")
        assert Later.__module__ == "tensorflow.elsewhere"
    finally:
        say_theirs(False)
    assert (Own.__module__, Tensor.__module__) == (ours, "tapeflow.engine.values.tensor")
