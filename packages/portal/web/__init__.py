"""The web layer: pages, cookies, templates and static files on top of `portal.query`, `portal.api` and `portal.edge`.

::

    urls                 the URLs of every app                     apps    Django's registration of this folder
      views/             the views that every app has
        sign_in/         sign-in with a password, sign-out         templating/     Jinja2: the names that templates have
          guards         who may open a page                       middleware      tokens in, cookies out; log fields
            errors/      pages and problem documents               query_client    `request.query_client`; reloads
              cookies/   sign-in cookies, messages                 context_processors    render_kept
                submissions    the key of a form, and what the next page says of it: see_other, undo_toast
                frame/   the shell around a page, and the user
                  present/   records and values as texts           request, security_headers
                  metrics    the counts of all workers       preferences     the user's time zone and theme

Lists, forms, records and overviews are above it: `portal_pages`. A module imports from rows below its own, and from
another folder only what that folder's `__init__` exports. Apps import `portal.web`, its folders, `portal.web.urls`, and
`render_kept` of `portal.web.context_processors`.
"""

from portal.web.request import PortalRequest, active_locale, is_signed_in
from portal.web.sign_in import resolve_post_login_path
from portal.web.submissions import see_other, undo_toast
