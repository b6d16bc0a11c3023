"""`./manage.py --app … serve`: the command runs in a child process, and this process supervises the workers.

This process imports Django only where there are several workers (:mod:`portal.server.supervisor`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from portal.server.supervisor import PreparedServer, supervise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.config.projects import Project


def serve(argv: Sequence[str], *, project: Project) -> None:
    """Serve a project until SIGTERM or SIGINT.

    :param argv: the program, `serve`, and its options.
    """
    supervise(partial(_prepare, argv), load=partial(_load, project), app=project.app)


def _prepare(argv: Sequence[str]) -> PreparedServer:
    import django  # noqa: PLC0415  in the child process
    from django.core.management import load_command_class  # noqa: PLC0415  as above

    django.setup()
    command: Any = load_command_class("portal.operate", "serve")
    command.run_from_argv(list(argv))
    prepared: PreparedServer = command.prepared
    return prepared


def _load(project: Project) -> None:
    from portal.server.startup import import_project  # noqa: PLC0415  imports Django

    import_project(settings=project.settings_module)
    from portal.config.locales import LOCALES  # noqa: PLC0415  in a process with several workers alone
    from portal.web.present import formats_of  # noqa: PLC0415  as above
    from portal.web.templating import load_compiled_templates  # noqa: PLC0415  its modules need the settings

    load_compiled_templates()
    for language in LOCALES:
        formats_of(language).load()
