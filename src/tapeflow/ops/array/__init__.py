"""Making, reading and rearranging tensors: shapes, indexing, slicing, joining, scattering.

Nothing here computes new numbers from elements; that is `ops.math`. Writing into Variables is `ops.variables`.
"""
