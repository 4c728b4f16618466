"""How Variables on several devices are kept alike: TensorFlow's names for the choices."""

from __future__ import annotations

import enum


class VariableAggregation(enum.Enum):
    """How assignments by several replicas to one Variable are combined."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class VariableSynchronization(enum.Enum):
    """When the copies of a Variable are brought together."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class AggregationMethod:
    """TensorFlow's names for ways to add gradients. They are added by one program here, whichever is named."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2
