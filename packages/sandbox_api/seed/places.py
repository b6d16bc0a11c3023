"""Cities with their coordinates, and what streets and sites are called there."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class City:
    """A city; `weight` is how much of the business is there."""

    name: str
    country: str
    latitude: float
    longitude: float
    weight: int
    dialling: str
    """Country and area code."""


@dataclass(frozen=True, slots=True)
class Country:
    """How addresses look, which of Faker's locales knows the names of people, and what tax invoices have, percent."""

    locale: str
    address: str
    streets: tuple[str, ...]
    sites: tuple[str, ...]
    vat_rate: str


CITIES = (
    City("Berlin", "DE", 52.520, 13.405, 14, "+49 30"),
    City("Hamburg", "DE", 53.551, 9.994, 9, "+49 40"),
    City("München", "DE", 48.137, 11.575, 10, "+49 89"),
    City("Köln", "DE", 50.938, 6.960, 7, "+49 221"),
    City("Frankfurt am Main", "DE", 50.110, 8.682, 6, "+49 69"),
    City("Stuttgart", "DE", 48.775, 9.183, 5, "+49 711"),
    City("Düsseldorf", "DE", 51.227, 6.774, 5, "+49 211"),
    City("Leipzig", "DE", 51.340, 12.375, 4, "+49 341"),
    City("Nürnberg", "DE", 49.452, 11.077, 3, "+49 911"),
    City("Lübeck", "DE", 53.866, 10.687, 2, "+49 451"),
    City("İstanbul", "TR", 41.008, 28.978, 12, "+90 212"),
    City("Ankara", "TR", 39.933, 32.860, 6, "+90 312"),
    City("İzmir", "TR", 38.424, 27.143, 5, "+90 232"),
    City("Bursa", "TR", 40.183, 29.067, 3, "+90 224"),
    City("Muğla", "TR", 37.215, 28.364, 2, "+90 252"),
    City("Oslo", "NO", 59.914, 10.752, 8, "+47 22"),
    City("Bergen", "NO", 60.393, 5.324, 4, "+47 55"),
    City("Tromsø", "NO", 69.649, 18.955, 2, "+47 77"),
    City("Wien", "AT", 48.208, 16.373, 5, "+43 1"),
    City("Graz", "AT", 47.071, 15.439, 2, "+43 316"),
    City("Zürich", "CH", 47.377, 8.542, 4, "+41 44"),
    City("København", "DK", 55.676, 12.568, 4, "+45 33"),
    City("Malmö", "SE", 55.605, 13.004, 3, "+46 40"),
    City("Kraków", "PL", 50.065, 19.945, 3, "+48 12"),
    City("Łódź", "PL", 51.759, 19.456, 2, "+48 42"),
)

_GERMAN_STREETS = (
    "Bahnhofstraße",
    "Hauptstraße",
    "Gartenstraße",
    "Am Stadtpark",
    "Lindenallee",
    "Goethestraße",
    "Mühlenweg",
    "Werftstraße",
    "Messeplatz",
    "Schillerplatz",
)
_GERMAN_SITES = (
    "Hauptbahnhof",
    "Messe",
    "Stadtpark",
    "Flughafen",
    "Nordkreuz",
    "Südtor",
    "Universität",
    "Hafen",
    "Rathaus",
    "Technologiepark",
    "Einkaufszentrum",
    "Klinikum",
)

COUNTRIES = {
    "DE": Country("de_DE", "{street} {number}", _GERMAN_STREETS, _GERMAN_SITES, "19.00"),
    "AT": Country("de_AT", "{street} {number}", _GERMAN_STREETS, _GERMAN_SITES, "20.00"),
    "CH": Country("de_CH", "{street} {number}", _GERMAN_STREETS, _GERMAN_SITES, "8.10"),
    "TR": Country(
        "tr_TR",
        "{street} No: {number}",
        ("Atatürk Caddesi", "Cumhuriyet Caddesi", "İstiklal Caddesi", "Gül Sokak", "Bağdat Caddesi"),
        ("Meydan", "Otogar", "Havalimanı", "Sahil", "Üniversite", "Çarşı", "Sanayi", "Şehir Hastanesi"),
        "20.00",
    ),
    "NO": Country(
        "no_NO",
        "{street} {number}",
        ("Storgata", "Kirkegata", "Sjøgata", "Strandveien", "Bjørnstjerneveien"),
        ("Sentrum", "Brygge", "Lufthavn", "Stasjon", "Universitetet", "Fjellheisen", "Kjøpesenter"),
        "25.00",
    ),
    "DK": Country(
        "da_DK",
        "{street} {number}",
        ("Vestergade", "Nørregade", "Åboulevarden", "Strandvejen"),
        ("Hovedbanegård", "Havn", "Lufthavn", "Rådhus", "Ørestad"),
        "25.00",
    ),
    "SE": Country(
        "sv_SE",
        "{street} {number}",
        ("Storgatan", "Östergatan", "Kungsgatan", "Ängsvägen"),
        ("Central", "Hamn", "Mässan", "Västra", "Sjukhuset"),
        "25.00",
    ),
    "PL": Country(
        "pl_PL",
        "ul. {street} {number}",
        ("Długa", "Świętego Jana", "Kościuszki", "Piotrkowska"),
        ("Dworzec", "Rynek", "Lotnisko", "Galeria", "Śródmieście"),
        "23.00",
    ),
}

COUNTRY_OF_CITY = {city.name: COUNTRIES[city.country] for city in CITIES}
