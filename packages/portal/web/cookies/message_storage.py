"""Django's messages in a cookie of each app's own (`MESSAGE_STORAGE`).

On `localhost` all ports share cookies: with one name, an app would show and delete the messages of another. Under https
the prefix `__Host-` makes the browser refuse the cookie from any other host, as for the CSRF cookie.

The cookie names the account for which its messages are. Another account of the browser never sees them: they are
dropped. While nobody is signed in they wait. What was said while nobody was signed in is for whoever comes next.

Most requests bring no message and add none. Those pay for neither the signing key nor a cookie.
"""

import json
import weakref
from types import SimpleNamespace
from typing import Any, cast

from django.contrib.messages.storage.base import BaseStorage, Message
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.signing import TimestampSigner, get_cookie_signer
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import cached_property

from portal.web.frame import account_tag_now
from portal.web.preferences import own_cookie
from portal.web.request import PortalRequest


class AppCookieStorage(CookieStorage):
    """Django's storage under a name per app: `messages_energy`, under https `__Host-messages_energy`."""

    def __init__(self, request: HttpRequest) -> None:
        # `CookieStorage` would derive the signing key; and the request, which refers to its messages, would stay until
        # the next garbage collection if they referred to it.
        BaseStorage.__init__(self, cast("HttpRequest", SimpleNamespace(COOKIES=request.COOKIES)))
        self._request = weakref.ref(request)
        self._waits = False
        # `Path=/` and no domain, which the prefix asks for, are Django's defaults; `Secure` is in the settings.
        self.cookie_name = own_cookie("messages_")

    @cached_property
    def signer(self) -> TimestampSigner:
        """Signs the cookie, and checks the signature."""
        return get_cookie_signer(salt=self.key_salt)

    def update(self, response: HttpResponseBase) -> list[Message] | None:
        """Store the messages that no page has shown.

        Django removes the cookie after a page that reads the messages, even if there was none.
        """
        is_needed = self.added_new or (self.cookie_name in self.request.COOKIES and not self._waits)
        return super().update(response) if is_needed else None

    def _account(self) -> str | None:
        request = self._request()
        return None if request is None else account_tag_now(cast("PortalRequest", request))

    def _encode_parts(self, messages: list[str], encode_empty: bool = False) -> Any:
        """The account comes before its messages."""
        parts = [json.dumps(self._account()), *messages] if messages or encode_empty else []
        return super()._encode_parts(parts, encode_empty)  # type: ignore[misc]  # the stubs leave it out

    def _decode(self, data: str) -> list[Message | str] | None:
        """The messages that are for the account that is signed in now.

        Another release may have written something else: what is no message is dropped.
        """
        if not data:
            return None
        try:
            found: Any = super()._decode(data) or [None]  # type: ignore[misc]  # the stubs leave it out
            owner, *others = found
        except (LookupError, TypeError, ValueError):
            self.used = True
            return None
        messages = [one for one in others if isinstance(one, Message) or one == self.not_finished]
        account = self._account()
        if owner is None or owner == account:
            return messages
        # `used`: Django removes the cookie, as it does with one that was changed.
        self._waits, self.used = account is None, account is not None
        return None
