"""A real Firefox, driven over Marionette: the remote control that every Firefox has built in. No driver to install.

The protocol: the browser listens on a port of this machine and greets. Each message is its length in bytes, a colon, and
JSON: `[0, id, command, parameters]` is answered by `[1, id, error, result]`.
"""

import contextlib
import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tests.support.ports import free_port
from tests.support.processes import PATIENCE_S, process_group, until

#: What the element's name is in an answer (W3C WebDriver).
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
PREFERENCES: dict[str, Any] = {
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.systemAddon.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}


class FirefoxError(Exception):
    """The browser refused a command."""


class Firefox:
    """One browser with a profile of its own. Made by :func:`firefox`."""

    def __init__(self, connection: socket.socket, answers: BinaryIO) -> None:
        self._connection, self._answers = connection, answers
        self._id = 0
        self._read()  # its greeting

    def open(self, url: str) -> None:
        """Go to an address, and wait until it is loaded."""
        self.command("WebDriver:Navigate", url=url)

    def reload(self, command: str) -> None:
        """What F5 runs (`Browser:Reload`), or Ctrl+Shift+R (`Browser:ReloadSkipCache`)."""
        self.run("window.beforeReload = true")
        self.in_chrome("document.getElementById(arguments[0]).doCommand()", command)
        self.wait_until("return !window.beforeReload && document.readyState == 'complete'")

    def back(self) -> None:
        """The back button."""
        self.command("WebDriver:Back")

    def type(self, selector: str, text: str) -> None:
        """Type into the first element that a CSS selector names."""
        self.command("WebDriver:ElementSendKeys", id=self._element(selector), text=text)

    def click(self, selector: str) -> None:
        """Click the first element that a CSS selector names, and wait for the page where that leads elsewhere."""
        self.command("WebDriver:ElementClick", id=self._element(selector))

    def run(self, script: str, *args: Any) -> Any:
        """The value that a script returns in the page."""
        return self.command("WebDriver:ExecuteScript", script=script, args=list(args))["value"]

    def wait_until(self, script: str, *args: Any) -> None:
        """Wait until a script in the page returns something true; also through a change of the page."""

        def holds() -> bool:
            with contextlib.suppress(FirefoxError):
                return bool(self.run(script, *args))
            return False

        until(holds, what=lambda: f"{script} at {self.run('return location.href')}")

    def in_chrome(self, script: str, *args: Any) -> Any:
        """The value that a script returns in the browser's own window."""
        self.command("Marionette:SetContext", value="chrome")
        try:
            return self.run(script, *args)
        finally:
            self.command("Marionette:SetContext", value="content")

    def command(self, name: str, **parameters: Any) -> Any:
        """Run one command of the protocol.

        :raises FirefoxError: the browser refused it.
        """
        self._id += 1
        message = json.dumps([0, self._id, name, parameters]).encode()
        self._connection.sendall(str(len(message)).encode() + b":" + message)
        _, _, error, result = self._read()
        if error:
            raise FirefoxError(f"{name}: {error['error']}: {error['message']}")
        return result

    def _element(self, selector: str) -> str:
        found: dict[str, dict[str, str]] = self.command("WebDriver:FindElement", using="css selector", value=selector)
        return found["value"][ELEMENT]

    def _read(self) -> Any:
        length = b""
        while (read := self._answers.read(1)) != b":":
            if not read:
                raise FirefoxError("the browser is gone")
            length += read
        return json.loads(self._answers.read(int(length)))


@contextlib.contextmanager
def firefox(path: str, *, folder: Path) -> Iterator[Firefox]:
    """Start a browser without a window, with a new profile in `folder`, and end it at the end."""
    profile = folder / "profile"
    profile.mkdir()
    port = free_port()
    chosen = {**PREFERENCES, "marionette.port": port}
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in chosen.items()]
    (profile / "user.js").write_text("".join(lines))
    options = ("--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile", profile)
    variables = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "MOZ_CRASHREPORTER_DISABLE": "1"}
    with (
        (folder / "firefox.log").open("wb") as log,
        process_group([path, *options], env=variables, stdout=log, stderr=log) as process,
        connection_to(port, process) as connection,
        connection.makefile("rb") as answers,
    ):
        browser = Firefox(connection, answers)
        browser.command("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": False}})
        yield browser


def connection_to(port: int, process: subprocess.Popen[str]) -> socket.socket:
    """Connect as soon as the browser listens."""

    def connected() -> socket.socket | None:
        assert process.poll() is None, f"Firefox ended with {process.poll()}"
        with contextlib.suppress(OSError):
            return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        return None

    return until(connected, what="Firefox listens")
