"""JSON both ways (contract, section 7): how a body is read, and that nothing else is negotiated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any, NoReturn

from rest_framework.exceptions import ParseError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser

if TYPE_CHECKING:
    from rest_framework.renderers import BaseRenderer
    from rest_framework.request import Request


class JsonBodyParser(BaseParser):
    """Reads UTF-8 (RFC 8259 knows no other encoding), and refuses what can't be stored or sent on."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002 - the framework's signature
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002 - the framework's signature
    ) -> Any:
        """Parse the body.

        :raises ParseError: if it is no JSON, has NaN or Infinity, or a surrogate without its other half.
        """
        try:
            text = stream.read().decode("utf-8")
            body = json.loads(text, parse_constant=_refuse_constant)
            if "\\ud" in text.lower():
                json.dumps(body, ensure_ascii=False).encode("utf-8")  # fails on a lone surrogate
        except (ValueError, RecursionError) as error:
            raise ParseError("The body is not valid JSON.") from error
        return body


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


class AlwaysJson(BaseContentNegotiation):
    """Answers with JSON whatever `Accept` says: there is nothing else to choose from."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """Give the parser for the request's media type; none makes the framework answer 415."""
        media_type = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == media_type), None)

    def select_renderer(
        self,
        request: Request,  # noqa: ARG002 - the framework's signature
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,  # noqa: ARG002 - the framework's signature
    ) -> tuple[BaseRenderer, str]:
        """Give the first renderer."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type or ""
