"""A process with the energy app in it that tells of `list_features` what its pages take, as JSON.

    python -m benchmarks._list_features_side calls          functions that are called, and bytes
    python -m benchmarks._list_features_side cpu ROUNDS     CPU time

Each is a process of its own: where functions are counted, threads take longer.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import random
import sys
import tempfile
import time
from concurrent.futures import wait
from pathlib import Path
from statistics import median, pstdev, quantiles
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import django
from requests.adapters import HTTPAdapter

from benchmarks._in_process import load_application, respond
from benchmarks._page_rows import CLIENTS, KEY, Row, Visitor
from benchmarks._servers import settings_of_production
from benchmarks._stub_backend import stub_backend
from tests.budgets.call_counter import CallCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from benchmarks._list_variants import Feature, Variant

#: Before a page is measured, so that all that is made once is made.
VISITS_TO_WARM: Final = 3
#: The calls of a page are the median of so many views: some wait for a thread, some ask for the profile again.
COUNTED_VIEWS: Final = 15
#: A round measures so many views of each page, one after another.
VIEWS_OF_A_ROUND: Final = 4

Figures = dict[str, float]


def main(what: str, *rounds: str) -> None:
    """Print the figures of the page and of each feature."""
    counter = CallCounter() if what == "calls" else None
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as name, stub_backend() as stub:
        pages = Pages(folder=Path(name), backend=stub.url)
        figures = pages.calls(counter) if counter else pages.cpu(int(rounds[0]))
    json.dump(figures, sys.stdout)


class Pages:
    """All pages, and the app that shows them."""

    def __init__(self, *, folder: Path, backend: str) -> None:
        self._begun: list[Future[Any]] = []
        templates = folder / "templates"
        os.environ.update(settings_of_production(state=folder / "state", backend=backend, key=KEY))
        os.environ["DJANGO_SETTINGS_MODULE"] = "apps.energy.settings"
        importlib.import_module("apps.energy.settings").TEMPLATES[0]["DIRS"].append(templates)
        django.setup()
        # A view compiles the templates that it needs, in one language.
        with patch("portal.web.templating.compile_templates"):
            self._application = load_application("energy", state=folder / "state", backend=backend)
        # These need the settings.
        from benchmarks import _list_variants  # noqa: PLC0415
        from portal.process import Pool  # noqa: PLC0415

        # What a view begins in other threads is a part of it.
        patch.object(Pool, "submit", _noting(Pool.submit, self._begun)).start()
        self._module = _list_variants
        self._features = list(_list_variants.features())
        pairs = [(each.shown, each.without) for each in self._features]
        self._variants: list[Variant] = list(dict.fromkeys(variant for pair in pairs for variant in pair))
        app = Visitor(Row(name="clients", path=CLIENTS, marker='id="rows"', rows=20), self._send)
        for _ in range(VISITS_TO_WARM):
            app.visit()
        for number, variant in enumerate(self._variants):
            variant.write(templates, number)
            variant.begin(self._send)
            with variant.shown():
                for visitor in (variant.staying, variant.searching) * VISITS_TO_WARM:
                    visitor.visit()
        self._check(_body(self._view(app)))

    def _check(self, of_app: bytes) -> None:
        """See that the page is the app's own, and that each two pages differ in the feature."""
        kept: dict[Variant, bytes] = {}
        anew: dict[Variant, bytes] = {}
        for variant in self._variants:
            with variant.shown():
                kept[variant] = _body(self._view(variant.staying))
                anew[variant] = _body(self._view(variant.searching))
        if not self._module.same_page(of_app, kept[self._module.AS_IT_IS]):
            raise AssertionError("the list of _list_variants is not declared as that of apps/energy/views/clients.py")
        for each in self._features:
            for bodies in (kept, anew):
                each.check(*(bodies[variant].decode() for variant in (each.shown, each.without)))
        self._bytes = {variant: len(body) for variant, body in kept.items()}

    def calls(self, counter: CallCounter) -> dict[str, Figures]:
        """How many functions are called for a page that is rendered anew, and for one that is kept; and bytes."""
        gc.disable()
        figures: dict[Variant, Figures] = {}

        def count(visitor: Visitor) -> int:
            with counter.counting() as called:
                self._view(visitor)
            return called.total()

        with patch.object(HTTPAdapter, "send", counter.without(HTTPAdapter.send)):
            for variant in self._variants:
                with variant.shown():
                    figures[variant] = {
                        "anew": median(count(variant.searching) for _ in range(COUNTED_VIEWS)),
                        "kept": median(count(variant.staying) for _ in range(COUNTED_VIEWS)),
                        "bytes": self._bytes[variant],
                    }
                gc.collect()

        def told(feature: Feature) -> Figures:
            of, without = figures[feature.shown], figures[feature.without]
            return {name: of[name] - without[name] for name in of}

        return self._told(figures[self._module.AS_IT_IS], told)

    def cpu(self, rounds: int) -> dict[str, Figures]:
        """CPU time of a page that is rendered anew, µs, and how uncertain the features' are.

        Of all views the lower quartile: what else the machine does only adds to them.
        """
        times: dict[Variant, list[float]] = {variant: [] for variant in self._variants}
        chance = random.Random(1)
        for _ in range(rounds):
            for variant in chance.sample(self._variants, len(self._variants)):
                with variant.shown():
                    self._view(variant.searching)
                    times[variant] += [self._timed(variant.searching) for _ in range(VIEWS_OF_A_ROUND)]

        def cost(feature: Feature, part: slice) -> float:
            return _quartile(times[feature.shown][part]) - _quartile(times[feature.without][part])

        middle = rounds // 2 * VIEWS_OF_A_ROUND
        halves = slice(0, middle), slice(middle, None)
        # The difference of two halves varies twice as much as their mean: so this is two standard errors.
        noise_us = pstdev(cost(each, halves[0]) - cost(each, halves[1]) for each in self._features)
        page = {"cpu_us": _quartile(times[self._module.AS_IT_IS]), "noise_us": noise_us}
        return self._told(page, lambda feature: {"cpu_us": cost(feature, slice(None))})

    def _told(self, page: Figures, told: Callable[[Feature], Figures]) -> dict[str, Figures]:
        return {self._module.PAGE: page, **{each.name: told(each) for each in self._features}}

    def _timed(self, visitor: Visitor) -> float:
        began_ns = time.process_time_ns()
        self._view(visitor)
        return (time.process_time_ns() - began_ns) / 1000

    def _view(self, visitor: Visitor) -> bytes:
        return self._send(next(visitor.requests()))

    def _send(self, request: bytes) -> bytes:
        answer = respond(self._application, request)
        wait(self._begun)
        self._begun.clear()
        return answer


def _quartile(times: Sequence[float]) -> float:
    return quantiles(times, n=4)[0]


def _body(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def _noting(submit: Callable[..., Any], begun: list[Future[Any]]) -> Callable[..., Any]:
    """`Pool.submit`, which notes what it begins."""

    def noted(pool: object, work: object) -> Any:
        future = submit(pool, work)
        begun.extend([future] if future else [])
        return future

    return noted


if __name__ == "__main__":
    main(*sys.argv[1:])
