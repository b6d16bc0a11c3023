"""What the sandbox reads from its environment, once, into one frozen object."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from sandbox_api.keys import MINIMUM_KEY_LENGTH, kept_key
from sandbox_api.profiles import DEFAULT_PROFILE, PROFILES, Profile

_CHECKOUT = Path(__file__).resolve().parents[2]
#: In a checkout a folder of it. Installed from a wheel, never a folder of the environment.
DEFAULT_STATE_DIR = (
    _CHECKOUT / ".state" / "sandbox" if (_CHECKOUT / "manage.py").is_file() else Path("/var/lib/portal-sandbox")
)
LOCAL_HOSTS = "localhost,127.0.0.1,[::1]"

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"", "0", "false", "no", "off"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Faults:
    """How badly `/refresh` behaves, on purpose, so that a client can be tried against it."""

    refresh_refuse_rate: float = 0.0
    """The share of calls, 0 to 1, that are answered 503 before the token is looked at."""
    refresh_delay: timedelta = timedelta(0)
    """How long the answer is held back after the rotation has been stored."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """Everything that can be set from outside."""

    debug: bool
    profile: Profile
    """What the sandbox has, as the backend that it stands for."""
    app: str
    """Dotted name of a Django app whose resources take the place of the examples; empty: the examples."""
    state_dir: Path
    secret_key: str
    jwt_key: str
    database_url: str | None
    """`None`: SQLite in `state_dir`."""
    allowed_hosts: tuple[str, ...]
    access_token_lifetime: timedelta
    refresh_token_lifetime: timedelta
    honour_idempotency_key: bool
    idempotency_window: timedelta
    """How long the answer to a write can be repeated."""
    refresh_replay_window: timedelta
    """The same for `/refresh`: short, since the stored answer holds tokens."""
    allow_demo_accounts: bool
    trusted_issuer: str
    """An OpenID provider whose access tokens count here too; empty: none."""
    gateway_url: str
    """Where the links in mails lead."""
    faults: Faults


def read_environment(*, source: Mapping[str, str]) -> Environment:
    """Read and check all variables.

    :param source: the process's environment.
    :raises ImproperlyConfigured: with one line that names the variable and says what it should be.
    """
    debug = _boolean(source, "DEBUG", default=False)
    state_dir = Path(source.get("SANDBOX_STATE_DIR") or DEFAULT_STATE_DIR).expanduser().absolute()
    profile = _profile(source, "SANDBOX_PROFILE")
    _make_private_folder(state_dir)
    return Environment(
        debug=debug,
        profile=profile,
        app=source.get("SANDBOX_APP", "").strip(),
        state_dir=state_dir,
        secret_key=_key(source, "SANDBOX_SECRET_KEY", kept_at=state_dir / "secret_key" if debug else None),
        jwt_key=_key(source, "SANDBOX_JWT_KEY", kept_at=state_dir / "jwt_key" if debug else None),
        database_url=source.get("DATABASE_URL") or None,
        allowed_hosts=tuple(
            host.strip() for host in (source.get("SANDBOX_ALLOWED_HOSTS") or LOCAL_HOSTS).split(",") if host.strip()
        ),
        access_token_lifetime=_seconds(source, "SANDBOX_ACCESS_TOKEN_LIFETIME_S", default=300),
        refresh_token_lifetime=_seconds(source, "SANDBOX_REFRESH_TOKEN_LIFETIME_S", default=30 * 86_400),
        honour_idempotency_key=_boolean(
            source, "SANDBOX_HONOUR_IDEMPOTENCY_KEY", default=profile.honours_idempotency_key
        ),
        idempotency_window=_seconds(source, "SANDBOX_IDEMPOTENCY_WINDOW_S", default=86_400),
        refresh_replay_window=_seconds(source, "SANDBOX_REFRESH_REPLAY_WINDOW_S", default=120),
        allow_demo_accounts=debug or _boolean(source, "SANDBOX_ALLOW_DEMO_ACCOUNTS", default=False),
        trusted_issuer=_http_address(source, "SANDBOX_TRUSTED_ISSUER", "an OpenID provider"),
        gateway_url=_http_address(source, "APP_PUBLIC_GATEWAY_APP_URL", "the portal's gateway")
        or f"http://localhost:{source.get('PORT_BASE') or 8000}",
        faults=Faults(
            refresh_refuse_rate=_number(source, "SANDBOX_FAULT_REFRESH_503_RATE", default=0, most=1),
            refresh_delay=timedelta(
                milliseconds=_number(source, "SANDBOX_FAULT_REFRESH_DELAY_MS", default=0, most=60_000)
            ),
        ),
    )


def _boolean(source: Mapping[str, str], name: str, *, default: bool) -> bool:
    value = source.get(name)
    if value is None:
        return default
    if value.strip().lower() in _TRUE:
        return True
    if value.strip().lower() in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} should be 1 or 0, not {value!r}")


def _profile(source: Mapping[str, str], name: str) -> Profile:
    value = source.get(name) or DEFAULT_PROFILE
    if value not in PROFILES:
        raise ImproperlyConfigured(f"{name} should be one of {', '.join(PROFILES)}, not {value!r}")
    return PROFILES[value]


def _number(source: Mapping[str, str], name: str, *, default: float, most: float) -> float:
    value = source.get(name)
    if not value:
        return default
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:  # also false for "nan"
        raise ImproperlyConfigured(f"{name} should be a number from 0 to {most:g}, not {value!r}")
    return number


def _seconds(source: Mapping[str, str], name: str, *, default: float) -> timedelta:
    seconds = _number(source, name, default=default, most=10 * 366 * 86_400)
    if seconds == 0:
        raise ImproperlyConfigured(f"{name} should be a number of seconds greater than 0")
    return timedelta(seconds=seconds)


def _http_address(source: Mapping[str, str], name: str, whose: str) -> str:
    value = source.get(name, "").strip().rstrip("/")
    if value and not value.startswith(("https://", "http://")):
        raise ImproperlyConfigured(f"{name} should be the http(s) address of {whose}, not {value!r}")
    return value


def _key(source: Mapping[str, str], name: str, *, kept_at: Path | None) -> str:
    value = source.get(name)
    if value:
        if len(value) < MINIMUM_KEY_LENGTH:
            raise ImproperlyConfigured(f"{name} should be at least {MINIMUM_KEY_LENGTH} characters long")
        return value
    if kept_at is None:
        raise ImproperlyConfigured(
            f"{name} should be set: at least {MINIMUM_KEY_LENGTH} random characters"
            " (only with DEBUG=1 is one generated and kept)"
        )
    return kept_key(path=kept_at)


def _make_private_folder(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"SANDBOX_STATE_DIR should be a folder that can be written: {error}") from error
