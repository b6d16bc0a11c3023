"""Django's messages in a cookie of each app's own (`MESSAGE_STORAGE`).

On `localhost` all ports share cookies: with one name, an app would show and delete the messages of another. Under https
the prefix `__Host-` makes the browser refuse the cookie from any other host, as for the CSRF cookie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.messages.storage.cookie import CookieStorage

from portal.config.current import portal_config

if TYPE_CHECKING:
    from django.http import HttpRequest


class AppCookieStorage(CookieStorage):
    """Django's storage under a name per app: `messages_energy`, under https `__Host-messages_energy`."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        config = portal_config()
        # `Path=/` and no domain, which the prefix asks for, are Django's defaults; `Secure` is in the settings.
        self.cookie_name = f"{'__Host-' if config.secure else ''}messages_{config.project.app}"
