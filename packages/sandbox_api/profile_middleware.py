"""Makes the sandbox the backend that `SANDBOX_PROFILE` names (see `profiles`)."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.response import Response

from sandbox_api.problems import problem_response
from sandbox_api.profiles import VERSION, Profile, path_shape
from sandbox_api.versions import HEADER as IF_MATCH

#: What tells about the sandbox itself is there in each profile.
_OF_THE_SANDBOX: Final = frozenset({"/healthz", "/openapi.json", "/docs"})


class ProfileMiddleware:
    """Answer as a backend that has what the profile says, and nothing else."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer."""
        response = self.get_response(request)
        # An address that no view has got as far as here without `process_view`.
        return (
            _missing() if request.resolver_match is None and response.status_code == HTTPStatus.NOT_FOUND else response
        )

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponse | None:
        """Refuse what the profile does not have, and take away from the request what it does not know."""
        shape, calls = _shape_of(request), _profile().calls
        if calls is None or shape in _OF_THE_SANDBOX:
            return None
        call = calls.get(shape)
        if call is None:
            return _missing()
        if ("GET" if request.method == "HEAD" else request.method) not in call.methods:
            return _missing(but=call.methods)
        unknown = sorted(set(request.GET) - set(call.parameters))
        if unknown and _profile().refuses_unknown:
            return problem_response(status=HTTPStatus.BAD_REQUEST, detail=f"Unknown parameters: {', '.join(unknown)}.")
        known = request.GET.copy()
        for name in unknown:
            del known[name]
        request.GET = known  # type: ignore[assignment]  # a copy of the same kind
        if VERSION in call.without:
            request.META.pop(f"HTTP_{IF_MATCH.upper().replace('-', '_')}", None)
        return None

    def process_template_response(self, request: HttpRequest, response: Any) -> Any:
        """Take away from the answer, before it is written, what the profile does not have."""
        calls = _profile().calls
        call = calls.get(_shape_of(request)) if calls is not None else None
        if call is not None and isinstance(response, Response):
            response.data = _without(response.data, call.without)
            if VERSION in call.without:
                del response["ETag"]
        return response


def _profile() -> Profile:
    profile: Profile = settings.SANDBOX.profile
    return profile


def _shape_of(request: HttpRequest) -> str:
    return path_shape(request.resolver_match.route if request.resolver_match else "")


def _missing(*, but: tuple[str, ...] = ()) -> HttpResponse:
    """Say that a call is not there: as a framework does, or as a gateway.

    :param but: the methods that the path has.
    """
    if _profile().refuses_unknown:
        return problem_response(status=HTTPStatus.FORBIDDEN, detail="The gateway knows no such call.")
    if not but:
        return problem_response(status=HTTPStatus.NOT_FOUND, detail="There is nothing at this address.")
    response = problem_response(status=HTTPStatus.METHOD_NOT_ALLOWED, detail="The address has other methods.")
    response["Allow"] = ", ".join(but)
    return response


def _without(data: Any, names: tuple[str, ...]) -> Any:
    if not isinstance(data, dict):
        return data
    kept = {name: value for name, value in data.items() if name not in names}
    return kept | {"items": [_without(row, names) for row in kept["items"]]} if "items" in kept else kept
