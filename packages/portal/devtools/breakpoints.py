"""What `breakpoint()` does in the servers that `make run` and `make dev` start: it says how to get a debugger.

They run beside each other and have no terminal. Python calls it by `PYTHONBREAKPOINT`.
"""

from __future__ import annotations

from portal.errors import UsageError


def without_terminal(*_args: object, **_kwargs: object) -> None:
    """Raise an error that names the two commands.

    :raises UsageError: always.
    """
    raise UsageError(
        "breakpoint() needs a terminal, and this server has none. Leave its app out, and start it by hand in another "
        "terminal: make dev without=finance, then ./manage.py --app finance runserver"
    )
