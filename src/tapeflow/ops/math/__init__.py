"""Mathematics on each element and over axes: arithmetic, special functions, comparisons, sums, sorting.

Products of matrices are in `ops.linalg`, functions of networks in `ops.nn`. `stable_math` holds array functions that
other modules build on.
"""
