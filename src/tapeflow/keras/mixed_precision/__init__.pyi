from .loss_scale_optimizer import LossScaleOptimizer as LossScaleOptimizer
from .policy import DTypePolicy as DTypePolicy
from .policy import Policy as Policy
from .policy import dtype_policy as dtype_policy
from .policy import global_policy as global_policy
from .policy import set_dtype_policy as set_dtype_policy
from .policy import set_global_policy as set_global_policy
