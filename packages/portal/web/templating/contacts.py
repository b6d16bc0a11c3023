"""Links out of the page: an email address, a telephone number, a place."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

from markupsafe import Markup, escape

from portal.web.present import NO_VALUE

#: Everything that RFC 3966 leaves out of a number, and people write into it.
_NO_DIGIT: Final = re.compile(r"[^0-9]")
#: Decimal places: about a metre.
_PLACES: Final = 5
_MAP: Final = "https://www.openstreetmap.org/?mlat={0}&mlon={1}#map=17/{0}/{1}"  # fixed address: the public map
#: Latitude and longitude, each of which a row may lack.
Position = tuple[float | None, float | None]


def mailto(address: str | None) -> Markup:
    """`{{ row.email|mailto }}`: a link that begins an email; a dash without an address."""
    return _link(f"mailto:{quote(address, safe='@')}", address) if address else escape(NO_VALUE)


def tel(number: str | None) -> Markup:
    """`{{ row.phone|tel }}`: a link that calls the number, as RFC 3966 writes it; a dash without one."""
    digits = _NO_DIGIT.sub("", number or "")
    if not number or not digits:
        return escape(number or NO_VALUE)
    return _link(f"tel:{'+' if number.lstrip().startswith('+') else ''}{digits}", number)


def geo(position: Position | None) -> Markup:
    """`{{ (row.latitude, row.longitude)|geo }}`: a link that opens the place in an app for maps (RFC 5870).

    A dash without a position.
    """
    text = geo_text(position)
    return _link(f"geo:{text.replace(' ', '')}", text) if text else escape(NO_VALUE)


def geo_text(position: Position | None) -> str:
    """Latitude and longitude, degrees; empty without a position."""
    latitude, longitude = position or (None, None)
    return "" if latitude is None or longitude is None else f"{latitude:.{_PLACES}f}, {longitude:.{_PLACES}f}"


def map_url(position: Position | None) -> str:
    """The place on a public map: few desktops have an app for `geo:`. Empty without a position."""
    latitude, longitude = position or (None, None)
    return "" if latitude is None or longitude is None else _MAP.format(f"{latitude:.5f}", f"{longitude:.5f}")


def _link(url: str, text: str) -> Markup:
    return Markup(f'<a href="{escape(url)}">{escape(text)}</a>')  # noqa: S704  both are escaped


CONTACT_FILTERS: Final = {"geo": geo, "geo_text": geo_text, "mailto": mailto, "map_url": map_url, "tel": tel}
