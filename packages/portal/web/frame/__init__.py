"""The frame around every page, and the user whom it names.

::

    navigation          the entries of the sidebar, as the app's pages declare them
    shell               the frame: URLs, languages, the app's name; without a call to the backend. A short id of the
                        account: in pages, in forms, in log lines
      essentials        the user, from `GET /me`, and whether the user may open this app; the platforms' names,
                        translated, and those of which the backend offers nothing

Templates get `shell` and `essentials` from :mod:`portal.web.context_processors`.
"""

from portal.web.frame.essentials import (
    absent_platforms,
    known_essentials,
    open_platforms,
    page_is_denied,
    platform_name,
    present_own_profile,
    skip_profile,
    start_essentials,
    use_app_essentials,
)
from portal.web.frame.navigation import (
    NAVIGATION,
    PERMISSION,
    NavigationEntry,
    is_denied,
    is_not_offered,
    navigation_entries,
)
from portal.web.frame.shell import (
    PAGE_ACCOUNT_FIELD,
    SIGNED_OUT_PATH,
    PartShell,
    Shell,
    account_tag_now,
    account_tag_of,
    is_from_another_account,
    part_shell_for,
    shell_for,
)
