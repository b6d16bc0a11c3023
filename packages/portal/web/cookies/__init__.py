"""The portal's cookies.

::

    platforms_cookie    VAR_PERMITTED_PLATFORMS follows `/me`
    sign_in_name        the cookie `sign_in_name`: the name of this browser's sign-in, for scripts
    refused_platform    which platform a redirect has refused, for the page at its end
      token_cookies     VAR_ACCESS_TOKEN and VAR_REFRESH_TOKEN; removes all cookies of a sign-in
    way_back            VAR_WAY_BACK: what the sign-in page is told about the sign-in before
    drafts              VAR_DRAFTS: until when the browser keeps what was typed into forms
    message_storage     Django's messages, in a cookie of each app (named in the settings)

The outermost middleware alone reads and writes the cookies of a sign-in.
"""

from __future__ import annotations

from portal.web.cookies.drafts import end_drafts, keep_drafts
from portal.web.cookies.platforms_cookie import follow_new_tokens, follow_profile
from portal.web.cookies.refused_platform import follow_refusal
from portal.web.cookies.sign_in_name import name_sign_in
from portal.web.cookies.token_cookies import clear_sign_in, read_tokens, remove_duplicates, write_tokens
from portal.web.cookies.way_back import WayBack, read_way_back, remove_way_back, set_way_back
