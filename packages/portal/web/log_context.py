"""What every line says that is written while a request is answered: which request, and whose.

`request_id` is the request's own (`X-Request-Id`). `user` is the account's mark (:mod:`.frame.account_tag`): a
truncated hash of the access token's subject, never a name, an address or a token. Where tokens are only decoded, the
subject is what the caller says it is: the mark tells lines apart, and proves nothing.

Work that is handed to another thread takes both along in `contextvars.copy_context()`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from portal.config.log_lines import log_context
from portal.web.frame.account_tag import account_mark

if TYPE_CHECKING:
    from portal.web.request import ApiAccessRequest


def begin_log_context(request: ApiAccessRequest) -> None:
    """Name this request in all that its thread logs from now on, until the thread's next request.

    It outlives the middleware: Django writes its line about a response when every middleware is done with it.
    """
    log_context.set(partial(_fields, request))


def _fields(request: ApiAccessRequest) -> dict[str, object]:
    """Worked out for a line, not for each request: most requests write none."""
    facts = getattr(request, "edge_user", None)
    return {"request_id": request.request_id, "user": None if facts is None else account_mark(facts)}
