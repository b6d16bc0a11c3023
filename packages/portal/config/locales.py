"""The languages that every application of the product speaks (contract, section 5); `apps/product.py` names them."""

from typing import Final

from portal.config.platforms import PRODUCT

#: Locale to its name in its own language; the first is the default.
LOCALES: Final[dict[str, str]] = dict(PRODUCT.locales)
DEFAULT_LOCALE: Final = next(iter(LOCALES))
