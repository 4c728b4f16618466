"""What user code holds: `Tensor`, `Variable`, their specs and dtypes, and how Python objects become tensors.

Values do not know how they are computed; that is `engine.programs`.
"""
