"""Clients: people, and companies with fleets."""

from datetime import datetime, timedelta

from faker import Faker

from sandbox_api.energy.models import Client
from sandbox_api.folding import fold
from sandbox_api.seed.dice import Dice
from sandbox_api.seed.places import CITIES, COUNTRIES, City

COUNT = 2_400
_HISTORY = timedelta(days=3 * 365)
_NAMES_PER_LOCALE = 400
_COMPANIES = 0.14
_IMPORTED = 0.05
_MAIL_DOMAINS = ("example.com", "example.org", "example.net")  # reserved by RFC 2606


def plan_clients(*, until: datetime) -> list[Client]:
    """Plan all clients, the oldest first."""
    dice = Dice("clients")
    people = {country: _people(place.locale, dice) for country, place in COUNTRIES.items()}
    companies = {country: _companies(place.locale) for country, place in COUNTRIES.items()}
    # Some came in one import: they share their time to the microsecond, and only ids tell them apart.
    import_time = until - _HISTORY / 2
    taken: set[str] = set()
    clients = []
    for city in dice.choices(CITIES, weights=[city.weight for city in CITIES], k=COUNT):
        is_company = dice.chance(_COMPANIES)
        name = (
            dice.choice(companies[city.country])
            if is_company
            else " ".join(dice.choice(names) for names in people[city.country])
        )
        imported = dice.chance(_IMPORTED)
        clients.append(
            Client(
                id=dice.row_id("cli"),
                name=name,
                email=_address(name, taken, dice, is_company=is_company),
                phone=_phone(city, dice) if dice.chance(0.85) else None,
                city=city.name,
                created_at=import_time if imported else dice.moment(before=until, within=_HISTORY, skew=1.2),
            )
        )
    return sorted(clients, key=lambda client: client.created_at)


def _people(locale: str, dice: Dice) -> tuple[list[str], list[str]]:
    fake = _faker(locale)
    first = [fake.first_name() for _ in range(_NAMES_PER_LOCALE)]
    last = [fake.last_name() for _ in range(_NAMES_PER_LOCALE)]
    dice.shuffle(last)
    return first, last


def _companies(locale: str) -> list[str]:
    fake = _faker(locale)
    return [fake.company() for _ in range(_NAMES_PER_LOCALE // 4)]


def _faker(locale: str) -> Faker:
    fake = Faker(locale, use_weighting=False)
    fake.seed_instance(locale)
    return fake


def _address(name: str, taken: set[str], dice: Dice, *, is_company: bool) -> str:
    words = ["".join(filter(str.isalnum, word)) for word in fold(name).split()]
    local = ("-" if is_company else ".").join(word for word in words if word.isascii() and word)
    if is_company:
        local = f"fleet@{local[:40].strip('-')}"
        address = f"{local}.example"
        if address in taken:
            address = f"{local}-{dice.randrange(10_000)}.example"
    else:
        address = f"{local}@{dice.choice(_MAIL_DOMAINS)}"
    while address in taken:
        address = f"{local}{dice.randrange(10_000)}@{dice.choice(_MAIL_DOMAINS)}"
    taken.add(address)
    return address


def _phone(city: City, dice: Dice) -> str:
    return f"{city.dialling} {dice.randrange(100, 1000)} {dice.randrange(1000, 10_000)}"
