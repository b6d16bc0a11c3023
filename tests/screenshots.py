"""`make screenshots`: pictures of every page, at five widths, light and dark, for people to look at.

They are written to `.state/screenshots`, with a sheet for each page that shows all its pictures side by side
(`index.html`). The pages are those of the URL tables, and a few states of them: :data:`STATES`.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.support.harness import ROOT, RunningStack, require_tool, running_stack
from tests.support.open_pages import VISITORS, OpenPage, open_pages, signed_in_contexts

WIDTHS: Final = (320, 768, 1024, 1280, 1920)
THEMES: Final = ("light", "dark")
HEIGHT: Final = 900
FOLDER: Final = ROOT / ".state" / "screenshots"
FLAGS: Final = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
#: Pages in another state than their address alone shows: name, app, visitor, path, and what is pressed then.
STATES: Final = (
    ("energy-clients-nothing-found", "energy", "all", "/energy/clients?q=zzzz", ()),
    ("energy-clients-not-found", "energy", "all", "/energy/clients/none", ()),
    ("energy-clients-new-errors", "energy", "all", "/energy/clients/new", ("main form button.primary",)),
    ("energy-clients-delete", "energy", "all", "/energy/clients", ("#rows th a", "button[popovertarget=delete]")),
    ("energy-search-found", "energy", "all", "/search?q=oslo", ()),
    ("energy-chargers-filtered", "energy", "all", "/energy/chargers?status=faulted", ()),
    ("auth_app-login-errors", "auth_app", None, "/login", ("main form button.primary",)),
)


def main() -> None:
    """Take the pictures of a stack of its own, with a database of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--locale", default="en")
    parser.add_argument("--only", default="", help="a part of the names of the pages")
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    program = require_tool("chromium-headless-shell", "chromium", "google-chrome")
    with tempfile.TemporaryDirectory() as state, running_stack(Path(state)) as stack, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        _take(stack, browser, folder=options.folder, locale=options.locale, only=options.only)
        browser.close()
    _write_index(options.folder)
    sys.stdout.write(f"{len(list(options.folder.glob('*.png')))} pictures: {options.folder / 'index.html'}\n")


def _take(stack: RunningStack, browser: Browser, *, folder: Path, locale: str, only: str) -> None:
    pages: list[OpenPage] | None = None
    for theme in THEMES:
        contexts: dict[str | None, BrowserContext] = signed_in_contexts(
            stack, [(visitor, browser.new_context(color_scheme=theme)) for visitor in VISITORS]
        )
        pages = pages or list(open_pages(stack, contexts, locale=locale))
        shots = [(each.name, each.app, each.visitor, each.path, ()) for each in pages]
        shots += [(name, app, visitor, f"/{locale}{path}", pressed) for name, app, visitor, path, pressed in STATES]
        for name, app, visitor, path, pressed in shots:
            if only not in name:
                continue
            page = contexts[visitor].new_page()
            page.set_viewport_size({"width": WIDTHS[-1], "height": HEIGHT})
            page.goto(stack.url(app, path))
            for selector in pressed:
                page.locator(selector).first.click()
                page.wait_for_load_state("networkidle")
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": HEIGHT})
                page.screenshot(path=folder / f"{name}-{width}-{theme}.png", full_page=True, animations="disabled")
            page.close()
        for context in contexts.values():
            context.close()


def _write_index(folder: Path) -> None:
    """One row of pictures for each page and theme."""
    rows = []
    names = sorted({path.stem.rsplit("-", 2)[0] for path in folder.glob("*.png")})
    for name in names:
        for theme in THEMES:
            pictures = "".join(
                f'<a href="{name}-{width}-{theme}.png"><img src="{name}-{width}-{theme}.png" height="360"'
                f' loading="lazy" alt="{name}, {width} pixels, {theme}"></a> '
                for width in WIDTHS
            )
            rows.append(f"<h2>{name}, {theme}</h2><p style='white-space:nowrap;overflow:auto'>{pictures}</p>")
    (folder / "index.html").write_text(f"<!doctype html><meta charset=utf-8><title>Pages</title>{''.join(rows)}")


if __name__ == "__main__":
    main()
