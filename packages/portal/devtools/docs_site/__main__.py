"""`make docs`."""

import sys

from portal.config.environment import REPOSITORY
from portal.devtools.docs_site.builder import build_site

sys.exit(build_site(REPOSITORY, REPOSITORY / ".state" / "site"))
