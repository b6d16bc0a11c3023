"""How cost grows: the clients page of the energy app while one thing grows, a table and a picture for each.

One worker on one core; load, backend and Redis on the other. A stub backend answers at once, unless its latency grows.
`--write` writes the tables, and pictures into docs/images.

`./manage.py bench growth [--of rows,users] [--seconds 0.5] [--write]`
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks._growth_curves import CURVES, Bench
from benchmarks._growth_picture import draw
from benchmarks._measured import table, write
from benchmarks._options import need, options_of, parser_of, skip
from benchmarks._servers import ROOT, cores_for_server_and_load, serving
from benchmarks._stub_backend import Stub
from tests.support.ports import free_port

IMAGES: Final = ROOT / "docs/images"
NAMES: Final = [curve.name for curve in CURVES]


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(NAMES):
        raise argparse.ArgumentTypeError(f"nothing grows that is called {', '.join(sorted(unknown))}")
    return names


def main() -> None:
    """See the module."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--of", type=_names, default=NAMES, metavar="A,B", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each of three stretches of load: 0.5")
    options = options_of(parser, seconds=0.05)
    if sys.platform != "linux":
        skip("CPU time and memory are read as Linux gives them")
    need("redis-server")
    core, others = cores_for_server_and_load(smoke=options.smoke)
    if core is not None:
        os.sched_setaffinity(0, others)
    port = free_port()
    command = [sys.executable, "-m", "benchmarks._growth_backend", str(port)]
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as name, serving(command, port=port, core=None) as server:
        bench = Bench(folder=Path(name), stub=Stub(server), core=core, seconds=options.seconds)
        for curve in (curve for curve in CURVES if curve.name in options.of):
            values = curve.values[:2] if options.smoke else curve.values
            points = []
            print(f"\n## {curve.title}\n\n{curve.grows} | {' | '.join(curve.columns)}")
            for value, point in zip(values, curve.measure(bench, values), strict=True):
                points.append(point)
                print(" | ".join([f"{value:,}", *map(_shown, point)]), flush=True)
            if options.write:
                image = IMAGES / f"growth-{curve.name}.svg"
                lines = [(column, [point[number] for point in points]) for number, column in enumerate(curve.columns)]
                draw(
                    image,
                    title=curve.title,
                    x=(curve.grows, values),
                    unit=curve.unit,
                    lines=lines[: curve.drawn],
                    log_x=curve.log_x,
                    log_y=curve.log_y,
                )
                rows = [[f"{value:,}", *map(_shown, point)] for value, point in zip(values, points, strict=True)]
                picture = f"![{curve.title}: {', '.join(curve.columns[: curve.drawn])}](../images/{image.name})"
                write(f"growth {curve.name}", table((curve.grows, *curve.columns), rows), picture)


def _shown(figure: float) -> str:
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.1f}" if abs(figure) >= 10 else f"{figure:.2f}"


if __name__ == "__main__":
    main()
