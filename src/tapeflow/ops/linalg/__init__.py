"""Linear algebra: products, factorisations, solving, norms, and linear operators.

`matrix_product` chooses the order of operands that is fast on a CPU; layers use it through `ops.nn.dense`.
"""
