"""What pages ask before they offer something: which optional calls and parameters the backend is known not to have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.http import HttpRequest

    from portal.query.client import QueryClient
    from portal.query.endpoints import DeclaredList, Endpoint


def is_absent(hook: Endpoint[Any], source: HttpRequest | QueryClient | None) -> bool:
    """Whether the backend was last seen not to have this optional call. It is never asked for this.

    :param source: the request, since one user's calls may be refused and another's not; None for all users.
    """
    del hook, source
    return False


def note_absent(hook: Endpoint[Any], *, status: int | None) -> None:
    """Remember for all users that the backend does not have this call, as if it had said so by itself.

    For who knows more than the answer tells: a page that changes a row gets a 404, and a GET says that the row is
    there. So it is the call that is not.

    :param status: of the answer.
    """
    del hook, status


def ignores(hook: DeclaredList[Any, Any], wire_param: str) -> bool:
    """Whether the backend was seen to ignore or to refuse this parameter of a list within the last ten minutes.

    :param wire_param: its name on the wire, such as `clientId` or `q`.
    """
    del hook, wire_param
    return False
