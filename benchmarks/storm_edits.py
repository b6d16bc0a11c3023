"""Two users edit one client at once, with real browsers against real servers: no change may be lost without a word.

In each round both open the form, both change one to three of its fields to values of this round alone, and both save at
the same moment. Who meets a conflict keeps a random one of the two values, and saves again. Then the client is read
from the backend. A change counts as lost if its value is not there, unless its own user gave it up, or the other user
was shown it and wrote over it.

`--control` takes the version out of each form before it is sent: it shows that the storm finds lost changes.

`./manage.py bench storm_edits [--rounds 200] [--seed 1] [--control]`
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import requests
from playwright.async_api import async_playwright

from benchmarks._options import need, options_of, parser_of
from benchmarks._targets import Targets
from tests.support.harness import found_tool, running_stack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playwright.async_api import Page

    from tests.support.harness import RunningStack

USERS: Final = ("energy@example.com", "all@example.com")
FIELDS: Final = ("name", "phone", "city")
CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome")
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
#: A user who is told so often that somebody else was faster gives up, and the storm fails.
MOST_SENDS: Final = 10


@dataclass
class Edit:
    """What one user did in one round.

    :ivar typed: field to its value.
    :ivar gave_up: fields in which the user chose the other value.
    :ivar wrote_over: values of the other user that this one was shown and did not keep, each with its field.
    """

    typed: Mapping[str, str]
    gave_up: set[str] = field(default_factory=set)
    wrote_over: set[tuple[str, str]] = field(default_factory=set)
    conflicts: int = 0


@dataclass
class Outcome:
    """What all rounds came to."""

    rounds: int = 0
    same_fields: int = 0
    conflicts: int = 0
    lost: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Backend:
    """The client, as the backend has it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = requests.Session()
        self._http.trust_env = False

    def call(self, method: str, path: str, **body: str) -> Any:
        """The JSON of a response."""
        signed_in = self._http.post(
            f"{self._url}/auth/login", json={"email": USERS[0], "password": "demo"}, timeout=20
        ).json()
        headers = {"Authorization": f"Bearer {signed_in['accessToken']}"}
        response = self._http.request(method, f"{self._url}{path}", json=body or None, headers=headers, timeout=20)
        response.raise_for_status()
        return response.json()


async def sign_in(page: Page, stack: RunningStack, email: str) -> None:
    await page.goto(stack.url("auth_app", "/en/login"))
    await page.locator("input[name=email]").fill(email)
    await page.locator("input[name=password]").fill("demo")
    await page.locator("form:has(input[name=email]) button").click()
    await page.wait_for_url("**/en/energy")


async def save(page: Page) -> bool:
    """Send the form, and wait for what comes in its place; whether it was saved."""
    form = page.locator("main form[data-draft]")
    await form.evaluate("form => { form.dataset.sent = '' }")
    await form.locator("button[type=submit]").click()
    await page.locator("form[data-sent]").wait_for(state="detached")
    await page.locator("main h1").wait_for()
    return not await form.count()


async def edit(page: Page, url: str, done: Edit, *, start: asyncio.Barrier, rng: random.Random, control: bool) -> None:
    """One user's part of a round."""
    await page.goto(f"{url}/edit")
    for name, value in done.typed.items():
        await page.locator(f"main [name={name}]").fill(value)
    if control:
        await page.locator("main [name=rowVersion]").evaluate("one => one.remove()")
    await start.wait()
    for _ in range(MOST_SENDS):
        if await save(page):
            return
        for shown in await page.locator("fieldset.conflict").all():
            name = await shown.locator("[name=inConflict]").input_value()
            theirs = await shown.locator(f"[name=initial-{name}]").input_value()
            done.conflicts += 1
            if rng.random() < 0.5:
                await shown.locator("[value=theirs]").check()
                done.gave_up.add(name)
            else:
                await shown.locator("[value=mine]").check()
                done.wrote_over.add((name, theirs))
    raise AssertionError(f"not saved after {MOST_SENDS} times: {url}")


def values_of(number: int, user: int, rng: random.Random) -> dict[str, str]:
    """New values for one to three fields, which nobody else types."""
    made = {"name": f"Name {number}.{user}", "phone": f"+49 30 {number:05}{user}", "city": f"City {number}.{user}"}
    return {name: made[name] for name in rng.sample(FIELDS, rng.randint(1, len(FIELDS)))}


def lost_in(edits: tuple[Edit, Edit], now: Mapping[str, str]) -> list[str]:
    """The changes that are gone, and of whose end nobody was told."""
    found = []
    for own, other in (edits, edits[::-1]):
        for name, value in own.typed.items():
            if now[name] != value and name not in own.gave_up and (name, value) not in other.wrote_over:
                found.append(f"{name}: {value!r} became {now[name]!r}")
    return found


async def storm(stack: RunningStack, *, rounds: int, seed: int, control: bool = False) -> Outcome:
    """All rounds."""
    rng, outcome, backend = random.Random(seed), Outcome(), Backend(stack.backend)
    made = backend.call("POST", "/energy/clients", name="Two", email="two@example.com", phone="+49 30 1", city="Oslo")
    path, began = f"/energy/clients/{made['id']}", time.monotonic()
    chromium = found_tool(*CHROMIUM)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        pages = [await (await browser.new_context()).new_page() for _ in USERS]
        for page, email in zip(pages, USERS, strict=True):
            await sign_in(page, stack, email)
        for number in range(rounds):
            first, second = (Edit(typed=values_of(number, user, rng)) for user in range(len(USERS)))
            start = asyncio.Barrier(len(USERS))
            await asyncio.gather(
                *(
                    edit(page, stack.url("energy", f"/en{path}"), each, start=start, rng=rng, control=control)
                    for page, each in zip(pages, (first, second), strict=True)
                )
            )
            outcome.rounds += 1
            outcome.same_fields += len(first.typed.keys() & second.typed.keys())
            outcome.conflicts += first.conflicts + second.conflicts
            now = await asyncio.to_thread(backend.call, "GET", path)
            outcome.lost += [f"round {number}, {lost}" for lost in lost_in((first, second), now)]
        await browser.close()
    outcome.seconds = time.monotonic() - began
    return outcome


def main() -> None:
    """Run it, print one line of a table, and fail if a change was lost."""
    parser = parser_of(__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--control", action="store_true")
    options = options_of(parser, rounds=2)
    need(*CHROMIUM)
    with tempfile.TemporaryDirectory() as folder, running_stack(Path(folder)) as stack:
        outcome = asyncio.run(storm(stack, rounds=options.rounds, seed=options.seed, control=options.control))
    print("| rounds | fields that both changed | conflicts shown | changes lost without a word | seconds |")
    print("|---|---|---|---|---|")
    counts = (outcome.rounds, outcome.same_fields, outcome.conflicts, len(outcome.lost), f"{outcome.seconds:.0f}")
    print(f"| {' | '.join(map(str, counts))} |")
    for lost in outcome.lost[:20]:
        print(lost)
    targets = Targets(smoke=options.smoke)
    if not options.control:
        targets.hold(f"changes lost without a word: {len(outcome.lost)}", "0", met=not outcome.lost)
    targets.end()


if __name__ == "__main__":
    main()
