"""`./manage.py --app energy explain_route URL`: how the edge decides on a request, rule by rule."""

import time
from argparse import ArgumentParser
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.http import HttpRequest
from django.test import RequestFactory
from django.urls import Resolver404, resolve
from django.utils import translation

from portal.api import TokenPair
from portal.config.contract_names import PERMISSION_CLAIMS
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.config.current import portal_config
from portal.edge import (
    Decision,
    Forward,
    Reject,
    RequestContext,
    Site,
    load_routes,
    response_of,
)
from portal.identity import TokenCheck, TokenState, make_token_cache, user_from_claims
from portal_dev.edge_explanation import Explanation, explain
from portal_operate.answers import FINE, AdministrationCommand, CommandAnswer, not_asked, read_token


class Command(AdministrationCommand):
    """Builds the request as a server would, and runs the edge's rules with it. Nothing is sent."""

    help = "Print how the edge decides on a request: what it sees, each rule that it asks, and the response."
    examples = (
        "--app energy explain_route /energy/clients",
        "--app energy explain_route http://localhost:8001/en/finance --permissions ENERGY_APP,FINANCE_APP",
        "--app energy explain_route /en/energy --token-file token.txt",
        f"--app energy explain_route /en/energy --cookie '{VAR_PERMITTED_PLATFORMS}=[\"ENERGY\"]'",
        "--app energy explain_route /en/energy --header 'HX-Request: true' --method POST --json",
    )
    statuses = {FINE: "explained, whatever the edge decides"}

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("url", help="a path or an address, as a browser sends it (percent-encoded)")
        user = parser.add_mutually_exclusive_group()
        user.add_argument("--permissions", help="signed in with these, commas between; '' for none at all")
        from_file = "signed in with the access token in this file; - is standard input"
        user.add_argument("--token-file", type=Path, metavar="FILE", help=from_file)
        parser.add_argument("--cookie", action="append", default=[], metavar="NAME=VALUE", help="may come again")
        parser.add_argument("--method", default="GET")
        parser.add_argument("--header", action="append", default=[], metavar="NAME: VALUE", help="may come again")

    def answer(self, **options: Any) -> CommandAnswer:
        config = portal_config()
        site = Site(
            project=config.project,
            origins=config.origins,
            routes=load_routes(config.project.app),
            debug=config.debug,
        )
        request = self._request(site, options)
        cache = make_token_cache(config)
        tokens = TokenPair(access=request.COOKIES.get(VAR_ACCESS_TOKEN), refresh=request.COOKIES.get(VAR_REFRESH_TOKEN))
        access = cache.check(tokens.access, now=time.time())
        context = RequestContext(
            site,
            request.method or "GET",
            request.path_info,
            access,
            bool(tokens.refresh),
            request.META,
            request.COOKIES,
        )
        if options["permissions"] is not None:
            held = [name.strip() for name in options["permissions"].split(",") if name.strip()]
            user = user_from_claims({PERMISSION_CLAIMS[0]: held})
            context = context._replace(access=TokenCheck(TokenState.VALID, user))
        asked = f"{context.method} {options['url']} on {config.project.app}, {site.own_origin}"
        explanation = explain(context)
        outcome = self._outcome(context, explanation.decision)
        return CommandAnswer(
            data={
                "request": asked,
                "seen": explanation.seen,
                "rules": [step._asdict() for step in explanation.steps],
                "outcome": outcome,
            },
            lines=self._lines(asked, explanation, outcome),
        )

    def _request(self, site: Site, options: dict[str, Any]) -> HttpRequest:
        try:
            parts = urlsplit(options["url"])
        except ValueError as error:
            raise not_asked(f"{options['url']!r} is no address: {error}") from error
        if parts.netloc and f"{parts.scheme}://{parts.netloc}" != site.own_origin:
            raise not_asked(f"{site.own_origin} is this app's address, {parts.scheme}://{parts.netloc} is not")
        cookies = list(options["cookie"])
        if options["token_file"]:
            cookies.append(f"{VAR_ACCESS_TOKEN}={read_token(options['token_file'])}")
        headers = {"Cookie": _as_sent("; ".join(cookies))}
        for header in options["header"]:
            name, colon, value = header.partition(":")
            if not colon:
                raise not_asked(f"--header {header!r} should be 'Name: value'")
            headers[name.strip()] = _as_sent(value.strip())
        target = urlunsplit(("", "", parts.path, parts.query, ""))
        return RequestFactory().generic(options["method"], target, headers=headers)

    def _lines(self, asked: str, explanation: Explanation, outcome: list[str]) -> Iterator[str]:
        heading = self.style.MIGRATE_HEADING
        yield asked
        yield f"\n{heading('What the edge sees')}"
        yield from (f"  {name:<14} {value}" for name, value in explanation.seen.items())
        yield f"\n{heading('What it asks, in this order')}"
        yield from (f"  {step.rule:<14} {step.result:<32} {step.says}" for step in explanation.steps)
        yield f"\n{heading('What happens')}"
        yield from (f"  {line}" for line in outcome)

    def _outcome(self, context: RequestContext, decision: Decision) -> list[str]:
        lines = ["the sign-in's cookies are cleared"] if decision.ends_sign_in else []
        if isinstance(decision, Forward):
            pathname = "no x-pathname" if decision.pathname is None else f"x-pathname: {decision.pathname}"
            return [*lines, f"forwarded to {_view_name(context.path, decision.user.locale)}", pathname]
        if isinstance(decision, Reject) and decision.pathname is not None:
            return [*lines, f"{decision.status} {HTTPStatus(decision.status).phrase}, as the project's own page"]
        response = response_of(decision)
        lines.append(f"{response.status_code} {response.reason_phrase}")
        lines += [f"{name}: {value}" for name, value in response.items()]
        return [*lines, response.content.decode()] if response.content else lines


def _as_sent(text: str) -> str:
    """A header's value as WSGI gives it: each byte a character."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _view_name(path: str, locale: str) -> str:
    with translation.override(locale):
        try:
            view = resolve(path).func
        except Resolver404:
            return "no view: a 404 page"
    return f"{view.__module__}.{getattr(view, '__qualname__', type(view).__qualname__)}"
