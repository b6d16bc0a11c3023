"""CPU time of one page, in one process without a server: by area, and by function.

    make profile PAGE=clients
    ./manage.py bench profile --page clients [--seconds 10] [--functions 30]
    ./manage.py bench profile --page clients --debug      as on a developer's machine

A function of a library counts for the area that called it: Django's `reverse` in a template is rendering, in a
middleware it is Django's. Other threads' CPU time counts for the function that the request's own thread is in.

The kernel sends SIGPROF by CPU time, about 250 times a second, and Python calls the handler between two instructions:
after a call of a C function that is its caller. So time in C counts for the function that called it, and waiting for
nothing. cProfile and pyinstrument act at every call of a function: they make a page two or three times as slow, and
functions that call many others look dearer than they are.
"""

import contextlib
import re
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

from benchmarks.harness.in_process import load_application, respond
from benchmarks.harness.measured import table
from benchmarks.harness.options import options_of, parser_of
from benchmarks.harness.servers import ROOT
from benchmarks.harness.stub_backend import stub_backend
from benchmarks.pages.rows import PAGES, Visitor

#: Parts of a file's path, in this order, and the area that its code counts for.
AREAS: Final = (
    (("portal/web/templating/", "portal/web/templatetags/", "/templates/", "<template>"), "rendering"),
    (("/jinja2/", "/markupsafe/", "django/template/", "django/templatetags/", "django/forms/renderers"), "rendering"),
    (("portal/web/present/",), "presenting figures"),
    (("portal/query/", "portal/services/"), "query layer"),
    (("portal/store/", "/sqlite_cache/"), "store"),
    (("portal/api/",), "calls to the backend"),
    (("portal/edge/", "portal/identity/"), "edge and identity"),
    (("portal/web/frame/", "portal/web/context_processors"), "web: frame of the page"),
    (("portal_pages/", "portal/web/views/", "portal/web/sign_in/", "portal/web/errors/", "/apps/"), "views"),
    (("portal/web/", "/csp/"), "web: middlewares and cookies"),
    (("django/core/handlers/", "django/middleware/", "django/contrib/", "django_htmx/", "/whitenoise/"), "Django"),
)
VISITS_TO_WARM: Final = 50
#: Interval that is asked for; the kernel gives the one of its clock.
INTERVAL_S: Final = 0.001


@cache
def area_of(path: str) -> str | None:
    """Return the area of a source file; None if it works for its caller."""
    return next((area for parts, area in AREAS if any(part in path for part in parts)), None)


class Samples:
    """Numbers of samples.

    :ivar by_area: by the innermost area on the stack.
    :ivar own: by the innermost function.
    :ivar total: by each function on the stack.
    """

    def __init__(self) -> None:
        self.by_area: Counter[str] = Counter()
        self.own: Counter[CodeType] = Counter()
        self.total: Counter[CodeType] = Counter()

    def add(self, frame: FrameType | None) -> None:
        """Count the stack with this innermost frame."""
        codes, area = [], None
        while frame is not None:
            codes.append(frame.f_code)
            area = area or area_of(frame.f_code.co_filename)
            frame = frame.f_back
        # Else it is the loop that sends the requests.
        if area is not None:
            self.by_area[area] += 1
            self.own[codes[0]] += 1
            self.total.update(set(codes))

    @contextlib.contextmanager
    def taking(self) -> Iterator[None]:
        """Look at the main thread, which must be the caller's, while the block lasts."""
        before = signal.signal(signal.SIGPROF, lambda _, frame: self.add(frame))
        signal.setitimer(signal.ITIMER_PROF, INTERVAL_S, INTERVAL_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    def print(self, *, request_us: float, functions: int) -> None:
        """Print the table by area, and that of the functions with the most time of their own."""
        us = request_us / max(1, self.by_area.total())
        areas = self.by_area.most_common()
        print(table(("area", "µs", "%"), ((name, f"{n * us:,.0f}", f"{n * us / request_us:.1%}") for name, n in areas)))
        rows = (
            (_name(code), f"{count * us:,.0f}", f"{self.total[code] * us:,.0f}")
            for code, count in self.own.most_common(functions)
        )
        print(f"\n{table(('function', 'own µs', 'with what it calls, µs'), rows)}")


def _name(code: CodeType) -> str:
    path = re.sub(r"^.*/(?:packages|site-packages|python3\.\d+)/", "", code.co_filename.removeprefix(f"{ROOT}/"))
    return f"{path}:{code.co_firstlineno} {code.co_qualname}"


def main() -> None:
    """Print both tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--page", choices=PAGES, default="clients")
    parser.add_argument("--seconds", type=float, default=10, help="of CPU time: 10")
    parser.add_argument("--functions", type=int, default=30, help="how many are listed: 30")
    parser.add_argument("--debug", action="store_true", help="with DEBUG on")
    options = options_of(parser, seconds=0.2, debug=True)
    row, samples = PAGES[options.page], Samples()
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder, stub_backend() as stub:
        application = load_application(row.app, state=Path(folder), backend=stub.url, is_debug=options.debug)
        visitor = Visitor(row, partial(respond, application))
        for _ in range(VISITS_TO_WARM):
            visitor.visit()
        requests, answered = visitor.requests(), 0
        with samples.taking():
            began_s = time.process_time()
            while time.process_time() - began_s < options.seconds:
                respond(application, next(requests))
                answered += 1
            request_us = (time.process_time() - began_s) / answered * 1e6
    debug, number = " in DEBUG" if options.debug else "", samples.by_area.total()
    print(f"\n## {row.name}{debug}: {request_us:,.0f} µs of CPU time, {answered:,} requests, {number:,} samples\n")
    samples.print(request_us=request_us, functions=options.functions)


if __name__ == "__main__":
    main()
