"""npm's `oidc-provider`, a certified OpenID provider, as a process of its own; installed when first needed."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import requests

from tests.support.harness import ROOT, leave_out, require_tool, run_program
from tests.support.processes import process_group

SOURCE = ROOT / "tests" / "functional" / "oidc"
SECRET = "a-secret-for-tests-only"
INSTALL_TIMEOUT_S = 180


@dataclass(frozen=True)
class CertifiedProvider:
    issuer: str

    def counts(self) -> dict[str, object]:
        """Its counts: refreshes, logout tokens that the gateway accepted, and errors of logout calls."""
        counted: dict[str, object] = requests.get(f"{self.issuer}/counts", timeout=10).json()
        return counted


def installed() -> Path:
    """A folder with the provider's modules, kept between runs; skips the test, or in CI fails it, without node."""
    require_tool("node")
    npm = require_tool("npm")
    wanted = (SOURCE / "package.json").read_bytes()
    folder = Path(tempfile.gettempdir()) / f"portal-oidc-provider-{os.getuid()}"
    if (folder / "package.json").exists() and (folder / "package.json").read_bytes() == wanted:
        return folder
    fresh = Path(tempfile.mkdtemp(prefix="portal-oidc-provider-"))
    (fresh / "package.json").write_bytes(wanted)
    options = ("--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--silent")
    done = run_program(npm, "install", *options, status=None, cwd=fresh, timeout=INSTALL_TIMEOUT_S)
    if done.returncode:
        shutil.rmtree(fresh, ignore_errors=True)
        leave_out(f"npm can't install the provider: {done.stderr[-300:]}")
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        fresh.rename(folder)
        return folder
    return fresh


@contextlib.contextmanager
def certified_providers(
    likes: Mapping[str, tuple[int, list[str]]], *, access_token_ttl_s: int, groups: Mapping[str, list[str]]
) -> Iterator[dict[str, CertifiedProvider]]:
    """Providers in one process.

    :param likes: like which one each is set up (`LIKE` in `provider.mjs`), to its port and the gateways that it knows.
        It reports sign-outs to the last of them.
    """
    settings = {
        "modules": str(installed()),
        "secret": SECRET,
        "accessTokenTtl": access_token_ttl_s,
        "groups": groups,
        "providers": [{"like": like, "port": port, "gateways": gateways} for like, (port, gateways) in likes.items()],
    }
    command, variables = [require_tool("node"), SOURCE / "provider.mjs"], {"PROVIDER": json.dumps(settings)}
    variables["PATH"] = os.environ["PATH"]
    with process_group(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == "ready":
                break
        else:
            raise AssertionError("the provider did not start")
        yield {like: CertifiedProvider(issuer=f"http://127.0.0.1:{port}") for like, (port, _) in likes.items()}
