"""The names of the platforms and the gateway in the page's language, and platforms of which nothing is offered."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from portal.config.current import portal_config
from portal.config.platforms import PLATFORM_BY_NAME, PLATFORMS
from portal.config.product import msgid
from portal.query import REGISTRY, offers

if TYPE_CHECKING:
    from portal.config.platforms import TPlatform
    from portal.config.projects import Project


GATEWAY_NAME = msgid("Account")


def platform_name(name: TPlatform) -> str:
    """The name that pages show for a platform: translated by the product's own catalogs, in `apps/locale`."""
    return gettext(PLATFORM_BY_NAME[name].name.replace("_", " ").capitalize())


@lru_cache(maxsize=64)
def project_name(
    project: Project,
    locale: str,  # noqa: ARG001  the key
) -> str:
    """The name that pages show for an app, in the active language `locale`."""
    return gettext(GATEWAY_NAME) if project.platform is None else platform_name(project.platform.name)


def absent_platforms() -> frozenset[TPlatform]:
    """The platforms of which the backend offers nothing: in no navigation, and nobody's home. Every request asks."""
    return _absent(portal_config().offers, len(REGISTRY.queries))


@lru_cache(maxsize=16)
def _absent(offered: frozenset[str] | None, declared: int) -> frozenset[TPlatform]:  # noqa: ARG001  the key
    hooks = [*REGISTRY.queries.values(), *REGISTRY.mutations.values()]
    of_apps = {each.name: [hook for hook in hooks if hook.key.startswith(f"{each.app}.")] for each in PLATFORMS}
    return frozenset(name for name, own in of_apps.items() if own and not any(map(offers, own)))
