"""Whether all projects that share a sign-in verify it with the same key.

Each leaves a fingerprint of its `APP_JWT_KEY` in the shared store when it starts, and looks at those of the others.
With different keys a token that one accepts is refused by another: a signed-in user would be sent to and fro.
"""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING

from portal.config.limits import SIGN_IN_MAX_AGE_S
from portal.config.projects import PROJECTS
from portal.errors import StoreUnavailableError

if TYPE_CHECKING:
    from portal.config.portal_config import PortalConfig
    from portal.store import SharedStore

logger = logging.getLogger(__name__)


def warn_of_other_keys(config: PortalConfig, *, store: SharedStore) -> None:
    """Log it where another project was last started with another key; nothing where this one has none.

    Which keys a JWKS address gives, and in which projects tokens are only decoded, may differ for good reasons.
    """
    key = config.verification.key
    if not key:
        return
    own, apps = config.project.app, [project.app for project in PROJECTS]
    try:
        store.set(_name(own), _fingerprint(key), lifetime_s=SIGN_IN_MAX_AGE_S)
        found = store.get_many([_name(app) for app in apps])
    except StoreUnavailableError as error:
        logger.warning("whether all projects have the same APP_JWT_KEY is not known: %s", error)
        return
    others = [app for app in apps if found.get(_name(app), _fingerprint(key)) != _fingerprint(key)]
    if others:
        logger.warning(
            "APP_JWT_KEY differs from that with which %s started last: users would be sent to and fro. "
            "Set the same key in every project, and restart those that run with an older one",
            ", ".join(others),
        )


def _name(app: str) -> str:
    return f"verification:{app}"


def _fingerprint(key: str) -> str:
    """A hash. It tells a reader of the store no more than any token does, against which a guess can be tried too."""
    # A PEM in an environment variable often comes with its line breaks written as \n.
    if "-----BEGIN" in key:
        key = "\n".join(key.replace("\\n", "\n").split())
    return hashlib.sha256(b"portal verification key, version 1\0" + key.encode("utf-8", "surrogatepass")).hexdigest()
