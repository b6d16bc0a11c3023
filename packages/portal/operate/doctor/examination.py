"""Which subjects are looked at, in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from portal.config.environment import try_config
from portal.operate.doctor.backend_calls import look_at_calls
from portal.operate.doctor.findings import Patient, error
from portal.operate.doctor.machine import look_at_disk, look_at_state_folder
from portal.operate.doctor.servers import look_at_backend, look_at_key_set, look_at_provider
from portal.operate.doctor.settings import (
    look_at_addresses,
    look_at_checks,
    look_at_environment,
    look_at_lost_answers,
    look_at_versions,
)
from portal.operate.doctor.stores import look_at_stores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from portal.operate.doctor.findings import Finding

#: What is said while it is looked at, the fields that it needs, and who looks.
_SUBJECTS: Final[tuple[tuple[str, frozenset[str], Callable[[Patient], Iterator[Finding]]], ...]] = (
    ("versions", frozenset(), look_at_versions),
    ("addresses", frozenset({"origins", "cookie_domain"}), look_at_addresses),
    ("state folder", frozenset(), look_at_state_folder),
    ("disk", frozenset(), look_at_disk),
    # Before all that starts a thread: it forks.
    ("stores", frozenset({"cache_url", "refresh_cache_url", "store_max_mb"}), look_at_stores),
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
    yield from look_at_environment([str(problem.error) for problem in reading.problems])
    for subject, needs, look in _SUBJECTS:
        progress(f"{subject} …")
        if missing := needs & reading.unread:
            yield error(subject, f"not looked at: {', '.join(sorted(missing))} can't be read", "see above")
            continue
        try:
            yield from look(patient)
        except Exception as fault:  # noqa: BLE001  one subject's fault hides no other
            yield error(subject, f"not looked at to the end: {type(fault).__name__}", "report this fault of doctor")
