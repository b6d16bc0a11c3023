"""Sign-in and sign-out.

::

    password        email and password → the backend's tokens        sign_out    ends this sign-in, or another one
      │
    post_login      keeps the tokens, finds the address to go to     rate_limit  counts tries and successes

    reasons         why the user has to sign in, and where to go then
    forgotten_passwords  a link by mail, and the new password

Arrows go down. `portal_oidc` uses `post_login` and `rate_limit` in place of `password`.
"""

from portal.web.sign_in.forgotten_passwords import ResetFailure, ask_for_reset, reset_password
from portal.web.sign_in.password import sign_in
from portal.web.sign_in.post_login import keep_sign_in, resolve_post_login_path
from portal.web.sign_in.rate_limit import sign_in_limit
from portal.web.sign_in.reasons import explain, reason_of, wanted_of
from portal.web.sign_in.sign_out import end_sign_in, sign_out_response
