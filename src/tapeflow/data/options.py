"""`tf.data.Options`: accepted and kept. What they tune, TapeFlow decides by itself, but for `auto_shard_policy`.

Only names that TensorFlow knows can be set, so that a misspelt option is an error here too.
"""

from __future__ import annotations

import enum


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is split among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class AutotuneAlgorithm(enum.Enum):
    """The algorithm with which TensorFlow tunes parallelism."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class ExternalStatePolicy(enum.Enum):
    """How TensorFlow treats external state, such as a generator, when it copies a pipeline."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class _Options:
    """A group of options, all None until they are set."""

    _names: tuple[str, ...] = ()

    def __init__(self) -> None:
        for name in self._names:
            object.__setattr__(self, name, None)

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self._names:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}: it expected one of "
                f"{', '.join(self._names)}."
            )
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        given = ", ".join(f"{k}={v!r}" for k, v in vars(self).items() if v is not None)
        return f"{type(self).__name__}({given})"


class AutotuneOptions(_Options):
    """Options for TensorFlow's tuning of parallelism."""

    _names = (
        "autotune_algorithm",
        "cpu_budget",
        "enabled",
        "initial_parallelism",
        "min_parallelism",
        "ram_budget",
    )


class DistributeOptions(_Options):
    """How a dataset is split among workers."""

    _names = ("auto_shard_policy", "num_devices")

    auto_shard_policy: AutoShardPolicy | None


class OptimizationOptions(_Options):
    """The optimizations that TensorFlow applies to a pipeline."""

    _names = (
        "apply_default_optimizations",
        "filter_fusion",
        "filter_parallelization",
        "inject_prefetch",
        "map_and_batch_fusion",
        "map_and_filter_fusion",
        "map_fusion",
        "map_parallelization",
        "noop_elimination",
        "parallel_batch",
        "seq_interleave_prefetch",
        "shuffle_and_repeat_fusion",
    )


class ThreadingOptions(_Options):
    """The number of threads that a pipeline uses."""

    _names = ("max_intra_op_parallelism", "private_threadpool_size")


class Options(_Options):
    """Options of a dataset, for `Dataset.with_options`."""

    _names = (
        "autotune",
        "dataset_name",
        "deterministic",
        "experimental_deterministic",
        "experimental_distribute",
        "experimental_external_state_policy",
        "experimental_optimization",
        "experimental_service",
        "experimental_slack",
        "experimental_symbolic_checkpoint",
        "experimental_threading",
        "experimental_warm_start",
        "framework_type",
        "threading",
    )

    autotune: AutotuneOptions
    deterministic: bool | None
    experimental_distribute: DistributeOptions
    experimental_optimization: OptimizationOptions
    threading: ThreadingOptions

    def __init__(self) -> None:
        super().__init__()
        self.autotune = AutotuneOptions()
        self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.threading = self.experimental_threading = ThreadingOptions()

    def merge(self, options: Options) -> Options:
        """These options, with those that `options` sets."""
        merged = Options()
        for given in (self, options):
            for name, value in vars(given).items():
                if isinstance(value, _Options):
                    _take_over(getattr(merged, name), value)
                elif value is not None:
                    setattr(merged, name, value)
        return merged


def _take_over(target: object, given: _Options) -> None:
    for name, value in vars(given).items():
        if value is not None:
            setattr(target, name, value)
