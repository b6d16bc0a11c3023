"""A picture of a curve, as SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDTH, HEIGHT = 700, 300
LEFT, TOP, RIGHT, BOTTOM = 60, 50, 470, 250
#: Distinct without colour too: by their order in the legend, which is that of their last values.
COLOURS: Final = ("#0b5fa5", "#c2410c", "#15803d")


def picture_of(title: str, grows: str, values: Sequence[int], lines: Mapping[str, Sequence[float]]) -> str:
    """Return the picture. The steps on the horizontal axis are equally wide, as each multiplies the one before.

    :param grows: unit of the values.
    :param lines: name to its figures, one for each value.
    """
    highest = max(max(figures) for figures in lines.values())
    xs = [LEFT + (RIGHT - LEFT) * step / (len(values) - 1) for step in range(len(values))]
    # Its own ground, as a dark page has another one.
    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', _text(8, 20, title, "font-weight='bold'")]
    for part in (0, 0.5, 1):
        y = BOTTOM - (BOTTOM - TOP) * part
        parts.append(f'<path d="M{LEFT},{y:.0f}H{RIGHT}" stroke="#e2e8f0"/>')
        parts.append(_text(LEFT - 8, y + 4, f"{highest * part:,.3g}", "text-anchor='end'"))
    parts += [_text(x, BOTTOM + 18, f"{value:,}", "text-anchor='middle'") for x, value in zip(xs, values, strict=True)]
    parts.append(_text((LEFT + RIGHT) / 2, BOTTOM + 38, grows, "text-anchor='middle'"))
    in_order = sorted(lines.items(), key=lambda line: -line[1][-1])
    for number, ((name, figures), colour) in enumerate(zip(in_order, COLOURS, strict=False)):
        points = [(x, BOTTOM - (BOTTOM - TOP) * figure / highest) for x, figure in zip(xs, figures, strict=True)]
        path = " ".join(f"{x:.0f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.0f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        parts.append(_text(RIGHT + 20, TOP + 20 * number, name, f"fill='{colour}'"))
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    style = 'font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#334155"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n<title>{escape(title)}</title>'
    return "\n".join([head, *parts, "</svg>\n"])


def _text(x: float, y: float, text: str, attributes: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" {attributes}>{escape(text)}</text>'.replace("'", '"')
