"""Who the user is, from what the request brings: the access token, and the platforms cookie behind it.

Pure: no Django, no network, no clock of its own. The profile from `GET /me` stays authoritative; what is
decided here gates routes before it is asked.
"""

from portal.identity.permissions import derive_platforms_from_me
from portal.identity.users import DecodedUser, get_user_from_token

__all__ = ["DecodedUser", "derive_platforms_from_me", "get_user_from_token"]
