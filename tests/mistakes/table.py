"""The typical mistakes, who tells each, and the words. Written into docs/reference/mistakes.md by this module's page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MYPY: Final = "mypy"
EDITOR: Final = "basedpyright"
RUFF: Final = "ruff"
IMPORTS: Final = "import contracts"
CHECK: Final = "manage.py check"
TESTS: Final = "a test"
SERVICES: Final = "manage.py check_services"

_WORD_ON_PAGE: Final = {
    MYPY: "mypy",
    EDITOR: "editor",
    RUFF: "ruff",
    IMPORTS: "imports",
    CHECK: "check",
    SERVICES: "schema",
    TESTS: "test",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One typical mistake.

    :param told: who tells it, to words of the message.
    """

    number: int
    what: str
    told: dict[str, str]


MISTAKES: Final = (
    Mistake(
        number=1,
        what="A list helper gets the hook of one row: `list_query_key=OrderQueries.use_get_order_query`",
        told={
            MYPY: 'Argument "list_query_key" to "add_created_to_paginated_list"',
            EDITOR: 'cannot be assigned to parameter "list_query_key"',
            CHECK: "'finance.get_order' is not a paginated list",
        },
    ),
    Mistake(
        number=2,
        what='The key of a query is misspelt: `list_query_key="get_odrers"`',
        told={CHECK: "the query key 'finance.get_odrers' is not the key of a query"},
    ),
    Mistake(
        number=3,
        what="A list helper gets the list of another resource",
        told={CHECK: "its response is no whole row of the list 'finance.get_invoices': Order lacks"},
    ),
    Mistake(
        number=4,
        what="A parameter of a query is missing or misspelt",
        told={
            MYPY: '"__call__" of "QueryHook"',
            EDITOR: 'No overloads for "__call__" match the provided arguments',
            TESTS: "finance.get_orders: querry is no parameter of this endpoint",
        },
    ),
    Mistake(
        number=5,
        what="`mutate()` without its body",
        told={
            MYPY: 'All overload variants of "mutate" of "Mutation" require at least one argument',
            EDITOR: 'No overloads for "mutate" match the provided arguments',
            TESTS: "finance.create_order: call mutate(body=…), as its endpoint declares",
        },
    ),
    Mistake(
        number=6,
        what="A body has a field that there is not, or of another type, or lacks one that it needs",
        told={
            MYPY: 'Unexpected keyword argument "buyerr" for "partial" of "Record"; did you mean "buyer"?',
            EDITOR: 'No parameter named "buyerr"',
        },
    ),
    Mistake(
        number=7,
        what='`method="GET"` or `"post"` for a mutation',
        told={
            MYPY: 'No overload variant of "mutation_endpoint" matches',
            EDITOR: "Literal['GET']\" is not assignable to type \"Literal['POST']",
            CHECK: "the method should be one of POST, PUT, PATCH, DELETE",
        },
    ),
    Mistake(
        number=8,
        what="PUT where the backend takes POST",
        told={
            SERVICES: "the schema has no PUT /finance/orders",
            TESTS: "the backend was told nothing about PUT /finance/orders",
        },
    ),
    Mistake(
        number=9,
        what="A path names a parameter that there is not: `{idd}`, or `params['idd']` in a function",
        told={CHECK: "names idd, which is no parameter; params declares id"},
    ),
    Mistake(
        number=10,
        what="A slip in the path of an endpoint",
        told={
            SERVICES: "the schema has no GET /finance/ordres",
            TESTS: "the backend was told nothing about GET /finance/ordres",
        },
    ),
    Mistake(
        number=11,
        what="A list whose rows have no id, and no `unique_by`",
        told={CHECK: "rows are told apart by 'id', which Reading does not have"},
    ),
    Mistake(
        number=12,
        what="`unique_by` names a field that the row does not have",
        told={CHECK: "rows are told apart by 'seriel', which Reading does not have"},
    ),
    Mistake(
        number=13,
        what="A page writes while it answers a GET",
        told={TESTS: "finance.create_order: what answers GET must not write"},
    ),
    Mistake(
        number=14,
        what="`select_list_item` returns None, or anything else that is no row",
        told={
            MYPY: 'Incompatible return value type (got "None", expected "Order")',
            EDITOR: 'Function return type "None" is incompatible with type "Order"',
        },
    ),
    Mistake(
        number=15,
        what="An app imports another app",
        told={IMPORTS: "The projects are independent of each other"},
    ),
    Mistake(
        number=16,
        what="`requests` in an app",
        told={
            RUFF: "`requests.get` is banned: the backend is called through ApiSession",
            IMPORTS: "Projects call the backend through hooks only",
        },
    ),
    Mistake(
        number=17,
        what="`urllib.request`, `http.client`, `socket`, `httpx` or `aiohttp` in an app",
        told={
            RUFF: "is banned: the backend is called through hooks; declare the call in portal.services",
            IMPORTS: "Projects call the backend through hooks only",
        },
    ),
    Mistake(
        number=18,
        what="The address of a server in an endpoint",
        told={CHECK: "the url should be a path such as '/energy/clients'"},
    ),
    Mistake(
        number=19,
        what="The address of a server in a redirect or a template",
        told={CHECK: "the address https://energy.example.com/en is written into the source"},
    ),
    Mistake(
        number=20,
        what="A text without a translation",
        told={CHECK: "the text 'A text without a translation' has no translation into de, tr"},
    ),
    Mistake(
        number=21,
        what="A text that is not marked for translation",
        told={CHECK: "is not marked for translation"},
    ),
    Mistake(
        number=22,
        what="A template shows a field that the row does not have: `{{ row.buyerr }}`",
        told={CHECK: "Order has no attribute 'buyerr'", TESTS: "has no attribute 'buyerr'"},
    ),
    Mistake(
        number=23,
        what="A template, tag, filter, function, constant, icon or URL that there is not",
        told={CHECK: "there is no URL with the name 'ordres'"},
    ),
    Mistake(
        number=24,
        what="A form without `{{ csrf_input }}`",
        told={CHECK: "this form has no CSRF token"},
    ),
    Mistake(
        number=25,
        what="A form that does not say for whom its page was made",
        told={CHECK: "this form does not say for whom its page was made"},
    ),
    Mistake(
        number=26,
        what="A create without `idempotency_key`",
        told={CHECK: "use_create_order_mutation has no idempotency_key"},
    ),
)

_HEAD: Final = """\
# Typical mistakes

What a team does wrong most, who tells it, and words of the message, which names the file and the line, or the hook. A test makes each mistake in a copy.

`make check` asks mypy, basedpyright and ruff (both in the *editor* too), the import contracts (*imports*) and `./manage.py --app finance check` (*check*). *Schema* is `./manage.py check_services`
with the backend's schema, *test* a test that opens the page.

| # | mistake | who | the words |
|---|---|---|---|
"""
_TAIL: Final = """
- 22: `check` knows the rows of declared pages (`ListView`, `DetailView`); what a function gives to its template is known to a test alone.
- A fault of `check` has an id, such as `portal.source.E005`, for `SILENCED_SYSTEM_CHECKS` in an app's settings.
- A text that is the same in every language: `{# untranslated: a unit #}` in its line, in Python `# untranslated: a unit`. An address: `fixed address:` and the reason.
- A POST that may happen twice gets `idempotency_key=None`.
"""


def _as_code(words: str) -> str:
    return f"`` {words} ``" if "`" in words else f"`{words}`"


def page() -> str:
    """docs/reference/mistakes.md."""
    rows = [
        f"| {mistake.number} | {mistake.what} | {', '.join(_WORD_ON_PAGE[by] for by in mistake.told)}"
        f" | {'<br>'.join(map(_as_code, mistake.told.values()))} |"
        for mistake in MISTAKES
    ]
    return _HEAD + "\n".join(rows) + "\n" + _TAIL
