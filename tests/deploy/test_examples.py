"""The example files, and the how-to that they belong to: they agree, and hold no secret."""

import re

from portal.config.projects import DEFAULT_PORT_BASE, PROJECTS
from tests.deploy.files import (
    NGINX_SITE,
    PROJECT_VARIABLES,
    SHARED_VARIABLES,
    example_variables,
    unit_variables,
)
from tests.support.harness import ROOT

PAGE = (ROOT / "docs" / "how-to" / "deploy.md").read_text()
ENVIRONMENT = (ROOT / "docs" / "reference" / "environment.md").read_text()
#: Read by the unit, not by the portal.
OF_THE_UNIT = {"WORKERS", "THREADS"}
SECRETS = {"SECRET_KEY", "APP_JWT_KEY", "APP_METRICS_TOKEN"}


def test_every_variable_is_one_that_is_read_and_secrets_are_left_to_be_filled_in() -> None:
    text = SHARED_VARIABLES.read_text() + PROJECT_VARIABLES.read_text()
    values = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", text, flags=re.MULTILINE))
    assert set(values) <= set(re.findall(r"`([A-Z_]+)`", ENVIRONMENT)) | OF_THE_UNIT
    assert {name: value for name, value in values.items() if name in SECRETS and value} == {}


def test_what_is_required_outside_of_debug_is_there() -> None:
    given = example_variables(SHARED_VARIABLES.read_text()) | example_variables(PROJECT_VARIABLES.read_text())
    required = {row.split("`")[1] for row in ENVIRONMENT.splitlines() if "required otherwise" in row}
    assert required == {"APP_PUBLIC_API_BASE_URL", "APP_PUBLIC_GATEWAY_APP_URL", "SECRET_KEY", "ALLOWED_HOSTS"}
    assert required <= set(given)
    assert "DEBUG" not in given
    assert given["APP_BEHIND_PROXY"] == "on"
    assert set(given) >= OF_THE_UNIT
    assert set(unit_variables()) >= OF_THE_UNIT, "a project need not say them"


def test_site_has_every_project_on_its_ports() -> None:
    site = NGINX_SITE.read_text()
    server = r"\s+server 127\.0\.0\.1:(\d+) max_fails=0;"
    upstreams = re.findall(rf"upstream portal_(\w+) \{{{server}{server}\s\}}", site)
    assert upstreams == [
        (p.app, *(str(p.instance_port(n, port_base=DEFAULT_PORT_BASE)) for n in (1, 2))) for p in PROJECTS
    ]
    hosts = [(f"{'auth' if p.is_gateway else p.app}.example.com", f"portal_{p.app}") for p in PROJECTS]
    assert re.findall(r"^    (\S+) (portal_\w+);$", site, flags=re.MULTILINE) == hosts
