"""The outcomes of the edge's table. Values only: :mod:`portal.edge.middleware` turns them into responses.

`rule` names the row of the contract's table that decided. `ends_sign_in`: the access token is dead and there
is no refresh token, so the response clears the sign-in cookies.
"""

from typing import NamedTuple, TypeAlias

from portal.config.platforms import TPlatform
from portal.edge.request_context import EdgeUser


class Forward(NamedTuple):
    """The view runs.

    :param pathname: the header x-pathname of the forwarded request; None on ungated paths, which have none.
    """

    rule: str
    user: EdgeUser
    pathname: str | None
    ends_sign_in: bool = False


class Redirect(NamedTuple):
    """The browser is sent to `location`, an address that this package built.

    :param varies_by_language: the target depends on the visitor's language too.
    :param refused: the platform that the user asked for and may not open.
    """

    rule: str
    status: int
    location: str
    varies_by_language: bool = False
    ends_sign_in: bool = False
    refused: TPlatform | None = None


class Reject(NamedTuple):
    """The request is not served.

    :param user: None if nobody is signed in, or if the host is not ours.
    :param pathname: the header x-pathname, if a person sees the rejection as a page; None if a program reads it.
    :param hx_redirect: the address that htmx opens instead.
    """

    rule: str
    status: int
    user: EdgeUser | None = None
    pathname: str | None = None
    hx_redirect: str | None = None
    ends_sign_in: bool = False


class Options(NamedTuple):
    """The response to OPTIONS names the methods; no view runs."""

    rule: str
    ends_sign_in: bool = False


Decision: TypeAlias = Forward | Redirect | Reject | Options
