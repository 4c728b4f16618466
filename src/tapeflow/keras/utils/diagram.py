"""Diagrams of boxes and arrows as PNG, SVG or DOT text, drawn here: no Graphviz is needed."""

from __future__ import annotations

import io
import itertools
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Any

from tapeflow.keras.utils.layered_layout import Layout, layered_layout

_FONT_SIZE, _LINE, _PADDING, _MARGIN = 13, 24, 10, 12
_INK, _PAPER, _TITLE, _BORDER, _EDGE, _GROUP = (
    "#1f2328",
    "#ffffff",
    "#24292f",
    "#57606a",
    "#6e7781",
    "#f3f5f8",
)
_ARROW = 7.0
_OVERSAMPLING = 3  # pillow draws without smooth edges
FORMATS = ("png", "svg", "jpg", "jpeg", "pdf", "dot")

Point = tuple[float, float]


@dataclass
class Box:
    """A record: a title over rows of cells, or over a diagram of its own."""

    title: str
    rows: list[list[str]] = field(default_factory=list)
    inside: Diagram | None = None

    def size(self) -> tuple[float, float]:
        """Width and height."""
        width = _width(self.title) + 2 * _PADDING
        for row in self.rows:
            width = max(width, sum(_width(cell) + 2 * _PADDING for cell in row))
        height = float(_LINE * (1 + len(self.rows)))
        if self.inside is not None:
            inner = self.inside.size()
            width, height = max(width, inner[0] + 2 * _PADDING), height + inner[1] + 2 * _PADDING
        return width, height


@cache
def _font(size: int) -> Any:
    from PIL import ImageFont  # start-up

    return ImageFont.load_default(size)


@cache
def _width(text: str) -> float:
    return float(_font(_FONT_SIZE).getlength(text))


class Diagram:
    """Boxes, and arrows between them.

    Args:
        direction: where arrows point: 'TB' (downwards), 'BT', 'LR' or 'RL'.
    """

    def __init__(self, direction: str = "TB") -> None:
        self.direction = direction
        self.boxes: dict[Hashable, Box] = {}
        self.edges: list[tuple[Hashable, Hashable]] = []
        self._layout: Layout | None = None

    def layout(self) -> Layout:
        """Where everything goes, arrows pointing downwards; `_turned` gives real places."""
        if self._layout is None:
            sizes = {key: box.size() for key, box in self.boxes.items()}
            if self.direction in ("LR", "RL"):
                sizes = {key: (h, w) for key, (w, h) in sizes.items()}
            self._layout = layered_layout(sizes, self.edges)
        return self._layout

    def size(self) -> tuple[float, float]:
        """Width and height."""
        width, height = self.layout().size
        return (height, width) if self.direction in ("LR", "RL") else (width, height)

    def _turned(self, point: Point) -> Point:
        x, y = point
        _, depth = self.layout().size
        if self.direction in ("BT", "RL"):
            y = depth - y
        return (y, x) if self.direction in ("LR", "RL") else (x, y)

    def paint(self, canvas: Any, left: float = _MARGIN, top: float = _MARGIN) -> None:
        """Draw everything on a canvas."""
        layout = self.layout()
        for route in layout.routes:
            points = [self._turned(p) for p in route]
            canvas.arrow([(x + left, y + top) for x, y in points], self.direction in ("LR", "RL"))
        for key, box in self.boxes.items():
            x, y = self._turned(layout.centres[key])
            width, height = box.size()
            _paint_box(canvas, box, left + x - width / 2, top + y - height / 2, width, height)

    def create(self, prog: Any = None, format: str = "svg", dpi: int = 96) -> bytes:
        """The diagram as the content of a file.

        Args:
            prog: ignored; Graphviz's program, where Keras is given one.
            format: 'png', 'svg', 'jpg', 'pdf' or 'dot'.
            dpi: dots per inch of formats made of dots.
        """
        if format not in FORMATS:
            raise ValueError(f"A diagram expected one of the formats {', '.join(FORMATS)}; got {format!r}.")
        if format == "dot":
            return self.to_string().encode()
        width, height = (side + 2 * _MARGIN for side in self.size())
        canvas = _Svg(width, height) if format == "svg" else _Picture(width, height, dpi)
        self.paint(canvas)
        return canvas.content(format)

    def to_string(self) -> str:
        """The diagram in Graphviz's language."""
        lines = ["digraph G {", f"rankdir={self.direction};", "node [shape=record];"]
        self._write_dot(lines, "")
        return "\n".join([*lines, "}"])

    def _write_dot(self, lines: list[str], prefix: str) -> None:
        for key, box in self.boxes.items():
            name = f"{prefix}{key}"
            if box.inside is not None:
                lines.append(f'subgraph "cluster_{name}" {{ label="{_dot(box.title)}";')
                box.inside._write_dot(lines, f"{name}/")
                lines.append("}")
            cells = ["|".join(_dot(cell) for cell in row) for row in box.rows]
            lines.append(
                f'"{name}" [label="{{{"|".join([_dot(box.title), *[f"{{{c}}}" for c in cells]])}}}"];'
            )
        lines += [f'"{prefix}{a}" -> "{prefix}{b}";' for a, b in self.edges]


def _dot(text: str) -> str:
    return "".join(f"\\{c}" if c in '{}|<>"\\' else c for c in text)


def _paint_box(canvas: Any, box: Box, x: float, y: float, width: float, height: float) -> None:
    canvas.rectangle(x, y, width, height, _GROUP if box.inside is not None else _PAPER)
    canvas.rectangle(x, y, width, _LINE, _TITLE)
    canvas.text(x + width / 2, y + _LINE / 2, box.title, _PAPER)
    line = y + _LINE
    for row in box.rows:
        spare = (width - sum(_width(cell) + 2 * _PADDING for cell in row)) / len(row)
        edge = x
        for cell in row:
            cell_width = _width(cell) + 2 * _PADDING + spare
            canvas.rectangle(edge, line, cell_width, _LINE, _PAPER)
            canvas.text(edge + cell_width / 2, line + _LINE / 2, cell, _INK)
            edge += cell_width
        line += _LINE
    if box.inside is not None:
        inner = box.inside.size()
        box.inside.paint(canvas, x + (width - inner[0]) / 2, line + _PADDING)


def _curve(points: list[Point], is_sideways: bool) -> list[tuple[Point, Point, Point, Point]]:
    """Cubic curves through points that leave and arrive along the flow."""
    pieces = []
    for (ax, ay), (bx, by) in itertools.pairwise(points):
        if is_sideways:
            middle = (ax + bx) / 2
            pieces.append(((ax, ay), (middle, ay), (middle, by), (bx, by)))
        else:
            middle = (ay + by) / 2
            pieces.append(((ax, ay), (ax, middle), (bx, middle), (bx, by)))
    return pieces


def _head(points: list[Point], is_sideways: bool) -> list[Point]:
    """The triangle at the end of an arrow, which arrives along the flow."""
    (ax, ay), (bx, by) = points[-2:]
    half = _ARROW / 2
    if is_sideways:
        back = bx - _ARROW if bx >= ax else bx + _ARROW
        return [(bx, by), (back, by - half), (back, by + half)]
    back = by - _ARROW if by >= ay else by + _ARROW
    return [(bx, by), (bx - half, back), (bx + half, back)]


class _Svg:
    def __init__(self, width: float, height: float) -> None:
        self._open = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.1f} {height:.1f}" font-family="Helvetica, Arial, sans-serif" '
            f'font-size="{_FONT_SIZE}">'
        )
        self._parts = [f'<rect width="100%" height="100%" fill="{_PAPER}"/>']

    def rectangle(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" '
            f'stroke="{_BORDER}"/>'
        )

    def text(self, x: float, y: float, text: str, fill: str) -> None:
        # The length is given so that a text fits its box in any font.
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" text-anchor="middle" dominant-baseline="central" '
            f'textLength="{_width(text):.1f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        )

    def arrow(self, points: list[Point], is_sideways: bool) -> None:
        path = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
        for _, b, c, d in _curve(points, is_sideways):
            path += "C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in (b, c, d))
        head = " ".join(f"{x:.1f},{y:.1f}" for x, y in _head(points, is_sideways))
        self._parts.append(f'<path d="{path}" fill="none" stroke="{_EDGE}" stroke-width="1.4"/>')
        self._parts.append(f'<polygon points="{head}" fill="{_EDGE}"/>')

    def content(self, format: str) -> bytes:
        return "\n".join([self._open, *self._parts, "</svg>"]).encode()


class _Picture:
    def __init__(self, width: float, height: float, dpi: int) -> None:
        from PIL import Image, ImageDraw  # start-up

        self._dpi = dpi
        self._scale = dpi / 96 * _OVERSAMPLING
        self._final = max(1, round(width * dpi / 96)), max(1, round(height * dpi / 96))
        size = self._final[0] * _OVERSAMPLING, self._final[1] * _OVERSAMPLING
        self._image = Image.new("RGB", size, _PAPER)
        self._draw = ImageDraw.Draw(self._image)

    def _scaled(self, points: list[Point]) -> list[Point]:
        return [(x * self._scale, y * self._scale) for x, y in points]

    def rectangle(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        corners = self._scaled([(x, y), (x + width, y + height)])
        self._draw.rectangle([*corners[0], *corners[1]], fill, _BORDER, max(1, round(self._scale)))

    def text(self, x: float, y: float, text: str, fill: str) -> None:
        (place,) = self._scaled([(x, y)])
        self._draw.text(place, text, fill, _font(round(_FONT_SIZE * self._scale)), anchor="mm")

    def arrow(self, points: list[Point], is_sideways: bool) -> None:
        path = [points[0]]
        for a, b, c, d in _curve(points, is_sideways):
            for k in range(1, 25):
                t = k / 24
                u = 1 - t
                weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
                corners = list(zip(weights, (a, b, c, d), strict=True))
                path.append((sum(w * p[0] for w, p in corners), sum(w * p[1] for w, p in corners)))
        self._draw.line(self._scaled(path), _EDGE, max(1, round(1.4 * self._scale)), joint="curve")
        self._draw.polygon(self._scaled(_head(points, is_sideways)), fill=_EDGE)

    def content(self, format: str) -> bytes:
        from PIL import Image  # start-up

        image = self._image.resize(self._final, Image.Resampling.LANCZOS)
        target = io.BytesIO()
        image.save(target, "JPEG" if format == "jpg" else format.upper(), dpi=(self._dpi, self._dpi))
        return target.getvalue()
