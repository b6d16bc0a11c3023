"""Django's messages in a cookie of each app's own (`MESSAGE_STORAGE`).

On `localhost` all ports share cookies: with one name, an app would show and delete the messages of another. Under https
the prefix `__Host-` makes the browser refuse the cookie from any other host, as for the CSRF cookie.

Most requests bring no message and add none. Those pay for neither the signing key nor a cookie.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from django.contrib.messages.storage.base import BaseStorage
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.signing import get_cookie_signer
from django.utils.functional import cached_property

from portal.config.current import portal_config

if TYPE_CHECKING:
    from django.contrib.messages.storage.base import Message
    from django.core.signing import TimestampSigner
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase


class AppCookieStorage(CookieStorage):
    """Django's storage under a name per app: `messages_energy`, under https `__Host-messages_energy`."""

    def __init__(self, request: HttpRequest) -> None:
        # `CookieStorage` would derive the signing key; and the request, which refers to its messages, would stay until
        # the next garbage collection if they referred to it.
        BaseStorage.__init__(self, cast("HttpRequest", SimpleNamespace(COOKIES=request.COOKIES)))
        config = portal_config()
        # `Path=/` and no domain, which the prefix asks for, are Django's defaults; `Secure` is in the settings.
        self.cookie_name = f"{'__Host-' if config.secure else ''}messages_{config.project.app}"

    @cached_property
    def signer(self) -> TimestampSigner:
        """Signs the cookie, and checks the signature."""
        return get_cookie_signer(salt=self.key_salt)

    def update(self, response: HttpResponseBase) -> list[Message] | None:
        """Store the messages that no page has shown.

        Django removes the cookie after a page that reads the messages, even if there was none.
        """
        if self.added_new or self.cookie_name in self.request.COOKIES:
            return super().update(response)
        return None
