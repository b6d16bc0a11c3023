"""When a page is seen, and whether it then stays where it is: in Chromium, with a processor four times slower.

Largest contentful paint (LCP) and cumulative layout shift (CLS) as browsers report them to pages, the median of several
visits with nothing in the browser's cache; bytes as they came over the wire. The servers run as in production, on this
machine: the line costs nothing.

`./manage.py bench paint [--visits 3] [--only sign-in clients …]`
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from benchmarks._options import need, options_of, parser_of
from benchmarks._targets import Targets
from tests.support.harness import running_stack
from tests.support.open_pages import signed_in_contexts

#: How much slower the processor is, and the longest LCP of a page then, in milliseconds.
SLOWER: Final = 4
LCP_MS: Final = 1000
#: Name, app, who opens it, path.
PAGES: Final = (
    ("sign-in", "auth_app", None, "/en/login"),
    ("energy overview", "energy", "all", "/en/energy"),
    ("clients", "energy", "all", "/en/energy/clients"),
    ("sessions", "energy", "all", "/en/energy/sessions"),
    ("new client", "energy", "all", "/en/energy/clients/new"),
    ("operations overview", "operations", "all", "/en/operations"),
    ("work orders", "operations", "all", "/en/operations/work-orders"),
    ("finance overview", "finance", "all", "/en/finance"),
    ("invoices", "finance", "all", "/en/finance/invoices"),
    ("profile", "auth_app", "all", "/en/profile"),
)
_NOTE: Final = """
window.seen = {lcp: 0, cls: 0};
new PerformanceObserver(list => list.getEntries().forEach(each => (seen.lcp = each.startTime)))
    .observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver(list => list.getEntries().forEach(each => (seen.cls += each.value)))
    .observe({type: "layout-shift", buffered: true});
"""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """One visit: milliseconds, a ratio, bytes on the wire, requests."""

    lcp: float
    cls: float
    wire: int
    requests: int


def main() -> None:
    """Print the table; end with 1 where a page was seen later than it should be, or did not stay where it was."""
    parser = parser_of(__doc__)
    parser.add_argument("--visits", type=int, default=3, help="of each page, after one that does not count: 3")
    names = [name for name, *_ in PAGES]
    parser.add_argument("--only", choices=names, nargs="+", default=names, help="these pages")
    options = options_of(parser, visits=0, only=["sign-in", "clients"])
    program = need("chromium", "chromium-browser", "google-chrome")
    late = []
    with (
        tempfile.TemporaryDirectory() as state,
        running_stack(Path(state)) as stack,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=program, args=["--no-sandbox"]) as browser,
    ):
        sys.stdout.write("| page | LCP, ms | CLS | requests | kB on the wire |\n|---|---|---|---|---|\n")
        signed_in = signed_in_contexts(stack, [(name, browser.new_context()) for name in (None, "all")])
        for name, app, visitor, path in (page for page in PAGES if page[0] in options.only):
            visits = [_visit(browser, signed_in[visitor], stack.url(app, path)) for _ in range(options.visits + 1)]
            visits = visits[1:] or visits
            lcp = statistics.median(visit.lcp for visit in visits)
            cls = max(visit.cls for visit in visits)
            wire = statistics.median(visit.wire for visit in visits)
            sys.stdout.write(f"| {name} | {lcp:.0f} | {cls:.3f} | {visits[-1].requests} | {wire / 1000:.0f} |\n")
            if lcp > LCP_MS or cls > 0:
                late.append(name)
    targets = Targets(smoke=options.smoke)
    targets.hold(f"later than {LCP_MS} ms, or moved: {', '.join(late) or 'none'}", "none", met=not late)
    targets.end()


def _visit(browser: Browser, signed_in: BrowserContext, url: str) -> Visit:
    """One visit with an empty cache, by somebody with the cookies of `signed_in`."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, storage_state=signed_in.storage_state())
    page = context.new_page()
    page.add_init_script(_NOTE)
    protocol = context.new_cdp_session(page)
    protocol.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    protocol.send("Network.enable")
    sizes: list[float] = []
    protocol.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(url, wait_until="networkidle")
    seen: dict[str, Any] = page.evaluate("seen")
    signed_in.add_cookies(context.cookies())  # type: ignore[arg-type]  # what one gives the other takes
    context.close()
    return Visit(lcp=seen["lcp"], cls=seen["cls"], wire=int(sum(sizes)), requests=len(sizes))


if __name__ == "__main__":
    main()
