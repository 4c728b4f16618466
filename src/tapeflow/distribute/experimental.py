"""`tf.distribute.experimental`: saving on preemption, older names, and options that have no effect here."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tapeflow.distribute import partitioners as partitioners
from tapeflow.distribute.dataset import ValueContext as ValueContext
from tapeflow.distribute.multi_worker import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tapeflow.distribute.parameter_server import ParameterServerStrategy as ParameterServerStrategy
from tapeflow.distribute.preemption import PreemptionCheckpointHandler as PreemptionCheckpointHandler
from tapeflow.distribute.preemption import TerminationConfig as TerminationConfig
from tapeflow.distribute.strategy import CentralStorageStrategy as CentralStorageStrategy
from tapeflow.distribute.tpu import TPUStrategy as TPUStrategy


class CommunicationImplementation(enum.Enum):
    """How workers sum values. JAX chooses: gloo between CPUs, NCCL between GPUs."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


CollectiveCommunication = CommunicationImplementation


@dataclass(frozen=True)
class CommunicationOptions:
    """Taken, and looked at for `timeout_seconds` alone."""

    bytes_per_pack: int = 0
    timeout_seconds: float | None = None
    implementation: CommunicationImplementation = CommunicationImplementation.AUTO


CollectiveHints = CommunicationOptions
