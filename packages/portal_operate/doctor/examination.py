"""Which subjects are looked at, in which order; and those that are of this machine: its environment, folder, disk."""

from __future__ import annotations

import os
import platform
import shutil
import ssl
import stat
import tempfile
from typing import TYPE_CHECKING, Final

import django
from django.core.checks import ERROR, run_checks

from portal import __version__
from portal.api import honours_idempotency_key
from portal.config.environment import VARIABLES as DECLARED
from portal.config.environment import Source, quoted_names, try_config, undeclared_names, variable_values
from portal_operate.doctor.backend_calls import look_at_calls
from portal_operate.doctor.findings import Patient, error, ok, warning
from portal_operate.doctor.servers import look_at_backend, look_at_key_set, look_at_provider
from portal_operate.doctor.stores import look_at_stores
from portal_operate.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from portal.errors import ConfigurationError
    from portal_operate.doctor.findings import Finding


_PAGE: Final = "docs/reference/environment.md"


def look_at_environment(problems: Sequence[ConfigurationError]) -> Iterator[Finding]:
    """What is missing or malformed, all of it; what has quotes of its own, and what nobody reads."""
    for problem in problems:
        yield error("environment", str(problem), f"set it: {_PAGE} says how")
    for name in quoted_names():
        yield error("environment", f"the value of {name} has quotes around it", "take them away: they are a part of it")
    for name in undeclared_names():
        meant = did_you_mean(name, [variable.name for variable in DECLARED])
        yield warning("environment", f"{name} is set, and nothing reads it", meant or "take it away")
    if not problems:
        count = sum(value.source is not Source.DEFAULT for value in variable_values())
        yield ok("environment", f"{count} variables are set, and can be read")


def look_at_addresses(patient: Patient) -> Iterator[Finding]:
    """Where redirects may lead, and which hosts get the sign-in's cookies."""
    config = patient.config
    yield ok("addresses", ", ".join(f"{app} {origin}" for app, origin in config.known_origins.items()))
    yield ok("cookie domain", config.cookie_domain or "unset: each host has cookies of its own")
    if config.oidc.enabled:
        back = f"{config.gateway_url}/login/oidc/callback"
        yield ok("OpenID redirect address", f"{back} has to be registered at the provider")


def look_at_lost_answers(patient: Patient) -> Iterator[Finding]:
    """What becomes of a refresh and of a create whose answer is lost, with the backend as it is declared."""
    if honours_idempotency_key(patient.config):
        seen = (
            "APP_API_HONOURS_IDEMPOTENCY_KEY is on: what got no answer is sent again under its key. A backend that "
            "does not know keys then makes two rows of a create, and takes the second use of a refresh token for theft"
        )
        yield ok("lost answers", seen)
        return
    cause, remedy = "is off", "set it, if the backend does what has a known Idempotency-Key only once"
    if patient.config.honours_idempotency_key:
        cause = "is on and has no effect, since the backend's class has no idempotency_header"
        remedy = "unset it, or name the header"
    seen = (
        f"APP_API_HONOURS_IDEMPOTENCY_KEY {cause}: after a lost answer of a refresh the user has to sign in again, and "
        "who sends a form whose outcome is unknown once more may do it twice"
    )
    yield warning("lost answers", seen, remedy)


def look_at_versions(patient: Patient) -> Iterator[Finding]:  # noqa: ARG001  as all that look
    """What runs here."""
    python, framework = platform.python_version(), django.get_version()
    yield ok("versions", f"portal {__version__}, Python {python}, Django {framework}, {ssl.OPENSSL_VERSION}")


#: Warnings of a start that says so and goes on, where pages, sign-ins or forms do not work, or code is shown to users.
_FATAL: Final = frozenset({"portal.W001", "portal.W003", "portal.W011", "portal.W013", "portal.W017"})


def look_at_checks(patient: Patient) -> Iterator[Finding]:
    """Django's system checks and ours: outside of DEBUG with those of `check --deploy`."""
    if patient.unread:
        yield error("system checks", "not run: they need a configuration that can be read", "see above")
        return
    messages = [m for m in run_checks(include_deployment_checks=not patient.config.debug) if not m.is_silenced()]
    # With http a developer's machine may have any address.
    is_deployed = not patient.config.debug or patient.config.secure
    for message in messages:
        make = error if message.level >= ERROR or (is_deployed and message.id in _FATAL) else warning
        yield make(f"check {message.id}", message.msg, message.hint or "see the message")
    if not messages:
        yield ok("system checks", "no issue")


_MB: Final = 1024 * 1024
#: With less free room than the embedded store may take, and this beside it, the disk can become full.
_SPARE_MB: Final = 100


def look_at_state_folder(patient: Patient) -> Iterator[Finding]:
    """Owner, rights, and that it can be written to. A folder that is missing is made by the start."""
    folder = patient.config.state_dir
    existing = _existing(folder)
    try:
        status = existing.stat()
    except OSError as fault:
        yield error("state folder", f"{folder}: {fault.strerror}", "set APP_STATE_DIR to a folder of this user")
        return
    if existing != folder:
        if os.access(existing, os.W_OK | os.X_OK):
            yield ok("state folder", f"{folder} is not there yet; the first use makes it")
        else:
            yield error("state folder", f"{folder} can't be made: {existing} is not this user's", "set APP_STATE_DIR")
        return
    if status.st_uid != os.geteuid():
        yield error(
            "state folder",
            f"{folder} belongs to user {status.st_uid}, and this process is user {os.geteuid()}",
            "run this command as the servers' user, or give the folder to it",
        )
        return
    if cause := _why_not_written(folder):
        yield error("state folder", f"{folder} can't be written to: {cause}", "make room, or give it rights")
        return
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o077:
        yield warning("state folder", f"{folder} has mode {mode:04o}: others may enter", f"chmod 0700 {folder}")
    else:
        yield ok("state folder", f"{folder}, mode {mode:04o}, of this user")


def look_at_static_files(patient: Patient) -> Iterator[Finding]:
    """The folder that servers of several releases share, if there is one."""
    folder = patient.config.static_shared_dir
    if folder is None:
        return
    if fault := _why_not_written(_existing(folder / patient.config.project.app)):
        seen = f"APP_STATIC_SHARED_DIR, {folder}, can't be written to: {fault}. Other releases' pages lose their styles"
        yield warning("static files", seen, "give it to the servers' user")
    else:
        yield ok("static files", f"shared with other releases in {folder}")


def look_at_disk(patient: Patient) -> Iterator[Finding]:
    """The room below the state folder, against what the embedded store may take."""
    config = patient.config
    free = shutil.disk_usage(_existing(config.state_dir)).free // _MB
    stores = (not config.cache_url) + (not config.refresh_cache_url)
    needed = stores * config.store_max_mb + _SPARE_MB
    seen = f"{free:,} MB free below {config.state_dir}"
    if free < needed:
        yield warning("disk", f"{seen}; the embedded store may take {needed - _SPARE_MB} MB", "make room on that disk")
    else:
        yield ok("disk", seen)


def _why_not_written(folder: Path) -> str | None:
    """Why no file can be made in a folder; None if one can."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as fault:
        return fault.strerror or type(fault).__name__
    return None


def _existing(folder: Path) -> Path:
    return next((path for path in (folder, *folder.parents) if path.exists()), folder)


#: What is said while it is looked at, the fields that it needs, and who looks.
_SUBJECTS: Final[tuple[tuple[str, frozenset[str], Callable[[Patient], Iterator[Finding]]], ...]] = (
    ("versions", frozenset(), look_at_versions),
    ("addresses", frozenset({"origins", "cookie_domain"}), look_at_addresses),
    ("state folder", frozenset({"state_dir"}), look_at_state_folder),
    ("disk", frozenset({"state_dir"}), look_at_disk),
    ("static files", frozenset({"static_shared_dir"}), look_at_static_files),
    # Before all that starts a thread: it forks.
    ("stores", frozenset({"cache_url", "refresh_cache_url", "store_max_mb", "state_dir"}), look_at_stores),
    ("backend", frozenset({"api_base_url", "api_ca_file", "connect_timeout_s", "read_timeout_s"}), look_at_backend),
    ("lost answers", frozenset({"honours_idempotency_key", "backend"}), look_at_lost_answers),
    ("calls", frozenset({"api_base_url", "api_ca_file", "connect_timeout_s", "read_timeout_s"}), look_at_calls),
    ("keys of access tokens", frozenset({"verification", "api_ca_file"}), look_at_key_set),
    ("OpenID provider", frozenset({"oidc", "api_ca_file"}), look_at_provider),
    ("system checks", frozenset(), look_at_checks),
)


def examine(app: str, *, progress: Callable[[str], None], access: str | None = None) -> Iterator[Finding]:
    """Look at everything of a project; a subject that fails is a finding, and the next one is looked at.

    :param progress: is told what is looked at.
    :param access: the access token of a user, with which the backend's calls are tried.
    """
    reading = try_config(app)
    patient = Patient(config=reading.config, unread=reading.unread, access=access)
    yield from look_at_environment(reading.problems)
    for subject, needs, look in _SUBJECTS:
        progress(f"{subject} …")
        if missing := needs & reading.unread:
            yield error(subject, f"not looked at: {', '.join(sorted(missing))} can't be read", "see above")
            continue
        try:
            yield from look(patient)
        except PermissionError as fault:
            remedy = "run this command as the servers' user, or give that user the right"
            yield error(subject, f"{fault.filename}: {fault.strerror}", remedy)
        except Exception as fault:  # noqa: BLE001  one subject's fault hides no other
            yield error(subject, f"not looked at to the end: {type(fault).__name__}", "report this fault of doctor")
