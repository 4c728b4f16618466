"""`tf.compat.integral_types` and its kin, for `isinstance`: Python's numbers and NumPy's."""

from __future__ import annotations

import numbers

import numpy as np

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
