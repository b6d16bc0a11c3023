"""Sign-in and sign-out.

::

    password        email and password → the backend's tokens        sign_out    ends the sign-in in every application
      │
    post_login      keeps the tokens, finds the address to go to     rate_limit  counts tries and successes

Arrows go down. `portal.oidc` uses `post_login` and `rate_limit` in place of `password`.
"""

from __future__ import annotations

from portal.web.sign_in.password import explain, reason_of, sign_in
from portal.web.sign_in.post_login import keep_sign_in, resolve_post_login_path
from portal.web.sign_in.rate_limit import sign_in_limit
from portal.web.sign_in.sign_out import sign_out_response
