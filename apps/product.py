"""The product: its name, languages and platforms, and where its services are. The one place where these are named.

`./manage.py startplatform` adds a platform here, and its folder below `apps/`.
"""

from portal.config.product import Platform, Product, msgid

#: Their order decides the primary platform: requirements, "Platform (type TPlatform)".
PLATFORMS = [
    Platform(name="ENERGY", permission="ENERGY_APP", prefix="/energy", app="energy"),
    Platform(name="OPERATIONS", permission="OPERATIONS_APP", prefix="/operations", app="operations"),
    Platform(name="FINANCE", permission="FINANCE_APP", prefix="/finance", app="finance"),
]
#: What pages call them, for the catalogs in `apps/locale`.
PLATFORM_NAMES = [
    msgid("Energy"),
    msgid("Operations"),
    msgid("Finance"),
]

PRODUCT = Product(
    name="Portal",
    # The first is the default.
    locales={"en": "English", "de": "Deutsch", "tr": "Türkçe"},
    services="portal.services",
    platforms=PLATFORMS,
)
