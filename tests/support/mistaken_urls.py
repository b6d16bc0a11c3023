"""A team's project with slips of the kind that everybody makes: one page for each place where one can stand."""

import logging
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template import engines

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.config.environment.reader import read_config
from portal.services.energy.clients import ClientMutations, ClientQueries
from portal.web.guards import neutral_page, platform_page
from portal_pages.urls import portal_patterns

logger = logging.getLogger(__name__)

handler400 = "portal.web.errors.failure_pages.bad_request"
handler403 = "portal.web.errors.failure_pages.permission_denied"
handler404 = "portal.web.errors.failure_pages.page_not_found"
handler500 = "portal.web.errors.failure_pages.server_error"


def in_view(request: HttpRequest) -> HttpResponse:
    """A parameter that the endpoint does not know."""
    ClientQueries.use_get_clients_query(request, params={"colour": "red"})
    return HttpResponse()


def in_template(request: HttpRequest) -> HttpResponse:
    """The same, asked for while the page is rendered."""
    template = engines["pages"].from_string("{% for row in rows() %}{{ row }}{% endfor %}")
    return HttpResponse(template.render({"rows": lambda: in_view(request)}, request))


def in_callback(request: HttpRequest) -> HttpResponse:
    """The same, in what runs after a write."""
    ClientMutations.use_create_client_mutation(request, on_success=lambda _: in_view(request)).mutate(
        body={"name": "Ada", "email": "ada@example.com"}
    )
    return HttpResponse()


def in_body(request: HttpRequest) -> HttpResponse:
    """A value that JSON does not have."""
    body: Any = {"name": "Ada", "email": object()}
    ClientMutations.use_create_client_mutation(request).mutate(body=body)
    return HttpResponse()


def in_log(request: HttpRequest) -> HttpResponse:
    """The tokens, in a line and in the words of an error."""
    logger.info("access token %s", request.COOKIES[VAR_ACCESS_TOKEN])
    logger.info("%r", request.COOKIES, extra={"cause": request.COOKIES[VAR_REFRESH_TOKEN]})
    raise RuntimeError(request.COOKIES[VAR_REFRESH_TOKEN])


def in_settings(request: HttpRequest) -> HttpResponse:
    """A project that the registry lacks."""
    read_config("nowhere")
    return HttpResponse()


urlpatterns = portal_patterns(
    pages=[
        platform_page("energy/in-view", in_view, name="in-view"),
        platform_page("energy/in-template", in_template, name="in-template"),
        platform_page("energy/in-callback", in_callback, name="in-callback"),
        platform_page("energy/in-log", in_log, name="in-log"),
        platform_page("energy/in-body", in_body, name="in-body"),
        neutral_page("in-settings", in_settings, name="in-settings"),
        platform_page("energy", in_view, name="home"),
        *(
            platform_page(f"energy/{name}", in_view, name=name)
            for name in ("clients", "stations", "chargers", "sessions", "meters")
        ),
    ]
)
