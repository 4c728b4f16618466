"""Convolutions: the public functions, the ops, and the algorithms that compute them.

`convolution`, `transpose` and `backprop` are what users call, `op` checks arguments and lays arrays out, and `kernel`
chooses the algorithm by shape: XLA's own (`native`), matrix products (`gemm`), sums over taps (`taps`), folded narrow
layers (`fold`) or a correlation (`correlate`). `volume` reduces 3-D convolutions to 2-D ones.
"""
