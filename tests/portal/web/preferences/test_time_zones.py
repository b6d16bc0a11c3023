"""The zone of a request: the user's choice, else the browser's own, else UTC."""

from collections.abc import Iterator

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.utils import timezone

from portal.config.cookies import BROWSER_TIME_ZONE, VAR_TIME_ZONE
from portal.web.middleware import ApiAccessMiddleware
from portal.web.preferences import active_zone_name, zone_choices, zone_label, zone_named, zone_names


@pytest.fixture(autouse=True)
def _no_zone_of_another_test() -> Iterator[None]:
    timezone.deactivate()
    yield
    timezone.deactivate()


def zone_of(**cookies: str) -> str:
    """The zone in which a page is written that is asked for with these cookies."""

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(active_zone_name())

    request = RequestFactory().get("/en/energy")
    request.COOKIES.update(cookies)
    return ApiAccessMiddleware(view)(request).content.decode()


def test_the_users_choice_counts_before_the_browsers_zone_and_that_before_utc() -> None:
    chosen, browsers = {VAR_TIME_ZONE: "Asia/Tokyo"}, {BROWSER_TIME_ZONE: "Europe/Oslo"}
    assert zone_of(**chosen, **browsers) == zone_of(**chosen) == "Asia/Tokyo"
    assert zone_of(**browsers) == "Europe/Oslo"
    assert zone_of() == "UTC"


NO_ZONES = (
    "../../etc/passwd",
    "/usr/share/zoneinfo/Europe/Berlin",
    "Europe",
    "localtime",
    "europe/berlin",
    "",
    "\ud800",
)


@pytest.mark.parametrize("name", NO_ZONES, ids=ascii)
def test_what_is_no_zones_name_leaves_the_next_in_line(name: str) -> None:
    assert zone_of(**{VAR_TIME_ZONE: name}) == "UTC"
    assert zone_of(**{VAR_TIME_ZONE: name, BROWSER_TIME_ZONE: "Asia/Tokyo"}) == "Asia/Tokyo"
    assert zone_of(**{BROWSER_TIME_ZONE: name}) == "UTC"


def test_nothing_of_a_zone_is_left_for_the_next_request_also_where_one_fails() -> None:
    assert zone_of(**{VAR_TIME_ZONE: "Asia/Tokyo"}) == "Asia/Tokyo"
    assert active_zone_name() == zone_of() == "UTC"

    def fail(request: HttpRequest) -> HttpResponse:
        raise ZeroDivisionError

    request = RequestFactory().get("/en/energy")
    request.COOKIES[VAR_TIME_ZONE] = "Asia/Tokyo"
    with pytest.raises(ZeroDivisionError):
        ApiAccessMiddleware(fail)(request)
    assert active_zone_name() == "UTC"


def test_every_choice_is_a_zone_stands_once_and_has_a_label() -> None:
    choices = [choice for _continent, zones in zone_choices("de") for choice in zones]
    assert len(choices) > 300
    assert all(zone_named(name) and label.strip() for name, label in choices)
    assert len({name for name, _label in choices}) == len(choices)
    assert all(zone_label(name, language="de") for name in zone_names()), "also one that is chosen by hand"
