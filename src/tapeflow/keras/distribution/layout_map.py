"""`LayoutMap`: layouts by the names of Variables and of layers' outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping
from typing import Any

from tapeflow.keras.distribution.mesh import DeviceMesh, TensorLayout


class LayoutMap(MutableMapping[str, "TensorLayout | None"]):
    """Layouts by regular expressions, each of which is matched against a whole path.

    A Variable's path is its name without `:0`, such as `dense/kernel`; that of a layer's output is `dense/output`, with
    the layers around it in front.

    Args:
        device_mesh: the mesh of layouts that are given as tuples of axis names.

    >>> mesh = tf.keras.distribution.DeviceMesh((1, 1), ["batch", "model"], devices=["cpu:0"])
    >>> layout_map = tf.keras.distribution.LayoutMap(mesh)
    >>> layout_map[".*dense.*kernel"] = (None, "model")
    """

    def __init__(self, device_mesh: DeviceMesh) -> None:
        self._layouts: dict[str, TensorLayout] = {}
        self._device_mesh = device_mesh

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh."""
        return self._device_mesh

    def __getitem__(self, key: str) -> TensorLayout | None:
        """The layout of a path: that of the equal key, or of the one key that matches; None if there is none.

        Raises:
            ValueError: several keys match.
        """
        if key in self._layouts:
            return self._layouts[key]
        matching = [pattern for pattern in self._layouts if re.fullmatch(pattern, key)]
        if len(matching) > 1:
            raise ValueError(
                f"Path '{key}' matches multiple layout specification keys: {matching}. Please make sure each "
                "tensor/variable path only matches at most one layout specification key in the LayoutMap."
            )
        return self._layouts[matching[0]] if matching else None

    def __setitem__(self, key: str, layout: Any) -> None:
        if key in self._layouts:
            raise ValueError(
                f"{key} already exist in the LayoutMap with value {self._layouts[key]}. Please make sure to not "
                "use duplicated keys."
            )
        if isinstance(layout, tuple):
            layout = TensorLayout(layout)
        if not isinstance(layout, TensorLayout):
            raise ValueError(f"{layout} should be a TensorLayout type, got {type(layout)}")
        if layout.device_mesh is None:
            layout.device_mesh = self._device_mesh
        self._layouts[key] = layout

    def __delitem__(self, key: str) -> None:
        del self._layouts[key]

    def __len__(self) -> int:
        return len(self._layouts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._layouts)
