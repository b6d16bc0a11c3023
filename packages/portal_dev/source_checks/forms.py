"""Forms that send POST: each has Django's CSRF token, and the account for which the page was made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from portal_dev.source_checks.faults import SourceFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from portal_dev.source_checks.markup import Markup, Tag

CSRF: Final = "csrf_input"
ACCOUNT: Final = "portal/parts/page_account.html"
#: What a form may do whoever is signed in: end the sign-in, change the language.
_FOR_ANYBODY: Final = ("shell.logout_url", "/locale")
#: The layout of pages for those who are not signed in.
_SIGNED_OUT_LAYOUT: Final = "portal/plain.html"
_INCLUDE: Final = re.compile(r"""(?:include|extends)\s+["']([^"']+)["']""")


def form_faults(path: Path, markup: Markup, *, load: Callable[[str], Markup | None]) -> Iterator[SourceFault]:
    """The forms of a template that lack what every form needs.

    :param load: gives an included template by its name; None if there is none.
    """
    signed_out = any(_included(tag) == _SIGNED_OUT_LAYOUT for tag in markup.tags.values())
    for form in markup.forms:
        has = set(_parts(markup, form.contents, load=load, seen=frozenset()))
        if CSRF not in has:
            yield SourceFault(
                path=path,
                line=form.line,
                message="this form has no CSRF token: a browser that sends it gets a 403 page",
                hint=f'write {{{{ {CSRF} }}}} after <form method="post" …>',
                id="E003",
            )
        action = " ".join((form.action, *(tag.source for tag in markup.tags_in(form.action))))
        if ACCOUNT not in has and not signed_out and not any(each in action for each in _FOR_ANYBODY):
            yield SourceFault(
                path=path,
                line=form.line,
                message="this form does not say for whom its page was made: sent after somebody else has signed in,"
                " it writes in that user's name",
                hint=f'write {{% include "{ACCOUNT}" %}} after {{{{ {CSRF} }}}}',
                id="E004",
            )


def _parts(
    markup: Markup, contents: str, *, load: Callable[[str], Markup | None], seen: frozenset[str]
) -> Iterator[str]:
    """The tokens and included templates in some HTML, those of included templates too."""
    for tag in markup.tags_in(contents):
        name = _included(tag)
        if tag.is_expression:
            yield from re.findall(r"[A-Za-z_]\w*", tag.source)
        elif name and name not in seen:
            yield name
            included = load(name)
            if included is not None:
                yield from _parts(included, included.html, load=load, seen=seen | {name})


def _included(tag: Tag) -> str:
    match = None if tag.is_expression else _INCLUDE.match(tag.source)
    return match[1] if match else ""
