"""`tf.__internal__`: what TensorFlow's own libraries reach for."""

from __future__ import annotations

from types import SimpleNamespace

from tapeflow.compat.inner import control_flow, eager, monitoring, nests
from tapeflow.compat.inner.composites import CompositeTensor as CompositeTensor
from tapeflow.compat.inner.decorators import make_decorator, unwrap
from tapeflow.compat.inner.moving_average import assign_moving_average
from tapeflow.compat.inner.tracking import (
    no_automatic_dependency_tracking,
    sticky_attribute_assignment,
    wrap_or_unwrap,
)
from tapeflow.engine.recording.symbolic import Symbolic as SymbolicTensor  # noqa: F401
from tapeflow.engine.values.tensor import Tensor as EagerTensor  # noqa: F401

decorator = SimpleNamespace(make_decorator=make_decorator, unwrap=unwrap)
monitoring = SimpleNamespace(BoolGauge=monitoring.BoolGauge)
nest = SimpleNamespace(
    flatten_up_to=nests.flatten_up_to,
    get_traverse_shallow_structure=nests.get_traverse_shallow_structure,
    is_attrs=nests.is_attrs,
    is_mapping=nests.is_mapping,
    list_to_tuple=nests.list_to_tuple,
    map_structure_up_to=nests.map_structure_up_to,
    sequence_like=nests.sequence_like,
    yield_flat_paths=nests.yield_flat_paths,
)
smart_cond = SimpleNamespace(smart_cond=control_flow.smart_cond)
tf2 = SimpleNamespace(enabled=eager.enabled)
tracking = SimpleNamespace(
    no_automatic_dependency_tracking=no_automatic_dependency_tracking,
    sticky_attribute_assignment=sticky_attribute_assignment,
    wrap=wrap_or_unwrap,
)
train = SimpleNamespace(assign_moving_average=assign_moving_average)
