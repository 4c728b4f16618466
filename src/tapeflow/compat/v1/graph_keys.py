"""`tf.compat.v1.GraphKeys`: the names of a graph's collections, for modules that name them at their start."""

from __future__ import annotations


class GraphKeys:
    """The names; there are no graphs, so nothing is in the collections."""

    ASSET_FILEPATHS = "asset_filepaths"
    BIASES = "biases"
    COND_CONTEXT = "cond_context"
    EVAL_STEP = "eval_step"
    GLOBAL_STEP = "global_step"
    GLOBAL_VARIABLES = "variables"
    INIT_OP = "init_op"
    LOCAL_VARIABLES = "local_variables"
    LOSSES = "losses"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    SAVERS = "savers"
    SUMMARIES = "summaries"
    TABLE_INITIALIZERS = "table_initializer"
    TRAINABLE_VARIABLES = "trainable_variables"
    UPDATE_OPS = "update_ops"
    WEIGHTS = "weights"
    WHILE_CONTEXT = "while_context"
