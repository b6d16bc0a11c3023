"""What `breakpoint()` does in the servers that `make run` and `make dev` start: it says how to get a debugger.

They run beside each other and have no terminal. Python calls it by `PYTHONBREAKPOINT`.
"""

from django.conf import settings

from portal.errors import UsageError


def without_terminal(*_args: object, **_kwargs: object) -> None:
    """Raise an error that names the two commands.

    :raises UsageError: always.
    """
    *_, app, _settings = settings.SETTINGS_MODULE.split(".")
    # The sandbox backend is no project: its development server does not know the port.
    port = "" if hasattr(settings, "PORTAL") else " PORT"
    raise UsageError(
        "breakpoint() needs a terminal, and this server has none. Leave the app out, and start it by hand in another "
        f"terminal: make dev without={app}, then ./manage.py --app {app} runserver{port}"
    )
