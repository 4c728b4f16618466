"""Max and average pooling: the public functions and their kernels. Global pooling is a reduction of `ops.math`."""
