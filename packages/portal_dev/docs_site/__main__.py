"""`make docs`."""

import sys

from portal.config.places import SOURCE_ROOT
from portal_dev.docs_site.builder import build_site

sys.exit(build_site(SOURCE_ROOT, SOURCE_ROOT / ".state" / "site"))
