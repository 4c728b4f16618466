"""Functions of neural networks: `tf.nn`, and the kernels that layers share with it.

Convolution, pooling and normalisation have folders of their own. Kernels that only `tf.keras` uses, such as whole
losses and optimizer steps, are in `ops.training`.
"""
