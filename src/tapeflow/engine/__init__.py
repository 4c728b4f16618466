"""The engine: tensors, ops, programs, Variables, tapes, functions, random state, dtypes, devices.

It records what user code does and runs it as compiled programs; it is the only package, with the
kernels in `tapeflow.ops`, that touches JAX. It knows no op by name but the few in `primitives`, and
nothing of Keras, data or files.

The path of a call: `op` converts (`convert`) and records (`recorder`) into the thread's `trace` of
`node`s; reading a value (`tensor`) runs the trace (`running`) as a compiled `program`, which `lowering`
turns into JAX, or on the `host` if it is small. `checks` looks at what a program reports, `flight` keeps
its results safe from interrupts. `variable`, `tape` and `gradient`, `function` with `staging` and
`inline`, `random`, `strings` and `body` (loops and branches) build on that.
"""
