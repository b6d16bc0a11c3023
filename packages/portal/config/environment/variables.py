"""Every environment variable of the portal, declared once. The reference page and `.env.example` are made from it.

`reader` reads them. A test compares the names that it reads with the names that are declared here, so a new variable
needs both: its line here, and its function there.
"""

from __future__ import annotations

from typing import Final

from portal.config.environment.machine_variables import MACHINE_VARIABLES
from portal.config.environment.variable_types import Secrecy, Variable
from portal.config.environment.variable_types import VariablePart as Part
from portal.config.projects import PROJECTS

_GATEWAY: Final = "the gateway"

VARIABLES: Final[tuple[Variable, ...]] = (
    Variable(
        name="DEBUG",
        part=Part.START,
        default="off; on in a developer's environment, if none of the four variables is set that a server needs "
        "([ADR 30](../adr/0030-debug-without-a-word.md))",
        meaning="on: a developer's machine",
        example="on",
    ),
    Variable(
        name="SECRET_KEY",
        part=Part.START,
        default="in `DEBUG` made and kept in `APP_STATE_DIR`; required otherwise",
        meaning="Django's; projects may have different ones",
        secrecy=Secrecy.SECRET,
    ),
    Variable(
        name="ALLOWED_HOSTS",
        part=Part.START,
        default="in `DEBUG` the local names; required otherwise",
        meaning="Django's: names without scheme and port, commas between",
        example="auth.example.com",
    ),
    Variable(
        name="APP_PUBLIC_API_BASE_URL",
        part=Part.START,
        default="in `DEBUG` the sandbox, `http://127.0.0.1:8100`; required otherwise",
        meaning="the backend's address, with a path if it has one",
        example="https://api.example.com",
    ),
    Variable(
        name="APP_PUBLIC_GATEWAY_APP_URL",
        part=Part.START,
        default="in `DEBUG` `http://localhost:8000`; required otherwise",
        meaning="the gateway's origin. If it is https, all cookies are `Secure`",
        example="https://auth.example.com",
    ),
    Variable(
        name="APP_PUBLIC_AUTH_COOKIE_DOMAIN",
        part=Part.ADDRESSES,
        default="unset",
        meaning="the parent domain of all projects; not on localhost. Non-ASCII names as `xn--…`",
        example="example.com",
    ),
    *(
        Variable(
            name=project.url_variable,
            part=Part.ADDRESSES,
            default="the local address; with a cookie domain `https://<app>.<cookie domain>`",
            meaning="that project's origin",
            example=f"https://{project.app}.example.com",
            read_by="the gateway, and that project",
        )
        for project in PROJECTS
        if not project.is_gateway
    ),
    Variable(
        name="APP_BEHIND_PROXY",
        part=Part.ADDRESSES,
        default="off",
        meaning="on: `X-Forwarded-Proto`, and the rightmost `X-Forwarded-For`, are trusted",
        example="on",
    ),
    Variable(
        name="APP_SECURITY_CONTACT",
        part=Part.ADDRESSES,
        default="unset: there is no such file",
        meaning="for `/.well-known/security.txt`: `mailto:…`, `https://…`, `tel:…`, commas between",
        example="mailto:security@example.com",
    ),
    Variable(
        name="APP_API_CONNECT_TIMEOUT_S",
        part=Part.BACKEND,
        default="3.05",
        meaning="seconds for a connection to the backend",
        example="3.05",
    ),
    Variable(
        name="APP_API_READ_TIMEOUT_S",
        part=Part.BACKEND,
        default="10",
        meaning="seconds for each wait for its answer",
        example="10",
    ),
    Variable(
        name="APP_BACKEND",
        part=Part.BACKEND,
        default="unset: the shapes of [the contract](contract.md#7-backend-api)",
        meaning="the dotted path of the class that says what the backend names or shapes otherwise: "
        "[use another backend](../how-to/use-another-backend.md)",
        example="portal.api.Backend",
    ),
    Variable(
        name="APP_API_CA_FILE",
        part=Part.BACKEND,
        default="unset",
        meaning="a PEM file of private authorities, trusted beside the public ones for every call",
        example="/etc/ssl/example-ca.pem",
    ),
    Variable(
        name="APP_API_HONOURS_IDEMPOTENCY_KEY",
        part=Part.BACKEND,
        default="off; on with `make run`",
        meaning="on: the backend does a write or refresh with a known key once, so it may be sent again",
        example="on",
    ),
    Variable(
        name="APP_API_FORWARD_BROWSER",
        part=Part.BACKEND,
        default="off; on with `make run`",
        meaning="on: calls carry the browser's address (`X-Forwarded-For`) and `User-Agent`",
        example="on",
    ),
    Variable(
        name="CACHE_URL",
        part=Part.STORE,
        default="unset: the embedded store in `APP_STATE_DIR`",
        meaning="a Redis, for more than one machine: forms below",
        example="redis://localhost:6379/0",
        secrecy=Secrecy.HAS_PASSWORD,
    ),
    Variable(
        name="REFRESH_CACHE_URL",
        part=Part.STORE,
        default="as `CACHE_URL`",
        meaning="a Redis for the token refresh alone, `noeviction`; `CACHE_URL` may then evict",
        example="redis://localhost:6380/0",
        secrecy=Secrecy.HAS_PASSWORD,
    ),
    Variable(
        name="APP_STORE_MAX_MB",
        part=Part.STORE,
        default="256",
        meaning="size of each file of the embedded store, MB of 1,048,576 bytes",
        example="256",
    ),
    Variable(
        name="APP_JWT_KEY",
        part=Part.TOKENS,
        default="unset",
        meaning="verifies access tokens: a secret of 32 bytes or more (HS…), or a public key in PEM",
        secrecy=Secrecy.SECRET,
    ),
    Variable(
        name="APP_JWT_JWKS_URL",
        part=Part.TOKENS,
        default="unset",
        meaning="the address of a key set that verifies them. Excludes `APP_JWT_KEY`",
        example="https://id.example.com/.well-known/jwks.json",
    ),
    Variable(
        name="APP_JWT_ALGORITHMS",
        part=Part.TOKENS,
        default="`HS256` with a secret, else `RS256,ES256`",
        meaning="the only algorithms accepted; HS… never with public keys",
        example="RS256",
    ),
    Variable(
        name="APP_JWT_ISSUER",
        part=Part.TOKENS,
        default="unset",
        meaning="the exact value of `iss`",
        example="https://id.example.com",
    ),
    Variable(
        name="APP_JWT_AUDIENCE",
        part=Part.TOKENS,
        default="unset",
        meaning="the exact value of `aud`",
        example="portal",
    ),
    Variable(
        name="APP_SESSION_MAX_AGE_S",
        part=Part.SIGN_IN,
        default="2592000 (30 days)",
        meaning="seconds of the sign-in cookies, if the refresh token names none",
        example="2592000",
    ),
    Variable(
        name="APP_PASSWORD_RESET",
        part=Part.SIGN_IN,
        default="off; on with `make run`",
        meaning="on: the backend mails a link for a new password, and the sign-in page offers it",
        example="on",
        read_by=_GATEWAY,
    ),
    Variable(
        name="APP_OIDC_ISSUER",
        part=Part.SIGN_IN,
        default="unset",
        meaning="the provider, in every project: [how-to](../how-to/sign-in-with-openid-connect.md)",
        example="https://id.example.com",
    ),
    Variable(
        name="APP_OIDC_CLIENT_ID",
        part=Part.SIGN_IN,
        default="unset; required with `APP_OIDC_ISSUER`",
        meaning="the client id there",
        example="portal",
    ),
    Variable(
        name="APP_OIDC_CLIENT_SECRET",
        part=Part.SIGN_IN,
        default="unset: a public client",
        meaning="the client secret there",
        secrecy=Secrecy.SECRET,
    ),
    Variable(
        name="APP_OIDC_SCOPES",
        part=Part.SIGN_IN,
        default="`openid profile email offline_access`",
        meaning="scopes to ask for, spaces or commas between; `openid` is one",
        example="openid profile email offline_access",
    ),
    Variable(
        name="APP_OIDC_PERMISSIONS",
        part=Part.SIGN_IN,
        default="unset: the claims `permissions`, `Permissions`",
        meaning="the claim of the permissions, and the permission for each of its values",
        example="groups: staff=ENERGY_APP, accounts=FINANCE_APP",
    ),
    *MACHINE_VARIABLES,
)
