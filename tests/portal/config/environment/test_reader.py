"""What the environment may say, and the one line that answers when it says something else."""

import os
from operator import attrgetter
from pathlib import Path

import pytest
from django.test import override_settings
from django.views.debug import SafeExceptionReporterFilter

from portal.config.base_settings import build_settings
from portal.config.environment import reader as env_module
from portal.config.environment.reader import read_config, try_config
from portal.config.environment.single_variables import kept_secret, private_dir
from portal.config.portal_config import ClaimMapping
from portal.config.projects import PROJECTS
from portal.errors import ConfigurationError
from tests.support.authority import Authority
from tests.support.forks import at_once

PRODUCTION = {
    "DEBUG": "off",
    "SECRET_KEY": "k" * 50,
    "ALLOWED_HOSTS": "auth.example.com",
    "APP_PUBLIC_API_BASE_URL": "https://api.example.com/v1/",
    "APP_PUBLIC_GATEWAY_APP_URL": "https://auth.example.com",
    "APP_PUBLIC_AUTH_COOKIE_DOMAIN": "example.com",
}
PROVIDER = {"APP_OIDC_ISSUER": "https://id.example.com/", "APP_OIDC_CLIENT_ID": "portal"}
OF_OIDC = {"APP_OIDC_AUTHORIZE_PARAMS": "acr_values=mfa%20otp&resource=urn:api"}


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """No variable of this machine, and no `.env` file, takes part."""
    others = {"DEBUG", "SECRET_KEY", "ALLOWED_HOSTS", "CACHE_URL", "REFRESH_CACHE_URL", "PORT_BASE"}
    for name in list(os.environ):
        if name.startswith("APP_") or name in others:
            monkeypatch.delenv(name)
    monkeypatch.setattr(env_module, "SOURCE_ROOT", tmp_path)


def read(monkeypatch: pytest.MonkeyPatch, app: str = "energy", **variables: str):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return read_config(app)


def test_a_developer_needs_no_variable_but_debug_and_port_base_moves_all_local_addresses(monkeypatch) -> None:
    config = read(monkeypatch, DEBUG="on")
    assert config.api_base_url == "http://127.0.0.1:8100"
    assert config.origins == {p.app: f"http://localhost:{8000 + place}" for place, p in enumerate(PROJECTS)}
    assert len(config.secret_key) > 50
    assert read_config("energy").secret_key == config.secret_key, "the key is kept"
    assert not config.secure
    moved = read(monkeypatch, PORT_BASE="9000")
    assert (moved.origins["finance"], moved.api_base_url) == ("http://localhost:9003", "http://127.0.0.1:9100")


def test_production_addresses_follow_from_the_cookie_domain_and_a_missing_variable_is_named(monkeypatch) -> None:
    config = read(monkeypatch, **PRODUCTION)
    assert config.origins["operations"] == "https://operations.example.com"
    assert config.api_base_url == "https://api.example.com/v1"
    assert config.secure
    assert config.own_origin == "https://energy.example.com"
    for missing in ("SECRET_KEY", "ALLOWED_HOSTS", "APP_PUBLIC_API_BASE_URL", "APP_PUBLIC_GATEWAY_APP_URL"):
        monkeypatch.delenv(missing)
        with pytest.raises(ConfigurationError, match=rf"^{missing} is missing: it should be .*$"):
            read_config("energy")
        monkeypatch.setenv(missing, PRODUCTION[missing])


MALFORMED = {
    "DEBUG": ["perhaps"],
    "SECRET_KEY": ["x", "k" * 31],
    "APP_BEHIND_PROXY": ["ja"],
    "APP_SECURITY_CONTACT": ["security@example.com", "mailto:a@b\nExpires: never"],
    "ALLOWED_HOSTS": ["https://auth.example.com", "auth.example.com:8000"],
    "PORT_BASE": ["eight thousand", "80", "9_000"],
    "APP_PUBLIC_API_BASE_URL": [
        "api.example.com",
        "https://user:secret@api.example.com",
        "https://api.example.com/?x=1",
        *(f"http://{rest}" for rest in (".", "a..b", "a:", "x/../y", "x/%2E./y", "x/.")),
    ],
    "APP_PUBLIC_GATEWAY_APP_URL": ["https://auth.example.com/gateway", "https://münchen.example"],
    "APP_PUBLIC_AUTH_COOKIE_DOMAIN": [
        *("localhost", "com", "münchen.example", "example.com.", "-.com", "a..com"),
        *("example.org", "ample.com", "energy.auth.example.com"),
    ],
    "CACHE_URL": ["redis://:secret@one:6379/0,redis://:secret@two:6379/0"],
    "REFRESH_CACHE_URL": ["redis+cluster://:secret@one:6379/0"],
    "APP_STORE_MAX_MB": ["0", "256MB", "+5", "5.0"],
    "APP_API_CONNECT_TIMEOUT_S": ["0", "0.0", "500ms", "1e3", "3,05", "\uff13"],
    "APP_API_READ_TIMEOUT_S": ["ten", "nan", "1234567890"],
    "APP_SESSION_MAX_AGE_S": ["-1", "0.5", "30d", "9" * 5000],
    "APP_LOG_FORMAT": ["xml"],
    "APP_JWT_JWKS_URL": ["keys.json"],
    "APP_JWT_KEY": ["short"],
    "APP_AUDIT_LOG": ["audit.jsonl", "/dev/null", "/no/audit", "/tmp", "/tmp/a\nb"],
    "APP_OIDC_PERMISSIONS": ["groups:", ": a=B", "groups: a", "groups: a=b=c", "g: a=", "two words:a=B"],
    "APP_OIDC_AUTHORIZE_PARAMS": ["prompt=", "=login", "prompt=login&", "a=%ff", "a=%0d%0ab", "prompt=login&state=x"],
    "APP_OIDC_TOKEN_PARAMS": ["prompt", "scope=a&refresh_token=secret"],
    "APP_OIDC_ACCESS_TOKENS": ["reference"],
    "APP_BACKEND": [
        "acme.Backend",
        "Backend",
        "portal.api.backend.No",
        "portal.api.FormBody",
        "portal.api.backend.CONTRACT",
    ],
    "APP_STATE_DIR": ["$HOME_OF_A_SHELL/state", "~nobody-has-this-name/state"],
    "APP_STATIC_SHARED_DIR": ["$STATE_DIRECTORY/static"],
    "APP_API_CA_FILE": ["~nobody-has-this-name/ca.pem"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in MALFORMED.items() for value in values])
def test_a_malformed_variable_stops_the_start_with_one_line(monkeypatch, name: str, value: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(monkeypatch, **{**PRODUCTION, **PROVIDER, name: value})
    message = str(caught.value)
    assert message.startswith(f"{name} should be")
    assert "\n" not in message
    assert "secret" not in message


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"APP_JWT_JWKS_URL": "https://id.example.com/jwks", "APP_JWT_ALGORITHMS": "HS256"}, "APP_JWT_ALGORITHMS"),
        ({"APP_JWT_KEY": "k" * 40, "APP_JWT_ALGORITHMS": "none"}, "APP_JWT_ALGORITHMS"),
        ({"APP_JWT_JWKS_URL": "https://id.example.com/jwks", "APP_JWT_KEY": "k" * 40}, "exclude each other"),
        ({"APP_OIDC_ISSUER": "https://id.example.com"}, "APP_OIDC_CLIENT_ID is missing"),
        (
            {"APP_PUBLIC_GATEWAY_APP_URL": "https://127.0.0.1", "APP_PUBLIC_AUTH_COOKIE_DOMAIN": "127.0.0.1"},
            "should be a parent domain such as",
        ),
        ({"APP_PUBLIC_API_BASE_URL": "http://u:p@x"}, "without user, query and fragment"),
        (PROVIDER | {"APP_OIDC_AUTHORIZE_PARAMS": "scope=openid"}, "APP_OIDC_SCOPES has the scopes"),
        *(
            (PROVIDER | {"APP_OIDC_ACCESS_TOKENS": "opaque", name: value}, f"{name} exclude each other")
            for name, value in (
                ("APP_OIDC_PERMISSIONS", "groups: staff=ENERGY_APP"),
                ("APP_JWT_JWKS_URL", "https://id.example.com/jwks"),
            )
        ),
    ],
)
def test_unfit_pairs_of_variables_stop_the_start(monkeypatch, variables: dict[str, str], message: str) -> None:
    """A public key taken as an HMAC secret would let anyone sign."""
    with pytest.raises(ConfigurationError, match=message):
        read(monkeypatch, **PRODUCTION | variables)


@pytest.mark.parametrize(
    ("variables", "attribute", "value"),
    [
        (
            {"ALLOWED_HOSTS": "auth.example.com, .example.com ,[::1], *"},
            "allowed_hosts",
            ("auth.example.com", ".example.com", "[::1]", "*"),
        ),
        ({"APP_PUBLIC_API_BASE_URL": "http://[::1]:8100/a.b"}, "api_base_url", "http://[::1]:8100/a.b"),
        ({"APP_PUBLIC_API_BASE_URL": "http://api_1.svc."}, "api_base_url", "http://api_1.svc."),
        ({"APP_JWT_JWKS_URL": "https://id.test/jwks/?v=2"}, "verification.jwks_url", "https://id.test/jwks/?v=2"),
        ({"APP_AUDIT_LOG": " stderr "}, "audit_log", "stderr"),
        ({"APP_AUDIT_LOG": "/tmp/audit.jsonl"}, "audit_log", "/tmp/audit.jsonl"),
        ({"APP_BACKEND": " "}, "backend", None),
        ({"APP_BACKEND": "tests.portal.api.test_backend.Renaming"}, "backend.__class__.__name__", "Renaming"),
        (PROVIDER, "oidc.issuer", "https://id.example.com"),
        # No value is the name of another variable.
        (PROVIDER | {"APP_OIDC_CLIENT_ID": "$HOME"}, "oidc.client_id", "$HOME"),
        ({"SECRET_KEY": f"$HOME{'k' * 50}"}, "secret_key", f"$HOME{'k' * 50}"),
        ({"APP_API_READ_TIMEOUT_S": " 2.5 "}, "read_timeout_s", 2.5),
        (
            {"APP_JWT_KEY": "k" * 40, "APP_JWT_ALGORITHMS": "HS256, HS384"},
            "verification.algorithms",
            ("HS256", "HS384"),
        ),
        (
            PROVIDER | {"APP_OIDC_PERMISSIONS": "groups: a=ENERGY_APP, a = FINANCE_APP,b=FINANCE_APP"},
            "oidc.mapping",
            ClaimMapping(claim="groups", permissions=(("a", "ENERGY_APP"), ("a", "FINANCE_APP"), ("b", "FINANCE_APP"))),
        ),
        *(
            (PROVIDER | {"APP_OIDC_PERMISSIONS": f"{claim}:{value}=A"}, f"oidc.mapping.{field}", expected)
            for claim, value, field, expected in (
                ("https://id.example.com/roles", "a", "claim", "https://id.example.com/roles"),
                ("urn:example:roles", " a", "claim", "urn:example:roles"),
                ("groups", " urn:staff", "permissions", (("urn:staff", "A"),)),
            )
        ),
        (PROVIDER | OF_OIDC, "oidc.authorize_params", (("acr_values", "mfa otp"), ("resource", "urn:api"))),
        (PROVIDER | OF_OIDC, "oidc.token_params", (("resource", "urn:api"),)),
        (PROVIDER | OF_OIDC | {"APP_OIDC_TOKEN_PARAMS": "resource=two"}, "oidc.token_params", (("resource", "two"),)),
        (PROVIDER | {"APP_OIDC_ACCESS_TOKENS": "OPAQUE"}, "oidc.opaque_access_tokens", True),
        ({"CACHE_URL": ""}, "refresh_cache_url", ""),
        ({"CACHE_URL": "redis://one/0"}, "refresh_cache_url", "redis://one/0"),
    ],
)
def test_a_variable_is_read(monkeypatch, variables: dict[str, str], attribute: str, value: object) -> None:
    assert attrgetter(attribute)(read(monkeypatch, **PRODUCTION | variables)) == value


BOTH = {"CACHE_URL": "redis://one/0", "REFRESH_CACHE_URL": "redis://two/0"}


@pytest.mark.parametrize(
    ("variables", "option", "values"),
    [
        (BOTH, "LOCATION", [*BOTH.values()]),
        # Only what the refresh shares waits for a replica.
        ({"CACHE_URL": "redis+sentinel://one,two/portal"}, "WAIT_FOR_REPLICA", [False, True]),
        ({"APP_STORE_MAX_MB": "64"}, "MAX_BYTES", [64 * 2**20] * 2),
    ],
)
def test_stores_follow_the_variables(monkeypatch, variables: dict[str, str], option: str, values: list[object]) -> None:
    stores = build_settings(read(monkeypatch, **PRODUCTION | variables))["CACHES"].values()
    assert [(each | each["OPTIONS"])[option] for each in stores] == values


def test_no_secret_is_printed_or_in_technical_pages(monkeypatch) -> None:
    url = "redis+sentinel://someone:a-secret@one,two/portal?sentinel_password=a-secret"
    variables = {"CACHE_URL": "redis://someone:a-secret@one/0", "REFRESH_CACHE_URL": url}
    config = read(monkeypatch, **PRODUCTION, **variables, APP_JWT_KEY="verification-key-" * 3)
    with override_settings(CACHES=build_settings(config)["CACHES"]):
        shown = SafeExceptionReporterFilter().get_safe_settings()
    assert shown["CACHES"]["refresh"]["OPTIONS"]["WAIT_FOR_REPLICA"] is True
    assert "a-secret" not in repr(shown) + repr(config)
    assert not any(secret in repr(config) for secret in ("verification-key", PRODUCTION["SECRET_KEY"]))


def test_an_unknown_project_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(ConfigurationError, match="auth_app, energy, operations, finance"):
        read_config("nowhere")


def test_processes_that_start_at_once_keep_the_same_secret(tmp_path) -> None:
    assert len(set(at_once(16, lambda _: kept_secret(tmp_path / "key")))) == 1
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_the_state_folder_is_made_private_and_one_of_somebody_else_is_refused(tmp_path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o755)
    assert private_dir(folder).stat().st_mode & 0o777 == 0o700
    if os.geteuid() == 0:
        os.chown(folder, 12345, 12345)
        theirs = folder
    else:
        theirs = Path("/")
    with pytest.raises(ConfigurationError, match="belongs to user"):
        private_dir(theirs)


def test_unsafe_or_lost_secret_is_refused(tmp_path) -> None:
    key = tmp_path / "key"
    for content, mode, why in (("a key", 0o640, "for this user alone"), ("", 0o600, "empty")):
        key.write_text(content)
        key.chmod(mode)
        with pytest.raises(ConfigurationError, match=why):
            kept_secret(key)
    with pytest.raises(ConfigurationError, match="APP_STATE_DIR"):
        private_dir(key)
    with pytest.raises(ConfigurationError, match="APP_STATE_DIR"):
        kept_secret(tmp_path / "missing" / "key")


def test_private_authority_is_a_file_of_certificates(monkeypatch, tmp_path) -> None:
    authority = Authority(tmp_path / "ca")
    assert read(monkeypatch, DEBUG="on", APP_API_CA_FILE=str(authority.file)).api_ca_file == authority.file
    (tmp_path / "empty.pem").touch()
    (tmp_path / "broken.pem").write_text("-----BEGIN CERTIFICATE-----\nnone\n")
    for name in ("missing.pem", "empty.pem", "broken.pem"):
        with pytest.raises(ConfigurationError, match=r"^APP_API_CA_FILE should be a PEM file .* can read$"):
            read(monkeypatch, APP_API_CA_FILE=str(tmp_path / name))


def test_an_attempt_tells_all_that_is_wrong_and_reads_the_rest(monkeypatch) -> None:
    for name, value in {**PRODUCTION, "APP_PUBLIC_GATEWAY_APP_URL": "", "PORT_BASE": "80", "CACHE_URL": "x://"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("APP_PUBLIC_ENERGY_APP_URL", "energy")
    attempt = try_config("energy")
    assert [str(problem).split()[0] for problem in attempt.problems] == [
        "PORT_BASE",
        "APP_PUBLIC_GATEWAY_APP_URL",
        "APP_PUBLIC_ENERGY_APP_URL",
        "CACHE_URL",
    ]
    assert attempt.unread == {"origins", "cache_url"}
    assert attempt.config.api_base_url == "https://api.example.com/v1"
    with pytest.raises(ConfigurationError) as caught:
        read_config("energy")
    assert caught.value is not attempt.problems[0]
    assert str(caught.value) == str(attempt.problems[0]), "a start is stopped by the first"


def test_a_developer_s_configuration_without_a_state_folder_is_read_for_commands_alone(monkeypatch) -> None:
    """systemd hands `$HOME` on as it is written."""
    monkeypatch.setenv("DEBUG", "on")
    monkeypatch.setenv("APP_STATE_DIR", "$HOME/state")
    attempt = try_config("energy")
    assert [str(problem) for problem in attempt.problems] == ["APP_STATE_DIR should be a folder"]
    assert attempt.config.state_dir.is_absolute()
    assert len(attempt.config.secret_key) > 30
