"""Links of the pages: found in text and nowhere else, and led to where the file stands on the site."""

from __future__ import annotations

import pytest

from portal_dev.docs_site.site_pages import linked_paths, with_links

PLACES = {
    "docs/README.md": "index.md",
    "docs/how-to/deploy.md": "how-to/deploy.md",
    "docs/reference/log.md": "reference/log.md",
    "README.md": "project/README.md",
    "deploy/nginx/portal.conf": "project/files/deploy/nginx/portal.conf.md",
}


@pytest.mark.parametrize(
    ("of", "link", "there"),
    [
        ("docs/how-to/deploy.md", "../reference/log.md", "../reference/log.md"),
        ("docs/how-to/deploy.md", "../../README.md#two-commands", "../project/README.md#two-commands"),
        ("docs/how-to/deploy.md", "../../deploy/nginx/portal.conf", "../project/files/deploy/nginx/portal.conf.md"),
        ("docs/README.md", "how-to/deploy.md#redis", "how-to/deploy.md#redis"),
        ("README.md", "docs/how-to/deploy.md", "../how-to/deploy.md"),
        ("docs/how-to/deploy.md", "#redis", "#redis"),
        ("docs/how-to/deploy.md", "https://example.com/README.md", "https://example.com/README.md"),
        ("docs/how-to/deploy.md", "not-there.md", "not-there.md"),
    ],
)
def test_a_link_leads_to_where_the_file_stands_on_the_site(of: str, link: str, there: str) -> None:
    text = f"See [it]({link}), and ![that]({link}).\n"
    assert with_links(text, of=of, place=PLACES[of], places=PLACES) == f"See [it]({there}), and ![that]({there}).\n"


def test_a_title_behind_a_link_stays() -> None:
    text = '[log](../reference/log.md "The log")'
    assert with_links(text, of="docs/how-to/deploy.md", place="how-to/deploy.md", places=PLACES) == text
    assert linked_paths(text, of="docs/how-to/deploy.md") == ["docs/reference/log.md"]


@pytest.mark.parametrize("fence", ["```", "   ```", "````"])
def test_what_looks_like_a_link_in_a_block_of_code_is_code(fence: str) -> None:
    text = f"{fence}md\n[it](../README.md)\n{fence}\n\n[it](../../README.md)\n"
    assert linked_paths(text, of="docs/how-to/deploy.md") == ["README.md"]
    written = with_links(text, of="docs/how-to/deploy.md", place="how-to/deploy.md", places=PLACES)
    assert written == f"{fence}md\n[it](../README.md)\n{fence}\n\n[it](../project/README.md)\n"
