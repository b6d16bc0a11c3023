"""The colours of the interface: legible in both themes, for each app's accent."""

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
#: Of text and of what must be seen to be used, with what is around it: WCAG 2.2, 1.4.3 and 1.4.11.
TEXT, SHAPE = 4.5, 3
CANVASES = ("canvas", "surface", "surface-sunk")
#: What is on which grounds, and the contrast that it needs.
CONTRASTS: dict[str, tuple[tuple[str, ...], float]] = {
    "ink": (CANVASES, TEXT),
    "ink-soft": (CANVASES, TEXT),
    "ink-faint": (CANVASES, TEXT),
    "accent": ((*CANVASES, "accent-wash"), TEXT),
    "accent-ink": (("accent",), TEXT),
    **{tone: ((f"{tone}-wash", "surface"), TEXT) for tone in ("info", "good", "warn", "bad", "calm")},
    "field-line": (CANVASES, SHAPE),
}


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


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sheet", ACCENTS, ids=lambda path: path.parent.name)
def test_text_can_be_read_and_fields_can_be_seen(sheet: Path, theme: str) -> None:
    palette = colours(PORTAL / "static/portal/css/tokens.css", sheet, theme=theme)
    found = {
        (name, ground): contrast(palette[name], palette[ground])
        for name, (grounds, needed) in CONTRASTS.items()
        for ground in grounds
        if contrast(palette[name], palette[ground]) < needed
    }
    assert found == {}
    head = (PORTAL / "templates/portal/base.html").read_text()
    assert re.search(rf'<meta name="theme-color" content="{palette["canvas"]}".*prefers-color-scheme: {theme}', head)


@pytest.mark.parametrize(
    "sheet", sorted([*PORTAL.glob("static/portal/css/*.css"), *ACCENTS]), ids=lambda path: path.name
)
def test_no_sheet_asks_for_the_systems_theme_past_the_users_choice(sheet: Path) -> None:
    assert "prefers-color-scheme" not in sheet.read_text(), "light-dark(#ffffff, #000000) follows both"
