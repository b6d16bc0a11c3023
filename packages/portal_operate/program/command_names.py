"""The commands of `manage.py` that need no project, and how `--app` is read."""

from collections.abc import Sequence
from typing import Final

#: The sandbox backend. It is no project of the portal, and knows its own commands.
SANDBOX: Final = "sandbox_api"
#: Commands for the whole workspace, which need no project; each with its help text.
WORKSPACE_COMMANDS: Final = {
    "run": "start the sandbox backend and all projects on this machine",
    "startproduct": "write a product of one's own into an empty folder: startproduct acme",
    "startplatform": "write a new platform: its folders, and its name wherever platforms are listed",
    "removeplatform": "remove a platform again; files that are not committed stop it",
    "check_services": "hold the declared calls against a backend's OpenAPI schema; write what it offers",
    "services_from_openapi": "write the declarations of a backend's calls from its OpenAPI schema",
    "test": "run tests by pytest, with its options: test tests/apps/energy",
    "bench": "run benchmarks by their names: bench pages",
    "update_reference": "write the reference pages that are made from the code",
}
#: Those of them that are programs of their own, installed by `make install`.
PROGRAMS: Final = {
    "test": "pytest",
    "bench": "benchmarks",
    "update_reference": "portal_dev.reference",
}
#: Those of them that need the settings of a project, also where the configuration can't be read: the gateway's.
IN_THE_GATEWAY: Final = {"services_from_openapi", "update_reference"}
#: The command that tells what is wrong with a configuration, so that it runs with one that can't be read.
ANY_CONFIGURATION: Final = "doctor"
#: Commands of `portal_dev` for one project. It is among the `INSTALLED_APPS` in DEBUG alone; they run without, too.
DEVELOPERS: Final = frozenset(
    {"check_services", "explain_route", "list_endpoints", "list_platforms", "seed_sandbox", "update_catalogs"}
)
#: Commands that read or write files of a checkout.
CHECKOUT_COMMANDS: Final = frozenset({*WORKSPACE_COMMANDS, "seed_sandbox", "update_catalogs"}) - {"startproduct"}


def split_app(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Take `--app` out of the words.

    Gives the app (None without the option, empty without its value) and the other words.
    """
    rest: list[str] = []
    app: str | None = None
    remaining = iter(words)
    for word in remaining:
        if word == "--":
            rest.append(word)
            break
        if word == "--app":
            app = next(remaining, "")
        elif word.startswith("--app="):
            app = word.removeprefix("--app=")
        else:
            rest.append(word)
    return app, [*rest, *remaining]
