"""Draws a curve as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from reportlab.graphics import renderSVG
from reportlab.graphics.charts.axes import LogXValueAxis, LogYValueAxis
from reportlab.graphics.charts.lineplots import LinePlot
from reportlab.graphics.shapes import Drawing, Line, Rect, String
from reportlab.graphics.widgets.markers import makeMarker
from reportlab.lib.colors import HexColor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

WIDTH, HEIGHT = 700, 310
LEFT, BOTTOM, PLOT_WIDTH, PLOT_HEIGHT = 56, 46, 420, 206
#: Told apart without colour too: by their order at the right end, and by their names there.
COLOURS: Final = ("#0b5fa5", "#c2410c", "#15803d", "#7e22ce")
INK, GRID = HexColor("#334155"), HexColor("#e2e8f0")
FONT: Final = "Helvetica"


def draw(
    path: Path,
    *,
    title: str,
    x: tuple[str, Sequence[float]],
    unit: str,
    lines: Sequence[tuple[str, Sequence[float]]],
    log_x: bool,
    log_y: bool,
) -> None:
    """Write the picture.

    :param x: what grows, and its values.
    :param unit: of all lines.
    :param lines: the name of each, and its values.
    """
    drawing = Drawing(WIDTH, HEIGHT)
    # Its own ground, as a dark page has another one.
    drawing.add(Rect(0, 0, WIDTH, HEIGHT, fillColor=HexColor("#ffffff"), strokeColor=None))
    plot: Any = LinePlot()
    plot.x, plot.y, plot.width, plot.height = LEFT, BOTTOM, PLOT_WIDTH, PLOT_HEIGHT
    plot.data = [list(zip(x[1], values, strict=True)) for _, values in lines]
    plot.xValueAxis = _axis(LogXValueAxis() if log_x else plot.xValueAxis, x[1])
    highest = max(value for _, values in lines for value in values)
    plot.yValueAxis = LogYValueAxis() if log_y else plot.yValueAxis
    if not log_y:
        plot.yValueAxis.valueMin, plot.yValueAxis.valueMax = 0, highest * 1.1
    plot.yValueAxis.visibleGrid, plot.yValueAxis.gridStrokeColor = True, GRID
    for axis in (plot.xValueAxis, plot.yValueAxis):
        axis.strokeColor = INK
        axis.labels.fontName, axis.labels.fontSize, axis.labels.fillColor = FONT, 10, INK
        axis.labelTextFormat = _number
    for number, _ in enumerate(lines):
        colour = HexColor(COLOURS[number])
        plot.lines[number].strokeColor, plot.lines[number].strokeWidth = colour, 2
        plot.lines[number].symbol = makeMarker("FilledCircle", size=5, fillColor=colour, strokeColor=colour)
    drawing.add(plot)
    _write(drawing, 8, HEIGHT - 20, title, size=13, font="Helvetica-Bold")
    _write(drawing, LEFT + PLOT_WIDTH / 2, 12, x[0], anchor="middle")
    _write(drawing, 8, HEIGHT - 42, unit)
    for number, (name, _) in enumerate(lines):
        y = BOTTOM + PLOT_HEIGHT - 12 - 20 * number
        start = LEFT + PLOT_WIDTH + 22
        drawing.add(Line(start, y + 4, start + 18, y + 4, strokeColor=HexColor(COLOURS[number]), strokeWidth=3))
        _write(drawing, start + 24, y, name)
    path.write_text(renderSVG.drawToString(drawing).replace("<title>...</title>", f"<title>{title}</title>", 1))


def _axis(axis: Any, values: Sequence[float]) -> Any:
    axis.valueMin, axis.valueMax, axis.valueSteps = min(values), max(values), list(values)
    return axis


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:g}"


def _write(
    drawing: Drawing, x: float, y: float, text: str, *, size: int = 10, anchor: str = "start", font: str = FONT
) -> None:
    drawing.add(String(x, y, text, fontName=font, fontSize=size, fillColor=INK, textAnchor=anchor))
