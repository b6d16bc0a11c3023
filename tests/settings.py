"""Settings of the tests that need Django in this process: the energy project's own, in a private folder.

The real settings of all four projects run in the functional and browser tests, in processes of their own.
"""

import os

from jinja2 import StrictUndefined

from tests.support.platforms import add_test_platforms

_PLATFORMS = add_test_platforms()

from portal.config.environment.variables import VARIABLES  # noqa: E402  after the registry is whole
from tests.support.env_file import unset_by_tests  # noqa: E402  after the registry is whole
from tests.support.private_folder import private_folder  # noqa: E402  as above

_STATE = str(private_folder("portal-tests-"))
for _name in {each.name for each in VARIABLES} | {name for name in os.environ if name.startswith("APP_")}:
    os.environ.pop(_name, None)
os.environ.update(
    unset_by_tests(),
    APP_STATE_DIR=_STATE,
    APP_PUBLIC_API_BASE_URL="http://backend.test",
    APP_BACKEND_OFFERS="all",
    APP_PASSWORD_RESET="on",
    APP_API_HONOURS_IDEMPOTENCY_KEY="on",
    APP_API_FORWARD_BROWSER="on",
    APP_PUBLIC_GATEWAY_APP_URL="http://localhost:8000",
    SECRET_KEY="a-key-for-tests-only-and-nothing-else-0123456789",
    ALLOWED_HOSTS="testserver,localhost,127.0.0.1",
    DEBUG="off",
)

from portal.config.base_settings import project_settings  # noqa: E402  after the environment is set
from portal.config.portal_config import PortalConfig  # noqa: E402  after the environment is set

SETTINGS = project_settings("energy")
if _PLATFORMS is not None:
    SETTINGS["TEMPLATES"][0]["DIRS"].append(_PLATFORMS / "apps" / "energy" / "templates")
# As in the fixtures for teams: a name that a template misspells is an error.
SETTINGS["TEMPLATES"][0]["OPTIONS"]["undefined"] = StrictUndefined
# A static file is looked for when it is asked for: each client of a test loads all middlewares, and would look for all.
SETTINGS["WHITENOISE_AUTOREFRESH"] = True
# DEBUG is off, and the commands of the developers' tools are tested too.
SETTINGS["INSTALLED_APPS"] = ["portal_dev", *SETTINGS["INSTALLED_APPS"]]
globals().update(SETTINGS)
# Named for the type checker, which reads this module.
PORTAL: PortalConfig = SETTINGS["PORTAL"]
