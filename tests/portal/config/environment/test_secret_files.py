"""A secret may be the text of a file: what Docker, Kubernetes and systemd hand to a process."""

from pathlib import Path
from typing import Any

import pytest

from portal.config.environment import VARIABLES, Secrecy, read_config
from portal.config.portal_config import PortalConfig
from portal.errors import ConfigurationError
from tests.portal.config.environment import test_reader
from tests.portal.config.environment.test_reader import PRODUCTION

bare_environment = test_reader.bare_environment
#: Each secret with a value that is not the default, and where the configuration has it.
SECRETS: dict[str, tuple[str, Any]] = {
    "SECRET_KEY": ("s" * 64, lambda config: config.secret_key),
    "CACHE_URL": ("redis://portal:word@redis.example.com/0", lambda config: config.cache_url),
    "REFRESH_CACHE_URL": ("redis://portal:word@redis.example.com/1", lambda config: config.refresh_cache_url),
    "APP_JWT_KEY": ("j" * 40, lambda config: config.verification.key),
    "APP_OIDC_CLIENT_SECRET": ("o" * 40, lambda config: config.oidc.client_secret),
    "APP_AUDIT_KEY": ("a" * 40, lambda config: config.audit_key),
    "APP_METRICS_TOKEN": ("m" * 40, lambda config: config.metrics_token),
}
OPENID = {"APP_OIDC_ISSUER": "https://id.example.com", "APP_OIDC_CLIENT_ID": "portal"}


def read(monkeypatch: pytest.MonkeyPatch, name: str, file: Path, **variables: str) -> PortalConfig:
    """Read a configuration in which one secret is in a file."""
    for each, value in {**PRODUCTION, **OPENID, **variables}.items():
        if each != name or each in variables:
            monkeypatch.setenv(each, value)
    monkeypatch.setenv(f"{name}_FILE", str(file))
    return read_config("energy")


def test_every_secret_that_is_declared_is_tried_here() -> None:
    assert set(SECRETS) == {variable.name for variable in VARIABLES if variable.secrecy is not Secrecy.OPEN}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_the_text_of_its_file_which_must_be_there_and_alone(name: str, monkeypatch, tmp_path: Path) -> None:
    value, of = SECRETS[name]
    with pytest.raises(ConfigurationError, match=f"^{name}_FILE should be a text file that this process can read$"):
        read(monkeypatch, name, tmp_path / "missing")
    (tmp_path / "secret").write_text(f"{value}\n")
    assert of(read(monkeypatch, name, tmp_path / "secret")) == value, "without the line end"
    with pytest.raises(ConfigurationError, match=f"^{name} and {name}_FILE exclude each other: one"):
        read(monkeypatch, name, tmp_path / "secret", **{name: value})


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b" \r\n", "SECRET_KEY_FILE should be a file with a long random text, and it is empty"),
        (b"\xff\xfesecret", "SECRET_KEY_FILE should be a text file that this process can read"),
    ],
    ids=["empty", "no text"],
)
def test_an_empty_file_and_one_without_text_stop_the_start(content: bytes, why: str, monkeypatch, tmp_path) -> None:
    (tmp_path / "secret").write_bytes(content)
    with pytest.raises(ConfigurationError, match=f"^{why}$"):
        read(monkeypatch, "SECRET_KEY", tmp_path / "secret")


def test_key_of_several_lines_stays_whole(monkeypatch, tmp_path: Path) -> None:
    pem = "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----"
    (tmp_path / "secret").write_bytes(b"\xef\xbb\xbf" + pem.encode() + b"\r\n")
    config = read(monkeypatch, "APP_JWT_KEY", tmp_path / "secret")
    assert config.verification.key == pem
