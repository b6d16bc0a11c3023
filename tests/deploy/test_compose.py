"""compose.yaml: valid by the schema of Compose, and in step with the apps, their variables and their secrets."""

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from portal.config.environment import VARIABLES, Secrecy, read_config
from portal.config.projects import PROJECTS
from portal_server.workers import WORKER_STOP_TIMEOUT_S
from tests.deploy.files import COMPOSE, NGINX_SITE, known_variables
from tests.support.harness import require_tool, run_program

FILE = COMPOSE / "compose.yaml"
TREE = yaml.safe_load(FILE.read_text())
SERVICES: dict[str, dict[str, Any]] = TREE["services"]
APPS = [project.app for project in PROJECTS]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of compose.yaml with the secrets that `make-secrets` writes."""
    require_tool("openssl")
    folder = tmp_path_factory.mktemp("compose") / "compose"
    shutil.copytree(COMPOSE, folder, ignore=shutil.ignore_patterns("secrets", "certificate"))
    run_program(folder / "make-secrets")
    return folder


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_has_no_more_rights_than_it_needs(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    assert service.keys() & {"privileged", "cap_add"} == set()
    # The image of the apps says its own user.
    assert service["image"].startswith("portal") or service["user"].split(":")[0] != "0"
    assert ("ports" in service) == (name == "nginx")


def test_make_secrets_writes_each_secret_and_nothing_that_is_there(made: Path) -> None:
    wanted = {Path(each["file"]).name for each in TREE["secrets"].values()}
    before = {path.name: path.read_text() for path in (made / "secrets").iterdir()}
    assert set(before) == wanted
    assert (made / "secrets").stat().st_mode & 0o777 == 0o700
    assert (made / "certificate").stat().st_mode & 0o777 == 0o700
    run_program(made / "make-secrets")
    assert {path.name: path.read_text() for path in (made / "secrets").iterdir()} == before
    mounted = [volume.split(":")[0] for volume in SERVICES["nginx"]["volumes"]]
    assert [path for path in mounted if not (made / path).exists() and not path.startswith("../")] == []


@pytest.mark.parametrize("app", APPS)
def test_an_app_takes_its_variables_and_the_secrets_that_were_made(app: str, made: Path, monkeypatch) -> None:
    for name in list(os.environ):
        if name in known_variables():
            monkeypatch.delenv(name)
    service = SERVICES[app]
    given = service["environment"]
    assert given["APP"] == app
    assert set(given) <= known_variables()
    assert [each.name for each in VARIABLES if each.secrecy is not Secrecy.OPEN and each.name in given] == []
    listed = [{"source": each, "target": each} if isinstance(each, str) else each for each in service["secrets"]]
    seen = {f"/run/secrets/{each['target']}": each["source"] for each in listed}
    assert {value for name, value in given.items() if name.endswith("_FILE")} == set(seen)
    assert seen["/run/secrets/secret_key"] == f"secret_key_{app}", "no other app's"
    for name, value in {"DEBUG": "off", **given}.items():
        monkeypatch.setenv(name, str(made / "secrets" / seen[value]) if value in seen else value)
    config = read_config(app)
    assert config.cache_url.startswith("redis://:")
    assert config.verification.key == (made / "secrets" / "jwt_key").read_text().strip()
    assert 'SANDBOX_JWT_KEY="$$(cat /run/secrets/jwt_key)"' in SERVICES["sandbox"]["command"][2], "signed with it"
    assert config.secure
    assert int(service["stop_grace_period"].removesuffix("s")) >= WORKER_STOP_TIMEOUT_S + 5


def test_only_the_apps_reach_redis_and_the_backend_and_nothing_of_it_leaves_the_machine() -> None:
    members = {
        network: {name for name, service in SERVICES.items() if network in service["networks"]}
        for network in TREE["networks"]
    }
    assert members == {
        "edge": {"nginx"},
        "front": {"nginx", *APPS},
        "store": {"redis", *APPS},
        "backend": {"sandbox", *APPS},
    }
    assert [name for name, network in TREE["networks"].items() if not network.get("internal")] == ["edge"]


def test_its_nginx_is_the_site_of_a_server_that_leads_to_the_containers(made: Path, tmp_path: Path) -> None:
    program = require_tool("nginx")
    site = tmp_path / "site.conf"
    site.write_text(NGINX_SITE.read_text().replace("/etc/letsencrypt/live/example.com", str(made / "certificate")))
    # As nginx is found in its container; here it looks at its configuration and ends.
    checked = tmp_path / "bin" / "nginx"
    checked.parent.mkdir()
    checked.write_text(f'#!/bin/sh\nexec {program} -t "$@"\n')
    checked.chmod(0o755)
    folder = tmp_path / "made"
    folder.mkdir()
    run_program("sh", COMPOSE / "nginx.sh", site, folder, env={"PATH": f"{checked.parent}:/usr/bin:/bin"})
    written = (folder / "portal.conf").read_text()
    names = {"auth_app": "auth"}
    leads = {f"{names.get(app, app)}.example.com": f"{app}:8000" for app in APPS}
    assert dict(re.findall(r"^    (\S+) (\w+:\d+);$", written, flags=re.MULTILINE)) == leads
    assert re.findall(r"^upstream", written, flags=re.MULTILINE) == []
    assert re.findall(r"access_log (\S+)", written) == ["/dev/stdout"]
    # All else is the site's.
    changed = re.compile(
        r"^upstream portal_\w+ \{\n(?: .*\n)*\}\n|^    \S+ (?:portal_\w+|\w+:\d+);$|access_log \S+", re.MULTILINE
    )
    assert changed.sub("", written) == changed.sub("", site.read_text())
