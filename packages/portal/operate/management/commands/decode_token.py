"""`./manage.py --app energy decode_token`: what an access token says, and whether the edge takes it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from portal.api import jwks_keys
from portal.config.current import portal_config
from portal.identity import use_key_source
from portal.operate.answers import BAD, FINE, AdministrationCommand, CommandAnswer, not_asked
from portal.operate.token_input import read_token
from portal.operate.token_report import NoTokenError, report_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.operate.token_report import TokenReport


class Command(AdministrationCommand):
    """Never prints a signature, and never takes a token as a word of the command line, which others can see."""

    help = (
        "Print the header and the claims of an access token, its times in words, the platforms that it opens, and "
        "whether the edge takes it. The token is read from standard input, or from a file."
    )
    examples = (
        "--app energy decode_token < token.txt",
        "--app energy decode_token --token-file token.txt --json",
    )
    statuses = {FINE: "the edge takes it", BAD: "the edge does not take it"}

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--token-file", type=Path, metavar="FILE", help="a file with the token; default: stdin")

    def answer(self, **options: Any) -> CommandAnswer:
        config = portal_config()
        token = read_token(options["token_file"])
        if config.verification.jwks_url:
            self.progress("the key set …")
            keys = jwks_keys(config)
            use_key_source(keys)
            if not keys.fetch_now():
                raise not_asked("APP_JWT_JWKS_URL gives no keys now: doctor says why")
        try:
            report = report_token(token, config=config, now=time.time())
        except NoTokenError as error:
            raise not_asked(f"no access token: {error}") from error
        user = report.user
        return CommandAnswer(
            data={
                "header": report.header,
                "claims": report.claims,
                "times": report.times,
                "platforms": list(user.platforms) if user else [],
                "permissions": list(user.permissions) if user else [],
                "verified": report.verified,
                "accepted": report.accepted,
                "reason": report.reason,
            },
            lines=_lines(report, enabled=config.verification.enabled),
            status=FINE if report.accepted else BAD,
        )


def _lines(report: TokenReport, *, enabled: bool) -> Iterator[str]:
    how = "signature verified" if report.verified else "signature not accepted" if enabled else "only decoded: no key"
    yield f"{'accepted' if report.accepted else 'not accepted'} by the edge: {report.reason} ({how})"
    yield f"header  {json.dumps(report.header, ensure_ascii=False)}"
    for name, value in report.claims.items():
        words = f"  {report.times[name]}" if name in report.times else ""
        yield f"claim   {name} = {json.dumps(value, ensure_ascii=False)}{words}"
    platforms = report.user.platforms if report.user else ()
    yield f"opens   {', '.join(platforms) or 'no platform'}"
