"""`tf.experimental.numpy`: NumPy's functions, methods and promotion of dtypes for tensors."""
