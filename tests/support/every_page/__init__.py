"""Every page, fragment and state of the four apps, for tests that check or compare all of them.

::

    sites            runs cases in an app's settings, in this process
    html_rules       what every page and fragment must keep

    lists forms overviews gateway with_provider      the cases of some apps
    failures frame                                   the cases of every app
      |
    rows             what the backend has: ordinary, bare, hostile, odd
    acts             what the backend is told and a browser does
    cases            Case, Visit, Browser
"""

from tests.support.every_page.failures import failure_cases
from tests.support.every_page.forms import form_cases
from tests.support.every_page.frame import frame_cases
from tests.support.every_page.gateway import gateway_cases
from tests.support.every_page.html_rules import problems_of
from tests.support.every_page.lists import detail_cases, elsewhere_cases, list_cases, map_cases
from tests.support.every_page.overviews import overview_cases
from tests.support.every_page.sites import running_site
from tests.support.every_page.with_provider import provider_cases

__all__ = ["CASES", "SITES", "problems_of", "running_site"]

CASES = (
    *list_cases(),
    *detail_cases(),
    *elsewhere_cases(),
    *map_cases(),
    *form_cases(),
    *overview_cases(),
    *failure_cases(),
    *frame_cases(),
    *gateway_cases(),
    *provider_cases(),
)
#: The names of the apps as :func:`running_site` takes them.
SITES = tuple(dict.fromkeys(case.site for case in CASES))
