"""`tf.debugging` and `tf.print`: assertions, checks, printing, and how tensors get into summaries."""
