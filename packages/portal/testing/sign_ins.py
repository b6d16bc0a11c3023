"""Sign-ins: the tokens in a browser's cookies, and the account that they belong to."""

import os
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

import jwt

from portal.config.contract_names import ACCESS_TOKEN_FIELD, PERMISSION_CLAIMS, REFRESH_TOKEN_FIELD, SUBJECT_CLAIM

#: Seconds, as in the sandbox.
ACCESS_LIFETIME_S: Final = 300.0
#: Tests configure no key, so the edge verifies no signature.
_KEY: Final = "a key for tests that is long enough for HS256"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """One account's tokens.

    :param account: the id in its profile, and the subject of its tokens.
    """

    account: str
    permissions: tuple[str, ...]
    access: str = field(repr=False)
    refresh: str = field(repr=False)

    @property
    def pair(self) -> dict[str, str]:
        """The response body of `/auth/login` and `/refresh`."""
        return {ACCESS_TOKEN_FIELD: self.access, REFRESH_TOKEN_FIELD: self.refresh}


_accounts: Final = Counter[str]()


def new_account() -> str:
    """Return the id of an account that no other test has, so no test reads what another test has cached.

    It is the same in each run of the test: two searches of one user may share a place in the cache, and which ones do
    depends on the id.
    """
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]  # noqa: TID251  no setting of the portal: pytest names the running test there alone
    _accounts[test] += 1
    return f"acc_{uuid.uuid5(uuid.NAMESPACE_URL, f'{test} {_accounts[test]}').hex}"


def access_token(account: str, *permissions: str, lifetime_s: float = ACCESS_LIFETIME_S, **claims: Any) -> str:
    """A new access token with the claims of contract, section 7.

    :param lifetime_s: seconds from now; negative for an expired token.
    :param claims: further claims, or others in place of the default ones.
    """
    now = time.time()
    own = {
        SUBJECT_CLAIM: account,
        PERMISSION_CLAIMS[0]: list(permissions),
        "iat": int(now),
        "exp": now + lifetime_s,
        "jti": uuid.uuid4().hex,
    }
    return jwt.encode(own | claims, _KEY, algorithm="HS256")


def new_sign_in(account: str, *permissions: str, lifetime_s: float = ACCESS_LIFETIME_S) -> SignIn:
    """Fresh tokens for an account."""
    return SignIn(
        account=account,
        permissions=permissions,
        access=access_token(account, *permissions, lifetime_s=lifetime_s),
        refresh=f"refresh_{uuid.uuid4().hex}",
    )
