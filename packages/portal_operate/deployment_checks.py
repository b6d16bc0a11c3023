"""System checks of a deployment: settings that work, and can hurt. `check --deploy` and `doctor` run them.

Each has an id of its own, a hint, and a test that makes it fire on a real environment. Without `DEBUG` only: a
developer's machine is no deployment. docs/reference/checks.md is made from :data:`DEPLOYMENT_CHECKS`.
"""

from collections.abc import Callable, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from django.core.checks import CheckMessage, Tags, Warning, register  # noqa: A004  Django's own name for it
from django.http.request import validate_host

from portal.config.current import portal_config
from portal.config.environment import runs_in_kubernetes
from portal.config.portal_config import PortalConfig
from portal.config.projects import GATEWAY

#: What is wrong, and what to do.
_Fault: TypeAlias = tuple[str, str]
#: A bearer token that is shorter, or made of fewer characters, can be guessed.
MIN_TOKEN_CHARS: Final = 20
MIN_DIFFERENT_CHARS: Final = 8
#: File systems of other machines, as /proc/mounts names them: SQLite's locks do not hold there.
NETWORK_FILE_SYSTEMS: Final = frozenset(
    {"9p", "afs", "ceph", "cifs", "fuse.glusterfs", "fuse.s3fs", "fuse.sshfs", "lustre", "nfs", "nfs4", "smb3"}
)
MOUNTS: Final = Path("/proc/mounts")


def _http_gateway(config: PortalConfig) -> Iterator[_Fault]:
    """The gateway's address is http: no cookie is `Secure`, so tokens can be read on the way."""
    if not config.secure:
        yield (
            f"{GATEWAY.url_variable} is http: no cookie is Secure, and whoever is on the way can read the tokens.",
            f"Set {GATEWAY.url_variable} to an https address.",
        )


def _mixed_schemes(config: PortalConfig) -> Iterator[_Fault]:
    """A project's address is http, and the gateway's https: browsers send no `Secure` cookie there.

    Its forms are refused as well, since CSRF trusts that address alone.
    """
    plain = sorted(origin for origin in config.known_origins.values() if config.secure and origin.startswith("http://"))
    if plain:
        yield (
            f"{', '.join(plain)} is http and the gateway is https: no sign-in is seen there, and no form is accepted.",
            "Set its APP_PUBLIC_…_APP_URL to an https address.",
        )


def _wildcard_hosts(config: PortalConfig) -> Iterator[_Fault]:
    """`ALLOWED_HOSTS` takes every name: a page can be asked for by a name of somebody else."""
    if "*" in config.allowed_hosts:
        yield (
            "ALLOWED_HOSTS has *: a page is served under any name, also one of somebody else.",
            "Name the project's own host, such as energy.example.com.",
        )


def _own_host(config: PortalConfig) -> Iterator[_Fault]:
    """The project's own host is not in `ALLOWED_HOSTS`: each of its pages is a 400."""
    host = urlsplit(config.own_origin).hostname or ""
    name = f"[{host}]" if ":" in host else host
    if not validate_host(name, list(config.allowed_hosts)):
        yield (
            f"ALLOWED_HOSTS does not have {name}, the project's own address: each page is answered 400.",
            f"Add {name} to ALLOWED_HOSTS, or correct {config.project.url_variable}.",
        )


def _decode_only(config: PortalConfig) -> Iterator[_Fault]:
    """Access tokens are only decoded: the edge lets in whoever makes one up, and only the backend refuses."""
    if not (config.verification.enabled or config.oidc.opaque_access_tokens):
        yield (
            "Access tokens are decoded, and not verified: whoever makes one up passes the edge, up to the backend.",
            "Set APP_JWT_JWKS_URL, or APP_JWT_KEY.",
        )


def _plain_calls(config: PortalConfig) -> Iterator[_Fault]:
    """Tokens, or the keys that verify them, go over a network without TLS."""
    called = {
        "APP_PUBLIC_API_BASE_URL": config.api_base_url,
        "APP_JWT_JWKS_URL": config.verification.jwks_url,
        "APP_OIDC_ISSUER": config.oidc.issuer,
    }
    for variable, address in called.items():
        if address.startswith("http://") and not is_of_this_machine(address):
            yield (
                f"{variable} is http, to another machine: tokens or keys can be read and changed on the way.",
                f"Set {variable} to an https address; APP_API_CA_FILE for a private authority.",
            )


def _weak_tokens(config: PortalConfig) -> Iterator[_Fault]:
    """A secret is short, or made of few different characters: it can be guessed."""
    for variable, secret in (("APP_METRICS_TOKEN", config.metrics_token), ("APP_JWT_KEY", config.verification.key)):
        is_weak = len(secret) < MIN_TOKEN_CHARS or len(set(secret)) < MIN_DIFFERENT_CHARS
        if secret and "-----BEGIN" not in secret and is_weak:
            yield (
                f"{variable} is short, or made of few different characters: it can be guessed.",
                "Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(64))'",
            )


def _https_without_proxy(config: PortalConfig) -> Iterator[_Fault]:
    """The addresses are https, and no reverse proxy is said to be in front, although a project itself speaks http."""
    if config.secure and not config.behind_proxy:
        text = (
            "The addresses are https and APP_BEHIND_PROXY is off: forms are refused by CSRF, since each request looks "
            "like http, and all users have the proxy's address, so they share one limit on sign-ins."
        )
        yield text, "Set APP_BEHIND_PROXY=on, behind a proxy that overwrites X-Forwarded-For and X-Forwarded-Proto."


def _embedded_in_a_cluster(config: PortalConfig) -> Iterator[_Fault]:
    """The embedded store in Kubernetes: each pod has a store of its own, so a token is refreshed twice."""
    if not config.refresh_cache_url and runs_in_kubernetes():
        text = (
            "This is a pod of Kubernetes, and the store is embedded: two pods share nothing, so a refresh token is "
            "submitted twice, and the backend may end the sign-in."
        )
        yield text, "Set CACHE_URL to a Redis."


def _embedded_on_a_network(config: PortalConfig) -> Iterator[_Fault]:
    """The embedded store on a file system of another machine, where SQLite's locks do not hold."""
    kind = file_system_of(config.state_dir)
    if not (config.refresh_cache_url and config.cache_url) and kind in NETWORK_FILE_SYSTEMS:
        yield (
            f"APP_STATE_DIR is on {kind}, a file system of another machine: the embedded store's locks do not hold.",
            "Set APP_STATE_DIR to a folder on a local disk, or CACHE_URL to a Redis.",
        )


def _open_redis(config: PortalConfig) -> Iterator[_Fault]:
    """A Redis on another machine without a password: whoever reaches it reads what is cached."""
    for address, variable in {config.refresh_cache_url: "REFRESH_CACHE_URL", config.cache_url: "CACHE_URL"}.items():
        if address and not address.startswith("unix:") and not _has_user(address) and not _all_local(address):
            yield (
                f"{variable} is a Redis on another machine, without a user and a password.",
                "Give it a password, or a user: docs/how-to/deploy.md has one with the rights that are needed.",
            )


#: Every check of a deployment, in the order of its ids.
DEPLOYMENT_CHECKS: Final[dict[str, Callable[[PortalConfig], Iterator[_Fault]]]] = {
    "portal.W010": _http_gateway,
    "portal.W011": _mixed_schemes,
    "portal.W012": _wildcard_hosts,
    "portal.W013": _own_host,
    "portal.W014": _decode_only,
    "portal.W015": _plain_calls,
    "portal.W016": _weak_tokens,
    "portal.W017": _https_without_proxy,
    "portal.W018": _embedded_in_a_cluster,
    "portal.W019": _embedded_on_a_network,
    "portal.W020": _open_redis,
}


def check_deployment(*_args: object, **_kwargs: object) -> list[CheckMessage]:
    """All of them."""
    config = portal_config()
    if config.debug:
        # Django's own check of a deployment says that DEBUG is on, which is worse than all of these.
        return []
    return [
        Warning(text, hint=hint, id=name) for name, check in DEPLOYMENT_CHECKS.items() for text, hint in check(config)
    ]


register(check_deployment, Tags.security, deploy=True)


def is_of_this_machine(address: str) -> bool:
    """Whether an address leads to this machine itself."""
    host = urlsplit(address).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def file_system_of(folder: Path, *, mounts: Path = MOUNTS) -> str | None:
    """The kind of file system on which a folder is, or will be; None where that is not known.

    :param mounts: the file that lists what is mounted.
    """
    try:
        lines = mounts.read_text().splitlines()
    except OSError:
        return None
    kinds = {Path(fields[1]): fields[2] for fields in map(str.split, lines) if len(fields) > 2}  # noqa: PLR2004  its columns
    return next((kinds[path] for path in (folder, *folder.parents) if path in kinds), None)


def _all_local(address: str) -> bool:
    """Whether the host of a Redis, of each Sentinel or of each node, is this machine."""
    places = address.partition("://")[2].partition("/")[0].rpartition("@")[2].split(",")
    return all(is_of_this_machine(f"//{place}") for place in places)


def _has_user(address: str) -> bool:
    parts = urlsplit(address)
    return "@" in parts.netloc or "password=" in parts.query
