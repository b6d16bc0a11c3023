"""A sandbox that runs in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import requests

ROOT = Path(__file__).resolve().parents[2]
#: Of the account that tests sign in with.
ADDRESS, PASSWORD = "me@example.com", "secret words"


@dataclass
class LiveSandbox:
    """A sandbox in a process of its own."""

    state_dir: Path
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = None
    port: int = 0

    @property
    def variables(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("SANDBOX_") and name not in {"DEBUG", "DATABASE_URL"}
        }
        own = {"PYTHONPATH": str(ROOT / "packages"), "SANDBOX_STATE_DIR": str(self.state_dir), "DEBUG": "1"}
        # Another project's settings in the environment must not matter.
        return {**kept, **own, "DJANGO_SETTINGS_MODULE": "nobody.knows", **self.environment}

    def command(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "sandbox_api", *arguments],
            env=self.variables,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def log(self) -> str:
        return (self.state_dir / "log").read_text()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def start(self, *arguments: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        with (self.state_dir / "log").open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "sandbox_api", "serve", "--port", str(self.port), *arguments],
                env=self.variables,
                stdout=log,
                stderr=log,
                text=True,
            )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log
            try:
                if requests.get(self.url("/healthz"), timeout=1).ok:
                    return
            except requests.ConnectionError:
                time.sleep(0.05)
        pytest.fail("the sandbox did not start")

    def stop(self) -> int:
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=20)

    def post(self, path: str, body: Any, **headers: str) -> requests.Response:
        return requests.post(self.url(path), json=body, headers=headers, timeout=30)

    def sign_in(self, email: str = ADDRESS, password: str = PASSWORD) -> dict[str, str]:
        return self.post("/auth/login", {"email": email, "password": password}).json()
