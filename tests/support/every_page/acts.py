"""The steps of cases: what the backend is told, and what a browser does."""

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.support.every_page.cases import Browser, Steps, Visit

#: Tells the backend something, or lets the browser ask for something.
Act = Callable[[Visit, Browser], object]


def user(*permissions: str, **profile: Any) -> Callable[[Visit], Browser]:
    return lambda visit: visit.user(*permissions, **profile)


def stranger(**options: Any) -> Callable[[Visit], Browser]:
    return lambda visit: visit.signed_out(**options)


def journey(*acts: Act, by: Callable[[Visit], Browser] | None = None) -> Steps:
    """The steps of a case: one browser, by default of a user, and what happens one after the other."""

    def steps(visit: Visit) -> None:
        browser = visit.user() if by is None else by(visit)
        for act in acts:
            act(visit, browser)

    return steps


def _told(name: str, *args: Any, **options: Any) -> Act:
    return lambda visit, _: getattr(visit.backend, name)(*args, **options)


def _asked(name: str, *args: Any, **options: Any) -> Act:
    return lambda _, browser: getattr(browser, name)(*args, **options)


#: What the backend is told, and what the browser does.
lists, answers, refuses, fails = (partial(_told, name) for name in ("lists", "answers", "refuses", "fails"))
at, send, get, post = (partial(_asked, name) for name in ("at", "send", "get", "post"))
