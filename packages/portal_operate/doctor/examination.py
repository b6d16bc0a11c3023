"""Subjects of the doctor in their order; and those of this machine: its environment, folder, disk."""

import os
import platform
import shutil
import ssl
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields
from pathlib import Path
from typing import Final, NamedTuple

import django
from django.core.checks import ERROR, CheckMessage, run_checks

from portal import __version__
from portal.api import honours_idempotency_key
from portal.config.current import portal_config
from portal.config.environment import VARIABLES as DECLARED
from portal.config.environment import Source, quoted_names, try_config, undeclared_names, variable_values
from portal.config.portal_config import PortalConfig
from portal.errors import ConfigurationError
from portal_operate.doctor.backend_calls import look_at_calls
from portal_operate.doctor.findings import Patient, error, ok, warning
from portal_operate.doctor.servers import look_at_backend, look_at_key_set, look_at_provider
from portal_operate.doctor.stores import look_at_stores
from portal_operate.suggestions import did_you_mean

#: Tag of the checks of what is running: `check --tag live`.
LIVE: Final = "live"
_PAGE: Final = "docs/reference/environment.md"


def look_at_environment(problems: Sequence[ConfigurationError]) -> Iterator[CheckMessage]:
    """Name all variables that are missing, malformed, in quotes, or read by nobody; then those that are set."""
    for problem in problems:
        yield error("environment", str(problem), f"set it: {_PAGE} says how")
    for name in quoted_names():
        yield error("environment", f"the value of {name} has quotes around it", "take them away: they are a part of it")
    for name in undeclared_names():
        meant = did_you_mean(name, [variable.name for variable in DECLARED])
        yield warning("environment", f"{name} is set, and nothing reads it", meant or "take it away")
    for value in variable_values():
        if value.source is not Source.DEFAULT:
            yield ok(value.variable.name, f"{value.shown} ({value.source.value})")


def look_at_addresses(patient: Patient) -> Iterator[CheckMessage]:
    """Say where redirects may lead, and which hosts get the sign-in's cookies."""
    config = patient.config
    yield ok("addresses", ", ".join(f"{app} {origin}" for app, origin in config.known_origins.items()))
    yield ok("cookie domain", config.cookie_domain or "unset: each host has cookies of its own")
    if config.oidc.enabled:
        back = f"{config.gateway_url}/login/oidc/callback"
        yield ok("OpenID redirect address", f"{back} has to be registered at the provider")


def look_at_lost_answers(patient: Patient) -> Iterator[CheckMessage]:
    """Say what follows a lost answer to a refresh and to a create, with the backend as it is declared."""
    name, is_set = "APP_API_HONOURS_IDEMPOTENCY_KEY", patient.config.honours_idempotency_key
    if honours_idempotency_key(patient.config):
        seen = (
            f"{name} is on: what got no answer is sent again under its key. A backend that does not know keys then "
            "makes two rows of a create, and takes the second use of a refresh token for theft"
        )
        yield ok("lost answers", seen)
    else:
        cause = "is on and has no effect, since the backend's class has no idempotency_header" if is_set else "is off"
        seen = (
            f"{name} {cause}: after a lost answer of a refresh the user has to sign in again, and a form of unknown "
            "outcome that is sent once more may be done twice"
        )
        remedy = "set it, if the backend does what has a known Idempotency-Key only once"
        yield warning("lost answers", seen, "unset it, or name the header" if is_set else remedy)


def look_at_versions(patient: Patient) -> Iterator[CheckMessage]:  # noqa: ARG001  as all that look
    """Say which versions run here."""
    python, framework = platform.python_version(), django.get_version()
    yield ok("versions", f"portal {__version__}, Python {python}, Django {framework}, {ssl.OPENSSL_VERSION}")


#: Warnings of a start that says so and goes on, where pages, sign-ins or forms do not work, or code is shown to users.
_FATAL: Final = frozenset({"portal.W001", "portal.W003", "portal.W011", "portal.W013", "portal.W017"})


def look_at_checks(patient: Patient) -> Iterator[CheckMessage]:
    """Run Django's system checks and ours: outside of DEBUG with those of `check --deploy`."""
    config = patient.config
    messages = [m for m in run_checks(include_deployment_checks=not config.debug) if not m.is_silenced()]
    # With http a developer's machine may have any address.
    is_deployed = not config.debug or config.secure
    for message in messages:
        make = error if message.level >= ERROR or (is_deployed and message.id in _FATAL) else warning
        yield make(f"check {message.id}", message.msg, message.hint or "see the message")
    if not messages:
        yield ok("system checks", "no issue")


_MB: Final = 1024 * 1024
#: With less free room than the embedded store may take, and this beside it, the disk can become full.
_SPARE_MB: Final = 100


def look_at_state_folder(patient: Patient) -> Iterator[CheckMessage]:
    """Check owner, rights, and that it can be written to. A folder that is missing is made by the start."""
    folder, existing = patient.config.state_dir, _existing(patient.config.state_dir)
    status = existing.stat()
    mode = stat.S_IMODE(status.st_mode)
    if existing == folder and status.st_uid != os.geteuid():
        seen = f"{folder} belongs to user {status.st_uid}, and this process is user {os.geteuid()}"
        yield error("state folder", seen, "run this command as the servers' user, or give the folder to it")
    elif cause := _why_not_written(existing):
        yield error("state folder", f"{folder} can't be written to: {cause}", "make room, or give this user the right")
    elif existing != folder:
        yield ok("state folder", f"{folder} is not there yet; the first use makes it")
    elif mode & 0o077:
        yield warning("state folder", f"{folder} has mode {mode:04o}: others may enter", f"chmod 0700 {folder}")
    else:
        yield ok("state folder", f"{folder}, mode {mode:04o}, of this user")


def look_at_static_files(patient: Patient) -> Iterator[CheckMessage]:
    """Check the folder that servers of several releases share, if there is one."""
    folder = patient.config.static_shared_dir
    if folder is None:
        return
    if fault := _why_not_written(_existing(folder / patient.config.project.app)):
        seen = f"APP_STATIC_SHARED_DIR, {folder}, can't be written to: {fault}. Other releases' pages lose their styles"
        yield warning("static files", seen, "give it to the servers' user")
    else:
        yield ok("static files", f"shared with other releases in {folder}")


def look_at_disk(patient: Patient) -> Iterator[CheckMessage]:
    """Hold the room below the state folder against what the embedded store may take."""
    config = patient.config
    free = shutil.disk_usage(_existing(config.state_dir)).free // _MB
    needed = ((not config.cache_url) + (not config.refresh_cache_url)) * config.store_max_mb
    seen = f"{free:,} MB free below {config.state_dir}"
    if free < needed + _SPARE_MB:
        yield warning("disk", f"{seen}; the embedded store may take {needed} MB", "make room on that disk")
    else:
        yield ok("disk", seen)


def _why_not_written(folder: Path) -> str | None:
    """Return why no file can be made in a folder; None if one can."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as fault:
        return fault.strerror or type(fault).__name__
    return None


def _existing(folder: Path) -> Path:
    return next((path for path in (folder, *folder.parents) if path.exists()), folder)


class Subject(NamedTuple):
    """Subject of the doctor.

    :ivar needs: fields of the configuration. One that can't be read holds another value in its place.
    """

    name: str
    look: Callable[[Patient], Iterable[CheckMessage]]
    needs: AbstractSet[str] = frozenset()


_OF_CALLS: Final = {"api_base_url", "api_ca_file", "connect_timeout_s", "read_timeout_s"}
#: Looks at what runs: the checks with the tag `live`.
SUBJECTS: Final = (
    Subject("versions", look_at_versions),
    Subject("addresses", look_at_addresses, {"origins", "cookie_domain"}),
    Subject("state folder", look_at_state_folder, {"state_dir"}),
    Subject("disk", look_at_disk, {"state_dir"}),
    Subject("static files", look_at_static_files, {"static_shared_dir"}),
    # Before all that starts a thread: it forks.
    Subject("stores", look_at_stores, {"cache_url", "refresh_cache_url", "store_max_mb", "state_dir"}),
    Subject("backend", look_at_backend, _OF_CALLS),
    Subject("lost answers", look_at_lost_answers, {"honours_idempotency_key", "backend"}),
    Subject("calls", look_at_calls, _OF_CALLS),
    Subject("keys of access tokens", look_at_key_set, {"verification", "api_ca_file"}),
    Subject("OpenID provider", look_at_provider, {"oidc", "api_ca_file"}),
)
SYSTEM_CHECKS: Final = Subject("system checks", look_at_checks, {field.name for field in fields(PortalConfig)})


def check_live(**_: object) -> list[CheckMessage]:
    """Check what runs, as a system check: `check --tag live` registers it, and no other command has it."""
    return list(examine(portal_config().project.app))


def examine(
    app: str,
    subjects: Sequence[Subject] = SUBJECTS,
    *,
    progress: Callable[[str], object] = str,
    access: str | None = None,
) -> Iterator[CheckMessage]:
    """Look at the subjects of a project; one that fails is a finding, and the next one is looked at.

    :param progress: is told the subject.
    :param access: the access token of a user, with which the backend's calls are tried.
    """
    reading = try_config(app)
    patient = Patient(config=reading.config, access=access)
    yield from look_at_environment(reading.problems)
    for subject in subjects:
        progress(f"{subject.name} …")
        if missing := subject.needs & reading.unread:
            yield error(subject.name, f"not looked at: {', '.join(sorted(missing))} can't be read", "see above")
            continue
        try:
            yield from subject.look(patient)
        except PermissionError as fault:
            remedy = "run this command as the servers' user, or give that user the right"
            yield error(subject.name, f"{fault.filename}: {fault.strerror}", remedy)
        except Exception as fault:  # noqa: BLE001  one subject's fault hides no other
            yield error(
                subject.name, f"not looked at to the end: {type(fault).__name__}", "report this fault of doctor"
            )
