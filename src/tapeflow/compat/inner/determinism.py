"""`tensorflow.python.framework.config`: determinism, which can be asked about and given back there."""

from tapeflow.config.experimental import enable_op_determinism as enable_op_determinism
from tapeflow.engine.devices.startup import is_deterministic as is_op_determinism_enabled

__all__ = ["disable_op_determinism", "enable_op_determinism", "is_op_determinism_enabled"]


def disable_op_determinism() -> None:
    """Nothing to do: what has been asked of XLA at its start stays, and only makes kernels of GPUs slower."""
