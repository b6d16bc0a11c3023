"""`./manage.py --app energy ping_api`: how long each step of a call to the backend takes."""

from __future__ import annotations

import statistics
import time
from typing import Any, Final

from portal.config.current import portal_config
from portal_operate.answers import BAD, FINE, AdministrationCommand, CommandAnswer, not_asked, read_token, table
from portal_operate.probe import as_data, probe_url

#: Pause between two tries, seconds.
_PAUSE_S: Final = 0.2
_MAX_TRIES: Final = 100


class Command(AdministrationCommand):
    """Each try has a connection of its own, as the first call of a process has."""

    help = (
        "Ask the backend several times, and print the time of each step, and the status. Each try has a new "
        "connection. No token is sent unless --token-file names one."
    )
    examples = (
        "--app energy ping_api",
        "--app energy ping_api --path /energy/clients --token-file token.txt --tries 10",
        "--app energy ping_api --json",
    )
    bearer_file = "send the access token in this file; - is standard input"
    statuses = {FINE: "each try was answered below 500", BAD: "a try was not answered, or with 500 and above"}

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--tries", type=int, default=5, help="how often (default: 5, at most 100)")
        parser.add_argument("--path", default="/me", help="path below the backend's address (default: /me)")

    def answer(self, **options: Any) -> CommandAnswer:
        config, tries = portal_config(), options["tries"]
        if not 0 < tries <= _MAX_TRIES or not options["path"].startswith("/"):
            raise not_asked(f"--tries should be from 1 to {_MAX_TRIES}, and --path should begin with /")
        bearer = read_token(options["token_file"]) if options["token_file"] else None
        url, probes = f"{config.api_base_url}{options['path']}", []
        for number in range(1, tries + 1):
            if number > 1:
                time.sleep(_PAUSE_S)
            probes.append(probe_url(url, config=config, bearer=bearer))
            self.progress(f"try {number} of {tries}")
        bad = [probe for probe in probes if probe.status is None or probe.status >= 500]  # noqa: PLR2004  as HTTP has it
        answered = [probe.total_ms for probe in probes if probe.status is not None]
        median = round(statistics.median(answered), 1) if answered else None
        heads = ("try", "DNS ms", "TCP ms", "TLS ms", "answer ms", "all ms", "result")
        rows = [
            (
                number,
                *(probe.times_ms.get(step, "-") for step in ("name", "connection", "tls", "answer")),
                f"{probe.total_ms:.1f}",
                probe.status if probe.status is not None else f"{probe.failed}: {probe.cause}",
            )
            for number, probe in enumerate(probes, start=1)
        ]
        return CommandAnswer(
            data={
                "url": url,
                "with_token": bearer is not None,
                "failed": len(bad),
                "median_ms": median,
                "tries": [as_data(probe) for probe in probes],
            },
            lines=[
                f"GET {url}{', with the token' if bearer else ', without a token'}",
                *table([heads, *rows]),
                f"{len(bad)} of {tries} failed; median {median if median is not None else '-'} ms",
            ],
            status=BAD if bad else FINE,
        )
