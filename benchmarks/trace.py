"""One trace: what the energy app does for its clients page, as a collector gets it. Prints the tree of its spans.

The servers are those of `make run`, with the embedded store. The page is asked for three times: after a sign-in, once
more from the cache, and without an access token, as when it has expired.

    ./manage.py bench trace
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from benchmarks._options import options_of, parser_of
from portal.config.cookies import VAR_ACCESS_TOKEN
from tests.support.harness import running_stack
from tests.support.http_browser import HttpBrowser
from tests.support.otlp_receiver import otlp_receiver, tree

PAGE: Final = "/en/energy/clients?menu=city"


def main() -> None:
    """Print three trees."""
    options_of(parser_of(__doc__))
    with (
        tempfile.TemporaryDirectory() as folder,
        otlp_receiver() as receiver,
        running_stack(
            Path(folder),
            without=("operations", "finance"),
            OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url,
            OTEL_BSP_SCHEDULE_DELAY="200",
        ) as stack,
        HttpBrowser() as browser,
    ):
        browser.sign_in(stack.url("auth_app"), email="energy@example.com")
        # The first page of a process loads what later ones find.
        browser.get(stack.url("energy", f"{PAGE}&q=first"))
        for title in ("fetched", "cached", "with an expired access token"):
            if title == "with an expired access token":
                browser.http.cookies.set(VAR_ACCESS_TOKEN, None, domain="localhost.local", path="/")
            answer = browser.get(stack.url("energy", PAGE))
            print(f"{title}:\n{tree(receiver.trace_of(answer.headers['X-Request-Id']))}\n")


if __name__ == "__main__":
    main()
