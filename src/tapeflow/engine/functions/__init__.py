"""`tf.function`: recording a call, running the record, concrete functions and their types.

Converting Python's control flow is `tapeflow.autograph`; loops over batches are `engine.programs.repeat`.
"""
