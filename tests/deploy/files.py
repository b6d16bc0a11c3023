"""The files of `deploy/`, read as those read them that they are for."""

import re
import shlex
from collections.abc import Mapping, Sequence

from portal.config.environment import VARIABLES, Secrecy
from tests.support.harness import ROOT

DEPLOY = ROOT / "deploy"
NGINX_SITE = DEPLOY / "nginx" / "portal.conf"
UNIT = DEPLOY / "systemd" / "portal@.service"
#: Where the releases are on a server, and this checkout here.
CURRENT = "/opt/portal/current"
SHARED_VARIABLES = DEPLOY / "portal.env.example"
PROJECT_VARIABLES = DEPLOY / "project.env.example"
DOCKERFILE = ROOT / "Dockerfile"
COMPOSE = DEPLOY / "compose"
KUBERNETES = DEPLOY / "kubernetes"
#: What the image itself reads, in its command.
OF_THE_IMAGE = {"APP", "WORKERS", "THREADS"}


def unit_settings() -> dict[str, list[str]]:
    """Each setting of the unit with its values, in order."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", UNIT.read_text(), flags=re.MULTILINE):
        found.setdefault(name, []).append(value)
    return found


def start_command(instance: str, *, variables: Mapping[str, str]) -> list[str]:
    """`ExecStart` of `portal@<instance>`, with these variables put in, as systemd does, run from this checkout."""
    (line,) = unit_settings()["ExecStart"]
    words = shlex.split(line.replace("%i", instance).replace(CURRENT, str(ROOT)))
    return [re.sub(r"\$\{(\w+)\}", lambda name: variables[name[1]], word) for word in words]


def python_words(command: Sequence[str]) -> tuple[str, ...]:
    """The words after Python's that run this command in Python's place."""
    return ("-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])", *command)


def unit_variables() -> dict[str, str]:
    """Those of `Environment=`."""
    (line,) = unit_settings()["Environment"]
    return dict(word.split("=", 1) for word in shlex.split(line))


def example_variables(text: str) -> dict[str, str]:
    """What an environment file sets; what stands in comments is not set."""
    return dict(re.findall(r"^([A-Z_]+)=(.*)$", text, flags=re.MULTILINE))


def known_variables() -> set[str]:
    """The variables of a container: of the portal, those in files too, and of the image."""
    files = {f"{each.name}_FILE" for each in VARIABLES if each.secrecy is not Secrecy.OPEN}
    return {each.name for each in VARIABLES} | files | OF_THE_IMAGE
