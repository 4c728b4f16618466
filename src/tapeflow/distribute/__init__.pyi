# The public names of `tf.distribute`. `__init__.py` imports each one when it is first used.
from . import cluster_resolver as cluster_resolver
from . import experimental as experimental
from .context import ReplicaContext as ReplicaContext
from .context import get_replica_context as get_replica_context
from .context import get_strategy as get_strategy
from .context import has_strategy as has_strategy
from .context import in_cross_replica_context as in_cross_replica_context
from .dataset import DistributedDataset as DistributedDataset
from .dataset import DistributedIterator as DistributedIterator
from .dataset import InputContext as InputContext
from .dataset import InputOptions as InputOptions
from .multi_worker import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from .reduce_op import ReduceOp as ReduceOp
from .strategy import MirroredStrategy as MirroredStrategy
from .strategy import OneDeviceStrategy as OneDeviceStrategy
from .strategy import Strategy as Strategy
