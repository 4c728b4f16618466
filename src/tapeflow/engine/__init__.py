"""The engine: tensors, ops, programs, Variables, tapes, functions, random state, dtypes, devices.

It records what user code does and runs it as compiled programs; it is the only package, with the
kernels in `tapeflow.ops`, that touches JAX. It knows no op by name but the few in `primitives`, and
nothing of Keras, data or files.

The path of a call: an op converts its arguments (`values.convert`) and is recorded (`recording.recorder`) into the
thread's trace; reading a value runs the trace (`programs.running`) as a compiled program, which `programs.lowering`
turns into JAX, or on the host if it is small. `differentiation` and `functions` build on that. `shapes` lets sizes
share programs, `devices` knows where values lie, `exporting` writes programs to files.
"""
