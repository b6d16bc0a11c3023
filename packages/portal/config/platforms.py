"""The platforms of the product, by their names and prefixes.

Source: requirements, "Platform (type TPlatform)". Order matters: it decides the primary platform.
They are named in `apps/product.py`; `./manage.py startplatform` adds one.
"""

import sys

from portal.config.product import Platform, TPlatform, read_product
from portal.errors import ConfigurationError

try:
    PRODUCT = read_product()
except ConfigurationError as error:
    # Everything reads it, so nothing can say this in another way without a traceback.
    sys.exit(str(error))
PLATFORMS: tuple[Platform, ...] = tuple(PRODUCT.platforms)

PLATFORM_BY_NAME: dict[TPlatform, Platform] = {platform.name: platform for platform in PLATFORMS}
PLATFORM_BY_PREFIX: dict[str, Platform] = {platform.prefix: platform for platform in PLATFORMS}
