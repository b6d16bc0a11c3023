"""Where clients live, and what their companies are called by the tax office."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sandbox_api.seed.dice import Dice
from sandbox_api.seed.places import CITIES, COUNTRIES

if TYPE_CHECKING:
    from sandbox_api.energy.models import Client

#: Country to its name, its postcodes and its VAT ids; `#` is a digit.
_FORMS: Final = {
    "DE": ("Deutschland", "#####", "DE#########"),
    "AT": ("Österreich", "1##0", "ATU########"),
    "CH": ("Schweiz", "80##", "CHE-###.###.### MWST"),
    "TR": ("Türkiye", "3####", "##########"),
    "NO": ("Norge", "0###", "9######## MVA"),
    "DK": ("Danmark", "2###", "DK########"),
    "SE": ("Sverige", "21# ##", "SE55########01"),
    "PL": ("Polska", "3#-###", "PL##########"),
}
_COUNTRY_OF: Final = {city.name: city.country for city in CITIES}


def address_and_vat_id(client: Client) -> tuple[str, str | None]:
    """Give a client's address in lines, and the VAT id of a company; the same for each of its invoices."""
    dice = Dice(f"address of {client.id}")
    country = COUNTRIES[_COUNTRY_OF[str(client.city)]]
    name, postcode, vat_id = _FORMS[_COUNTRY_OF[str(client.city)]]
    street = country.address.format(street=dice.choice(country.streets), number=dice.randrange(1, 180))
    address = f"{street}\n{_filled(postcode, dice)} {client.city}\n{name}"
    return address, _filled(vat_id, dice) if client.email.startswith("fleet@") else None


def _filled(form: str, dice: Dice) -> str:
    return "".join(str(dice.randrange(10)) if each == "#" else each for each in form)
