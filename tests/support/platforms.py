"""The three platforms of which the package's tests speak: they are there in a test's process, whatever a product has.

The examples below `apps/` have the same names. Where `removeplatform` has removed one of them, the tests of routes,
identity and configuration go on with the empty platform that `startplatform` would write, in a temporary folder. What
tests an example itself goes with it: `OF_THE_EXAMPLES`.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import Final

import apps
from portal.config import platforms as registry
from portal.config.platforms import Platform

OF_THE_TESTS: Final = tuple(
    Platform(name=app.upper(), permission=f"{app.upper()}_APP", prefix=f"/{app}", app=app)
    for app in ("energy", "operations", "finance")
)
#: Those that the checkout itself does not have.
MISSING: Final = tuple(each for each in OF_THE_TESTS if each not in registry.PLATFORMS)


def add_test_platforms() -> Path | None:
    """Name the missing ones in the registry, before anything else reads it; gives the folder that has their apps."""
    if not MISSING:
        return None
    own = [each for each in registry.PLATFORMS if each not in OF_THE_TESTS]
    registry.PLATFORMS = (*OF_THE_TESTS, *own)
    registry.PLATFORM_BY_NAME |= {each.name: each for each in MISSING}
    registry.PLATFORM_BY_PREFIX |= {each.prefix: each for each in MISSING}
    folder = Path(tempfile.mkdtemp(prefix="portal-test-platforms-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    from portal.management.platform_folders import write_folders

    for each in MISSING:
        write_folders(each.app, folder)
    apps.__path__.append(str(folder / "apps"))
    return folder
