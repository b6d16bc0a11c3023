"""The outcomes that the edge knows. Values only: the middleware turns them into responses.

`rule` names the row of the contract's table that decided. `ends_sign_in`: the access token is dead and there
is no refresh token, so the response clears the sign-in cookies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from portal.edge.request_context import EdgeUser


class Forward(NamedTuple):
    """The view runs.

    :param pathname: the header x-pathname of the forwarded request; None on ungated paths, which have none.
    """

    rule: str
    who: EdgeUser
    pathname: str | None
    ends_sign_in: bool = False


class Redirect(NamedTuple):
    """The browser is sent to `location`, an address that was built here.

    :param varies: whether the target depends on the visitor's language, too.
    """

    rule: str
    status: int
    location: str
    varies_by_language: bool = False
    ends_sign_in: bool = False


class Reject(NamedTuple):
    """The request is not served.

    :param who: None where nobody is signed in, or a foreign host was asked.
    :param pathname: the header x-pathname, where a person is shown the refusal as a page; None where a program
        reads it.
    :param hx_redirect: where htmx should go instead.
    """

    rule: str
    status: int
    who: EdgeUser | None = None
    pathname: str | None = None
    hx_redirect: str | None = None
    ends_sign_in: bool = False


class Options(NamedTuple):
    """The methods are named; no view runs."""

    rule: str
    ends_sign_in: bool = False


Decision: TypeAlias = Forward | Redirect | Reject | Options
