"""`tf.distribute.cluster_resolver`."""

from tapeflow.distribute.resolvers import ClusterResolver as ClusterResolver
from tapeflow.distribute.resolvers import SimpleClusterResolver as SimpleClusterResolver
from tapeflow.distribute.resolvers import TFConfigClusterResolver as TFConfigClusterResolver
from tapeflow.distribute.resolvers import TPUClusterResolver as TPUClusterResolver
from tapeflow.distribute.resolvers import UnionResolver as UnionResolver
from tapeflow.distribute.slurm import SlurmClusterResolver as SlurmClusterResolver
