"""TensorFlow's graphs, run by recording our ops.

`library` holds the functions of a graph; a `plan` is one of them, checked as a whole before any of it runs: the ops
that its results need, in order, with the kernel of each. `kernels` is the table of kernels, which the modules `*_ops`
fill. A kernel calls what users call (`tf.nn.conv2d`), so a graph is compiled, differentiated and put on devices
like code written here. Nothing here knows of files or of the objects of a SavedModel; `reading` does.
"""
