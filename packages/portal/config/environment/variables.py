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
        meaning="Django's. Projects may have different keys: no shared data depends on it",
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
        meaning="the parent domain that all projects share; unset on localhost, where ports share cookies anyway. "
        "Names outside of ASCII, here and in addresses, are written as `xn--…`",
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
        meaning="who takes reports of weaknesses: `mailto:…`, `https://…` or `tel:…`, several with commas between. It "
        "stands in `/.well-known/security.txt` (RFC 9116)",
        example="mailto:security@example.com",
    ),
    Variable(
        name="APP_API_CONNECT_TIMEOUT_S",
        part=Part.BACKEND,
        default="3.05",
        meaning="the limit for a connection to the backend, in seconds",
        example="3.05",
    ),
    Variable(
        name="APP_API_READ_TIMEOUT_S",
        part=Part.BACKEND,
        default="10",
        meaning="the limit for each wait for the backend's answer, in seconds",
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
        meaning="a PEM file with the certificates of private authorities. They are trusted beside the public ones, for "
        "every call: to the backend, to `APP_JWT_JWKS_URL` and to the OpenID provider",
        example="/etc/ssl/example-ca.pem",
    ),
    Variable(
        name="APP_API_HONOURS_IDEMPOTENCY_KEY",
        part=Part.BACKEND,
        default="off; on with `make run`",
        meaning="on: the backend does a write, and a refresh, with a known `Idempotency-Key` only once, so either may "
        "be sent again where the answer was lost. Off: such a create is not repeated, and such a refresh ends the "
        "sign-in",
        example="on",
    ),
    Variable(
        name="APP_API_FORWARD_BROWSER",
        part=Part.BACKEND,
        default="off; on with `make run`",
        meaning="on: each call carries the browser's address (`X-Forwarded-For`) and `User-Agent`, for a backend that "
        "lists sign-ins with their device",
        example="on",
    ),
    Variable(
        name="CACHE_URL",
        part=Part.STORE,
        default="unset: the embedded store in `APP_STATE_DIR`",
        meaning="needed with more than one machine: a Redis, in one of the forms below",
        example="redis://localhost:6379/0",
        secrecy=Secrecy.HAS_PASSWORD,
    ),
    Variable(
        name="REFRESH_CACHE_URL",
        part=Part.STORE,
        default="as `CACHE_URL`",
        meaning="a separate Redis for the records of the token refresh, with `maxmemory-policy noeviction`; the Redis "
        "in `CACHE_URL` may then evict",
        example="redis://localhost:6380/0",
        secrecy=Secrecy.HAS_PASSWORD,
    ),
    Variable(
        name="APP_STORE_MAX_MB",
        part=Part.STORE,
        default="256",
        meaning="size of each of the embedded store's two files, in MB of 1,048,576 bytes",
        example="256",
    ),
    Variable(
        name="APP_JWT_KEY",
        part=Part.TOKENS,
        default="unset",
        meaning="verifies access tokens at the edge: a secret of at least 32 bytes (HS…), or a public key in PEM",
        secrecy=Secrecy.SECRET,
    ),
    Variable(
        name="APP_JWT_JWKS_URL",
        part=Part.TOKENS,
        default="unset",
        meaning="verifies access tokens at the edge: the address of a key set. Excludes `APP_JWT_KEY`",
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
        meaning="the exact value of `iss`, checked when set",
        example="https://id.example.com",
    ),
    Variable(
        name="APP_JWT_AUDIENCE",
        part=Part.TOKENS,
        default="unset",
        meaning="the exact value of `aud`, checked when set",
        example="portal",
    ),
    Variable(
        name="APP_SESSION_MAX_AGE_S",
        part=Part.SIGN_IN,
        default="2592000 (30 days)",
        meaning="lifetime of the sign-in cookies if the refresh token names none, in seconds",
        example="2592000",
    ),
    Variable(
        name="APP_PASSWORD_RESET",
        part=Part.SIGN_IN,
        default="off; on with `make run`",
        meaning="on: the backend sends a mail to who has forgotten the password (POST `/auth/forgot-password`, "
        "`/auth/reset-password`), and the sign-in page offers it. An OpenID provider has pages of its own",
        example="on",
        read_by=_GATEWAY,
    ),
    Variable(
        name="APP_OIDC_ISSUER",
        part=Part.SIGN_IN,
        default="unset",
        meaning="if set (in every project), this OpenID provider replaces the password form, and tokens are refreshed "
        "at its token endpoint: [how-to](../how-to/sign-in-with-openid-connect.md)",
        example="https://id.example.com",
    ),
    Variable(
        name="APP_OIDC_CLIENT_ID",
        part=Part.SIGN_IN,
        default="unset; required with `APP_OIDC_ISSUER`",
        meaning="the portal's client id at that provider",
        example="portal",
    ),
    Variable(
        name="APP_OIDC_CLIENT_SECRET",
        part=Part.SIGN_IN,
        default="unset: a public client",
        meaning="the portal's client secret at that provider",
        secrecy=Secrecy.SECRET,
    ),
    Variable(
        name="APP_OIDC_SCOPES",
        part=Part.SIGN_IN,
        default="`openid profile email offline_access`",
        meaning="the scopes that the sign-in asks for, with spaces or commas between; `openid` is one of them",
        example="openid profile email offline_access",
    ),
    Variable(
        name="APP_OIDC_PERMISSIONS",
        part=Part.SIGN_IN,
        default="unset: the claims `permissions`, `Permissions`",
        meaning="the claim that gives the permissions, if the provider uses another one, and the permission for each "
        "of its values",
        example="groups: staff=ENERGY_APP, accounts=FINANCE_APP",
    ),
    *MACHINE_VARIABLES,
)
