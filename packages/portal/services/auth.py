"""Authentication: sign in and sign out.

Paths and fields have the contract's names. What a backend names otherwise stands in the class that `APP_BACKEND` names.
"""

from typing import TypedDict

from portal.config.contract_names import (
    AUTH_LOGIN_PATH,
    AUTH_LOGOUT_PATH,
    FORGOT_PASSWORD_PATH,
    RESET_PASSWORD_PATH,
)
from portal.query import MutationGroup, mutation_endpoint


class LoginReq(TypedDict):
    """What the sign-in form sends."""

    email: str
    password: str


class LogoutReq(TypedDict):
    """The refresh token of the sign-in that ends."""

    refreshToken: str


class ForgotPasswordReq(TypedDict):
    """Whose password is forgotten. The answer is the same for an address without an account."""

    email: str


class ResetPasswordReq(TypedDict):
    """The token of the link in the mail, and the new password."""

    token: str
    password: str


class TokensRes(TypedDict):
    """A new pair of tokens."""

    accessToken: str
    refreshToken: str


class AuthMutations(MutationGroup):
    """Sign-in, sign-out, and a forgotten password."""

    use_login_mutation = mutation_endpoint(
        data=TokensRes, body=LoginReq, url=AUTH_LOGIN_PATH, method="POST"
    ).changes_nothing()
    use_logout_mutation = mutation_endpoint(
        body=LogoutReq,
        url=AUTH_LOGOUT_PATH,
        method="POST",
        optional=True,
    ).changes_nothing()
    use_forgot_password_mutation = mutation_endpoint(
        body=ForgotPasswordReq,
        url=FORGOT_PASSWORD_PATH,
        method="POST",
        optional=True,
    ).changes_nothing()
    use_reset_password_mutation = mutation_endpoint(
        body=ResetPasswordReq,
        url=RESET_PASSWORD_PATH,
        method="POST",
        optional=True,
    ).changes_nothing()
