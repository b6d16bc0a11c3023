"""The product: what `apps/product.py` says of it, read once. A new product edits nothing in this package.

::

    PRODUCT = Product(
        name="Acme",
        locales={"en": "English", "de": "Deutsch"},
        platforms=(Platform(name="ORDERS", permission="ORDERS_APP", prefix="/orders", app="orders"),),
    )

Where there is no such file, as in a Django project that uses the query layer alone, the product has no platform, and
speaks English.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Final, NamedTuple, TypeAlias

from portal.errors import ConfigurationError

#: A platform's name, as it stands in claims, in the platforms cookie and in `PLATFORMS`.
TPlatform: TypeAlias = str
#: The folder of the gateway, below `apps/`.
GATEWAY_APP: Final = "auth_app"
#: The module that describes the product, in the package of its projects.
PRODUCT_MODULE: Final = "apps.product"


class Platform(NamedTuple):
    """One product platform. No dataclass: those import a megabyte, into the parent of each server's workers.

    :param name: the registry's name, upper case.
    :param permission: the permission string that opens it; matched exactly.
    :param prefix: first path segment after the locale, with its leading slash.
    :param app: folder below `apps/`, and the host name below a shared cookie domain.
    """

    name: TPlatform
    permission: str
    prefix: str
    app: str


class Product(NamedTuple):
    """What is the product's own.

    :param name: the name that pages show beside the logo.
    :param platforms: their order decides the primary platform, the local ports, and the order in the navigation.
    :param locales: locale to its name in its own language; the first is the default.
    :param services: the package whose modules declare the calls of the product's backend: a folder for each domain.
    :param sandbox: the Django app with the resources of the sandbox backend; empty for those of the examples.
    """

    name: str = "Portal"
    platforms: Sequence[Platform] = ()
    locales: Mapping[str, str] = {"en": "English"}
    services: str = "services"
    sandbox: str = ""


def msgid(text: str) -> str:
    """Mark a text for the catalogs. Without Django, which the parent of a server's workers does not import."""
    return text


def read_product() -> Product:
    """The product that `apps/product.py` describes.

    :raises ConfigurationError: its parts don't fit.
    """
    try:
        found = find_spec(PRODUCT_MODULE)
    except ModuleNotFoundError as error:
        # There is no `apps`, or it is a module.
        if error.name not in {"apps", PRODUCT_MODULE}:
            raise
        found = None
    if found is None:
        return Product()
    # A project that is not the portal's may have an app of this name.
    product = getattr(import_module(PRODUCT_MODULE), "PRODUCT", Product())
    if not isinstance(product, Product):
        raise ConfigurationError(f"{PRODUCT_MODULE}: PRODUCT should be a Product")
    for fault in _faults(product):
        raise ConfigurationError(f"{PRODUCT_MODULE}: {fault}")
    return product


def _faults(product: Product) -> Iterator[str]:
    if not product.locales:
        yield "locales should name a language"
    for part in ("name", "prefix", "app"):
        values = [getattr(platform, part) for platform in product.platforms]
        for value in values:
            if values.count(value) > 1:
                yield f"two platforms have the {part} {value!r}"
    for platform in product.platforms:
        if platform.app == GATEWAY_APP:
            yield f"the app of {platform.name} is the gateway's"
        if not platform.prefix.startswith("/") or "/" in platform.prefix[1:] or platform.prefix == "/":
            yield f"the prefix of {platform.name} should be one segment, such as /{platform.app}: {platform.prefix!r}"
        if platform.prefix[1:] in product.locales:
            yield f"the prefix of {platform.name} is a language of the product"
