"""The colours of the interface: legible in both themes, for each app's accent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PORTAL = ROOT / "packages/portal/web"
ACCENTS = sorted([
    *ROOT.glob("apps/*/static/*/app.css"),
    *ROOT.glob("packages/portal_dev/platforms/platform_template/apps/*/static/*/app.css"),
])  # fmt: skip
THEMES = ("light", "dark")
#: Of the text and of what is around it: WCAG 2.2, 1.4.3.
TEXT = 4.5
#: Of what must be seen to be used, and of a picture's parts: WCAG 2.2, 1.4.11.
SHAPE = 3


def colours(*sheets: Path, theme: str) -> dict[str, str]:
    """The colours that style sheets name, by their name; later ones win."""
    found: dict[str, str] = {}
    for sheet in sheets:
        for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);", sheet.read_text()):
            found[name] = light if theme == "light" else dark
    return found


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.fixture(params=THEMES)
def theme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=ACCENTS, ids=lambda path: path.parent.name)
def palette(request: pytest.FixtureRequest, theme: str) -> dict[str, str]:
    return colours(PORTAL / "static/portal/css/tokens.css", request.param, theme=theme)


@pytest.mark.parametrize(
    ("text", "grounds"),
    {
        "ink": ("canvas", "surface", "surface-sunk"),
        "ink-soft": ("canvas", "surface", "surface-sunk"),
        "ink-faint": ("canvas", "surface", "surface-sunk"),
        "accent": ("canvas", "surface", "surface-sunk", "accent-wash"),
        "accent-ink": ("accent",),
        **{tone: (f"{tone}-wash", "surface") for tone in ("info", "good", "warn", "bad", "calm")},
    }.items(),
)
def test_text_can_be_read(palette: dict[str, str], text: str, grounds: tuple[str, ...]) -> None:
    assert {ground: contrast(palette[text], palette[ground]) for ground in grounds} == pytest.approx(
        dict.fromkeys(grounds, 21), abs=21 - TEXT
    )


def test_the_edge_of_a_field_can_be_seen(palette: dict[str, str]) -> None:
    for ground in ("canvas", "surface", "surface-sunk"):
        assert contrast(palette["field-line"], palette[ground]) >= SHAPE, ground


def test_the_browsers_own_frame_has_the_colour_of_the_page(theme: str) -> None:
    canvas = colours(PORTAL / "static/portal/css/tokens.css", theme=theme)["canvas"]
    head = (PORTAL / "templates/portal/base.html").read_text()
    assert re.search(rf'<meta name="theme-color" content="{canvas}".*prefers-color-scheme: {theme}', head)


@pytest.mark.parametrize(
    "sheet", sorted([*PORTAL.glob("static/portal/css/*.css"), *ACCENTS]), ids=lambda path: path.name
)
def test_no_sheet_asks_for_the_systems_theme_past_the_users_choice(sheet: Path) -> None:
    assert "prefers-color-scheme" not in sheet.read_text(), "light-dark(#ffffff, #000000) follows both"


def test_each_app_has_an_icon_of_its_own() -> None:
    icons = [sheet.with_name("icon.svg").read_text() for sheet in ACCENTS]
    assert len(set(icons)) == len(icons)
