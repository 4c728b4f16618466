"""`tf.strings` and `tf.fingerprint`: text in string tensors, computed on the host.

How string tensors travel through recorded programs is `engine.values.strings`.
"""
