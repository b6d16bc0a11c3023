"""Where the audit log and traces go: looked at once, so that a wrong place stops the start."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from portal.config.environment.values import ENV, read_url, read_value
from portal.errors import ConfigurationError

STDERR: Final = "stderr"
OFF: Final = "off"
_SHOULD_BE: Final = "APP_AUDIT_LOG should be stderr, off, or the absolute path of a file"


def check_audit_log(value: str) -> str:
    """`stderr`, `off`, or the path of a file that this process can write. Nothing is created here.

    :raises ConfigurationError: it is none of these.
    """
    value = value.strip()
    if value in {STDERR, OFF}:
        return value
    path = Path(value)
    if not path.is_absolute() or not value.isprintable():
        raise ConfigurationError(_SHOULD_BE)
    if path.exists():
        if not path.is_file() or not os.access(path, os.R_OK | os.W_OK):
            raise ConfigurationError(f"{_SHOULD_BE} that this process can write: {value} is none")
    elif not os.access(path.parent, os.W_OK | os.X_OK):
        raise ConfigurationError(f"{_SHOULD_BE} that this process can write: {path.parent} does not let it")
    return value


def read_otlp(name: str) -> str:
    """The collector's address; empty for no traces. OpenTelemetry's own library reads it too.

    :raises ConfigurationError: no address, another exporter, or the library is not installed.
    """
    exporter = "OTEL_TRACES_EXPORTER"
    word = read_value(ENV.str, exporter, "otlp or none", "otlp").strip()
    if word not in {"otlp", "none"}:
        raise ConfigurationError(f"{exporter} should be otlp or none")
    if word == "none" or not ENV.str(name, "").strip():
        return ""
    address = read_url(name, default=None, path=True)
    if find_spec("opentelemetry") is None:
        raise ConfigurationError(f"{name} should be unset: traces need requirements/tracing.txt")
    return address
