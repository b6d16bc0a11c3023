"""The portal's cookies.

::

    other_cookies       the way back to a page, drafts, the platform that a redirect has refused, the sign-in's name
      token_cookies     VAR_ACCESS_TOKEN and VAR_REFRESH_TOKEN; VAR_PERMITTED_PLATFORMS, which follows `/me`; removes
                        all cookies of a sign-in
    message_storage     Django's messages, in a cookie of each app (named in the settings)

The outermost middleware alone reads and writes the cookies of a sign-in.
"""

from portal.web.cookies.other_cookies import (
    WayBack,
    end_drafts,
    follow_refusal,
    keep_drafts,
    name_sign_in,
    read_way_back,
    set_way_back,
)
from portal.web.cookies.token_cookies import (
    clear_sign_in,
    follow_new_tokens,
    follow_profile,
    read_tokens,
    refuse_sign_in_cookies,
    remove_duplicates,
    write_tokens,
)
