"""XLA's convolution with rows that are added and cut off again: the same numbers."""

import numpy as np
import pytest
from jax import lax

from tapeflow.ops.nn.conv import native as conv_native
from tapeflow.ops.nn.window import Window, same_padding

NONE = ((0, 0), (0, 0))
SMALL_BATCH, LARGE_BATCH = 2, 16
"""Below and above the least number of places for Eigen's convolution, with images of 12 x 12."""


def window(size=(3, 3), strides=(1, 1), dilations=(1, 1), padding="SAME", image=(12, 12)) -> Window:
    if padding == "SAME":
        padding = same_padding(image, size, strides, dilations)
    return Window(image, size, strides, padding, dilations)


@pytest.mark.parametrize(
    ("case", "batch", "inputs", "outputs", "added"),
    [
        pytest.param(window(), LARGE_BATCH, 8, 24, 1, id="narrow-filters-get-a-row"),
        pytest.param(window(), SMALL_BATCH, 8, 24, 0, id="few-places-stay"),
        pytest.param(window(), LARGE_BATCH, 128, 128, 0, id="wide-filters-stay"),
        pytest.param(window(), LARGE_BATCH, 1, 32, 0, id="one-input-stays"),
        pytest.param(window(padding=((2, 2), (1, 1))), LARGE_BATCH, 8, 24, 0, id="larger-results-stay"),
        pytest.param(window(strides=(1, 2)), LARGE_BATCH, 8, 32, 1, id="strides-along-the-width"),
        pytest.param(window(strides=(2, 2)), LARGE_BATCH, 8, 32, 0, id="strides-along-the-height-stay"),
        pytest.param(window(dilations=(2, 2)), LARGE_BATCH, 8, 32, 1, id="dilated"),
        pytest.param(window(padding=NONE, image=(20, 9)), LARGE_BATCH, 8, 32, 3, id="unpadded-to-eigen"),
        pytest.param(window(padding=NONE), LARGE_BATCH, 16, 8, 1, id="unpadded-gets-a-row"),
        pytest.param(window((5, 3), (2, 1), padding=NONE), SMALL_BATCH, 16, 8, 1, id="unpadded-and-strided"),
        pytest.param(window(padding=NONE, image=(4, 4)), LARGE_BATCH, 16, 32, 0, id="few-rows-stay"),
    ],
)
def test_added_rows_do_not_show(case: Window, batch: int, inputs: int, outputs: int, added: int) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(batch, *case.input, inputs)).astype(np.float32)
    filters = random.normal(size=(*case.size, inputs, outputs)).astype(np.float32)
    assert conv_native._added_rows(case, batch, filters.shape) == added
    plain = lax.conv_general_dilated(
        x,
        filters,
        case.strides,
        case.padding,
        rhs_dilation=case.dilations,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    )
    result = conv_native.forward(case, x, filters)
    assert result.shape == plain.shape == (batch, *case.output, outputs)
    np.testing.assert_allclose(result, plain, rtol=1e-5, atol=1e-4)
