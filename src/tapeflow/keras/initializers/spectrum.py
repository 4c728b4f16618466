"""`STFT`: kernels that make a convolution a short-time Fourier transform."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import Shape
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.initializers.initializer import Initializer, read_dtype, read_shape


class STFT(Initializer):
    """The cosines, or sines, of a Fourier transform of windowed frames.

    The shape is (frame length, 1, number of frequencies): as many as half a transform has, and one.

    Args:
        side: "real" for cosines or "imag" for sines.
        window: a window of SciPy by its name, such as "hann", or its values, or `None` for none.
        scaling: "density" or "spectrum" divides by the window's L2 or L1 norm; `None` by nothing.
        periodic: whether the window of that name is made for repeating.
    """

    def __init__(
        self,
        side: str = "real",
        window: Any = "hann",
        scaling: str | None = "density",
        periodic: bool = False,
    ) -> None:
        if side not in ("real", "imag"):
            raise ValueError(f"side should be 'real' or 'imag', not {side}")
        if scaling not in ("density", "spectrum", None):
            raise ValueError(
                f"Scaling is invalid, it must be `None`, 'density' or 'spectrum'. Received scaling={scaling}"
            )
        self.side = side
        self.window = window
        self.scaling = scaling
        self.periodic = periodic
        if isinstance(window, str):
            self._window_values(1)  # an unknown name is an error here

    def __call__(self, shape: Shape, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        frame_length, _, frequency_count = read_shape(shape, kwargs)
        turns = np.outer(np.arange(frame_length), np.arange(frequency_count)) / (2 * (frequency_count - 1))
        kernel = np.cos(2 * np.pi * turns) if self.side == "real" else -np.sin(2 * np.pi * turns)
        if self.window is not None:
            window = self._window_values(frame_length)
            if window.shape != (frame_length,):
                raise ValueError(
                    "The shape of `window` must be equal to [frame_length]. "
                    f"Received: window shape={window.shape}"
                )
            norms = {"density": np.sqrt(np.sum(window**2)), "spectrum": np.sum(np.abs(window)), None: 1.0}
            kernel = kernel * (window / norms[self.scaling])[:, None]
        return tf.constant(kernel[:, None, :].astype(read_dtype(dtype).as_numpy_dtype))

    def _window_values(self, length: int) -> np.ndarray:
        if not isinstance(self.window, str):
            return np.asarray(self.window, np.float64)
        from scipy.signal import get_window  # slow to import, and rarely needed

        return np.asarray(get_window(self.window, length, self.periodic))

    def get_config(self) -> dict[str, Any]:
        return {
            "side": self.side,
            "window": self.window,
            "periodic": self.periodic,
            "scaling": self.scaling,
        }


stft = STFTInitializer = STFT
