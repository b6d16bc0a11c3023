"""Where the time of one page goes, in one process without a server: by area, and by function.

    make profile PAGE=clients
    ./manage.py bench profile --page clients [--seconds 10] [--functions 30]
    ./manage.py bench profile --page clients --debug      as on a developer's machine

A function of a library counts for the area that called it: Django's `reverse` in a template is rendering, in a
middleware it is Django's. Other threads' CPU time counts for what the request's own thread does meanwhile.
"""

from __future__ import annotations

import re
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks._in_process import load_application, respond
from benchmarks._options import options_of, parser_of
from benchmarks._page_rows import PAGES, Visitor
from benchmarks._sampling import Samples, sampling
from benchmarks._servers import ROOT
from benchmarks._stub_backend import stub_backend

if TYPE_CHECKING:
    from types import CodeType

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


@cache
def area_of(path: str) -> str | None:
    """The area of a source file; None where it works for its caller."""
    return next((area for parts, area in AREAS if any(part in path for part in parts)), None)


def print_areas(samples: Samples, *, request_us: float) -> None:
    """The table by area."""
    print("| area | µs | % |\n|---|---|---|")
    for area, count in samples.by_area.most_common():
        share = count / samples.number
        print(f"| {area} | {share * request_us:,.0f} | {share:.1%} |")


def print_functions(samples: Samples, *, request_us: float, number: int) -> None:
    """The table of the functions with the most time of their own."""
    print("\n| function | own µs | with what it calls, µs |\n|---|---|---|")
    for code, count in samples.own.most_common(number):
        own, total = (each / samples.number * request_us for each in (count, samples.total[code]))
        print(f"| {_name(code)} | {own:,.0f} | {total:,.0f} |")


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
    options = options_of(parser, seconds=0.5)
    row = PAGES[options.page]
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder, stub_backend() as stub:
        application = load_application(row.app, state=Path(folder), backend=stub.url, is_debug=options.debug)
        visitor = Visitor(row, lambda request: respond(application, request))
        for _ in range(VISITS_TO_WARM):
            visitor.visit()
        requests, answered = visitor.requests(), 0
        with sampling(area_of) as samples:
            began_s = time.process_time()
            while time.process_time() - began_s < options.seconds:
                respond(application, next(requests))
                answered += 1
            request_us = (time.process_time() - began_s) / answered * 1e6
    debug = " in DEBUG" if options.debug else ""
    print(
        f"\n## {row.name}{debug}: {request_us:,.0f} µs of CPU time, {answered:,} requests, {samples.number:,} samples\n"
    )
    print_areas(samples, request_us=request_us)
    print_functions(samples, request_us=request_us, number=options.functions)


if __name__ == "__main__":
    main()
