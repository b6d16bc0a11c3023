"""Every block of code in the documentation is tried, by its language.

- `sh`: runs in a fresh clone, command by command. Of servers, commands that take minutes and commands for root the test
  only looks up programs, options and files
- `console` (runbooks): the commands, behind `$ `, run in the page's situation and print the text below; `…` matches
  anything. `log` (runbooks): a server has written each line in that situation
- `python`: all blocks of a page run from the first to the last
- `diff`, and whole files below their name: the test changes a copy, and the tests of the copy pass
- `html`: compiles as a template
- `env`: is read by the environment's own reader, and the reference page has its variables
- `json`, `toml`, `yaml`, `ini`: is parsed. `nginx`, `promql`: passes `nginx -t` and `promtool`
- any other: has a test of its own, which `TRIED_ELSEWHERE` names

A block that nothing can try has the reason before it: `<!-- not run: a drawing -->`.
"""

import re
import subprocess
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import pytest
from django.template import engines
from django.utils.module_loading import import_string

from portal.query import REGISTRY
from portal.services.service_imports import import_services
from portal.testing import Backend, SignedIn, row_ids
from portal_pages import Column, resource_pages
from tests.docs import test_how_tos, test_tutorial
from tests.support.block_readers import READERS, read_env
from tests.support.checkout_copy import fresh_clone
from tests.support.doc_blocks import Block, blocks_of, command_lines, pages
from tests.support.harness import ROOT, run_program
from tests.support.how_to import section
from tests.support.linked_environment import link_environment, run_typed

HOW_TO: Final = ROOT / "docs" / "how-to"
#: Pages that a test follows step by step, with the part that it follows (None: the whole page).
FOLLOWED: Final = [
    *test_how_tos.PARTS.values(),
    (HOW_TO / "add-a-platform.md", None),
    (HOW_TO / "remove-a-platform.md", None),
    (test_tutorial.PAGE, None),
    *((page, None) for page in test_tutorial.NEXT_PAGES),
    (HOW_TO / "test-your-pages.md", None),
    (HOW_TO / "use-another-backend.md", None),
]
#: Blocks that another test tries: a page, and the beginning of the block.
TRIED_ELSEWHERE: Final = {
    ("docs/explanation/architecture.md", "manage.py  "): "tests/docs/test_drawings.py",
    ("docs/explanation/architecture.md", "portal_dev   "): "tests/docs/test_drawings.py",
    ("docs/reference/audit-log.md", "user=$(printf"): "tests/docs/test_audit_questions.py",
    ("docs/how-to/deploy.md", "user portal on"): "tests/portal/store/test_redis_as_it_is_run.py",
    ("docs/how-to/install-the-wheel.md", "python3 -m venv"): "tests/deploy/test_wheel.py",
    ("docs/how-to/deploy-with-containers.md", "docker build"): "tests/deploy/test_container_how_tos.py",
    ("docs/how-to/deploy-with-containers.md", "deploy/compose/make-secrets"): "tests/deploy/test_container_how_tos.py",
    ("docs/how-to/deploy-on-kubernetes.md", "cp -r"): "tests/deploy/test_container_how_tos.py",
    ("docs/how-to/deploy-on-kubernetes.md", "kubectl kustomize"): "tests/deploy/test_container_how_tos.py",
}
#: Blocks for root, on a server. Each of their commands is looked at, and none is run.
FOR_ROOT: Final = {
    ("docs/how-to/deploy.md", "git clone --branch v0.5.0"),
    ("docs/how-to/deploy.md", "git clone --branch v0.6.0"),
    ("docs/how-to/trace-a-request.md", "make -C /opt/portal/current tracing"),
}
#: A release on a server, and a file in it.
RELEASE_FILE: Final = re.compile(r"/opt/portal/(?:current|releases/v[\d.]+)/(\S+)")
#: Commands that are looked up in `test_commands.py`, and not run here; with the reason.
NOT_RUN: Final = {
    "make run": "servers, until Ctrl-C: tests/portal_dev/management/test_run.py",
    "make dev": "servers, until Ctrl-C: tests/docs/test_work_on_one_app.py",
    "make dev without=finance": "as above",
    "APP_DEBUG_TOOLBAR=on make dev": "as above",
    "make topology": "servers, until Ctrl-C: tests/deploy/test_topology.py",
    "make test": "minutes; CI runs it",
    "make test-fast": "the tests of a change: tests/test_fast.py",
    "make test-own-product": "the tests of a product without the examples: tests/portal_dev/management/test_own_product.py",
    "make check": "minutes; CI runs it",
    "make hooks": "writes into the clone's .git: tests/portal_dev/test_pre_commit.py runs the hooks",
    "./manage.py --app energy serve --host 127.0.0.1 --port 8001 --workers 4 --threads 8": "tests/functional/test_serve.py",
    "./manage.py --app finance runserver": "as above",
    "./manage.py --app sandbox_api serve --port 8100": "tests/sandbox_api/test_commands.py",
}
#: What is typed where a command asks: a password.
TYPED: Final = "correct horse battery staple"

#: An order of the examples, but for its id and buyer. The service declares no `internalCode`.
ORDERED: Final = {"amount": "9.90", "currency": "EUR", "status": "open", "internalCode": 7}

BLOCKS: Final = [block for page in pages() for block in blocks_of(page)]


def is_followed(block: Block) -> bool:
    """Whether a test follows the part of the page in which this block is a step."""
    if block.language not in {"diff", "sh"} and block.file is None:
        return False
    return any(
        block.page == str(page.relative_to(ROOT)) and (part is None or block.written in section(page, part))
        for page, part in FOLLOWED
    )


def how_tried(block: Block) -> str:
    """What tries a block.

    :raises AssertionError: nothing does.
    """
    of_a_runbook = block.page.startswith("docs/runbooks/")
    for_root = any(block.page == page and block.code.startswith(text) for page, text in FOR_ROOT)
    ways = {
        "followed": is_followed(block),
        "elsewhere": any(block.page == page and block.code.startswith(text) for page, text in TRIED_ELSEWHERE),
        "root": for_root or (block.language == "sh" and (of_a_runbook or block.code.startswith("systemd-run "))),
        "runbook": of_a_runbook and block.language in {"console", "log"},  # tests/docs/test_runbooks.py
        "not run": block.reason is not None,
        block.language: block.language in {"sh", "python", "html", *READERS},
    }
    if way := next((way for way, tries in ways.items() if tries), None):
        return way
    raise AssertionError(
        f"{block.id}: nothing tries this block of {block.language or 'no language'}. this module's docstring has the kinds of blocks; "
        "where nothing can try one, the line before it says why: <!-- not run: a drawing -->"
    )


def tried(how: str) -> Any:
    """The blocks that are tried in a way, as the cases of a test."""
    chosen = [block for block in BLOCKS if how_tried(block) == how]
    return pytest.mark.parametrize("block", chosen, ids=[block.id for block in chosen])


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Backend and browsers that the Python of a page may need."""

    backend: Backend
    signed_in: SignedIn


def a_request_that_writes(stage: Stage) -> object:
    """The request of a form that was sent to the energy app."""
    form = {"name": "Ada", "email": "ada@example.com", "createAnyway": "ada@example.com"}
    stage.backend.answers("POST", "/energy/clients", json={"id": "cli_1", **form}, status=201)
    return stage.signed_in("ENERGY_APP").post("/en/energy/clients/new", form).wsgi_request


def with_a_request(stage: Stage) -> dict[str, object]:
    """Names of a view of the energy app that was asked to save a form."""
    for path in ("/energy/clients", "/energy/stations"):
        stage.backend.lists(path, [{"id": "row_1", "name": "Ada"}])
    request = a_request_that_writes(stage)
    return names(
        "from django.shortcuts import render",
        "from django.urls import reverse",
        "from django.utils.translation import gettext as _",
        "from apps.energy.views.clients import ClientForm",
        "from portal.query import query_endpoint",
        "from portal.services.energy.clients import ClientMutations, ClientQueries",
        "from portal.services.energy.stations import StationQueries",
        "from portal.services.energy.summary import EnergySummary",
        "from portal_pages import form_page, see_other, submission_key",
    ) | {"request": request}


def with_a_list_page(stage: Stage) -> dict[str, object]:
    """The names of a view that renders a list; `page` is what the app's own view made."""
    seen: dict[str, object] = {}
    stage.backend.lists("/energy/clients", [{"id": "row_1", "name": "Ada"}])
    with pytest.MonkeyPatch.context() as patch:
        list_pages = import_string("portal_pages.lists.list_views.render_kept")
        patch.setattr(
            "portal_pages.lists.list_views.render_kept",
            lambda request, name, variables, **others: (
                seen.update(variables(), request=request) or list_pages(request, name, variables, **others)
            ),
        )
        stage.signed_in("ENERGY_APP").get("/en/energy/clients")
    return names("from django.shortcuts import render") | {
        name: seen[of] for name, of in (("request", "request"), ("page", "list"), ("cell", "cell"))
    }


def with_orders(stage: Stage) -> dict[str, object]:
    """What a service of finance has at its beginning; and the backend that the examples of its calls ask."""
    rows = [
        {"id": f"ord_{number}", "buyer": buyer, **ORDERED} for number, buyer in enumerate(["Ada", "Alan", *"x" * 23], 1)
    ]
    backend = stage.backend
    backend.lists("/finance/orders", rows)
    backend.answers("POST", "/finance/orders", json={"id": "ord_new", **ORDERED}, status=201)
    backend.answers("PATCH", "/finance/orders/ord_1", json=rows[0])
    backend.answers("DELETE", "/finance/orders/ord_2", status=204)
    backend.answers("GET", "/finance/balance", json={"balance": "9.90"})
    backend.answers("POST", "/finance/orders/ord_1/refunds", json=rows[0])
    backend.refuses("POST", "/finance/orders/ord_3/refunds", errors={"amount": ["Too much."]})
    return {
        "__name__": "portal.services.finance.orders",
        "request": a_request_that_writes(stage),
        "tokens": backend.sign_in("ENERGY_APP"),
    }


def with_declared_orders(stage: Stage) -> dict[str, object]:
    """The same, and what the page before has declared."""
    known = with_orders(stage)
    for block in blocks_of(ROOT / "docs" / "reference" / "query-layer.md"):
        run_python(block, known)
    return known


def names(*imports: str) -> dict[str, object]:
    found: dict[str, object] = {}
    exec("\n".join(imports), found)
    return found


#: What a reader of the page has in front of them already when its Python begins.
BEFORE: Final[dict[str, Callable[[Stage], dict[str, object]]]] = {
    "docs/how-to/test-your-pages.md": lambda _: names(
        "from tests.support.every_page.cases import Case, Visit",
        "from tests.support.every_page.rows import CLIENTS, HOSTILE_TEXTS",
    ),
    "docs/reference/pages.md": with_declared_orders,
    "docs/reference/query-layer.md": with_orders,
    "docs/reference/query-layer-calls.md": with_declared_orders,
    "docs/reference/query-layer-faults.md": with_declared_orders,
    "docs/reference/templates.md": with_a_list_page,
    "docs/tutorial/a-first-page.md": with_a_request,
    "packages/sqlite_cache/README.md": lambda _: {"write_report": lambda: None},
}


def test_something_tries_each_block_and_one_that_nobody_has_thought_of_is_named_with_its_line() -> None:
    assert all(map(how_tried, BLOCKS))
    block = Block(page="docs/x.md", line=7, language="ruby", code="puts 1\n", file=None, written="puts 1")
    with pytest.raises(AssertionError, match=r"docs/x\.md:7: nothing tries this block of ruby"):
        how_tried(block)


def test_what_is_listed_as_an_exception_is_there() -> None:
    for page, text in (*TRIED_ELSEWHERE, *FOR_ROOT):
        assert any(block.page == page and block.code.startswith(text) for block in BLOCKS), text
    commands = {line for block in BLOCKS if block.language == "sh" for line in command_lines(block.code)}
    assert sorted(set(NOT_RUN) - commands) == []
    pages_with_python = {block.page for block in BLOCKS if how_tried(block) == "python"}
    assert sorted(set(BEFORE) - pages_with_python) == []


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Run a command in a fresh clone, without an activated environment, each once."""
    clone = fresh_clone(tmp_path_factory.mktemp("blocks") / "portal")
    link_environment(clone)
    return cache(partial(run_typed, folder=clone, answer=TYPED))


@tried("sh")
def test_shell_block_runs_as_typed(block: Block, shell: Callable[[str], subprocess.CompletedProcess[str]]) -> None:
    for command in command_lines(block.code):
        if command not in NOT_RUN:
            done = shell(command)
            assert done.returncode == 0, f"{block.id}: {command}\n{done.stdout}{done.stderr}"


@tried("root")
def test_a_block_for_root_is_one_that_a_shell_understands_and_its_files_are_there(block: Block) -> None:
    run_program("bash", "-n", input=block.code)
    for file in RELEASE_FILE.findall(block.code):
        assert (ROOT / file).exists(), file


@tried("html")
def test_a_template_compiles(block: Block) -> None:
    engines["pages"].from_string(block.code)


@pytest.fixture
def stage(backend: Backend, signed_in: SignedIn, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Return what the code of a page needs. The registry forgets the page's declarations after the test."""
    import_services()
    monkeypatch.setattr(REGISTRY, "queries", dict(REGISTRY.queries))
    monkeypatch.setattr(REGISTRY, "mutations", dict(REGISTRY.mutations))
    return Stage(backend=backend, signed_in=signed_in)


@pytest.mark.parametrize("page", sorted({block.page for block in BLOCKS if how_tried(block) == "python"}))
def test_python_blocks_of_a_page_run_in_order(page: str, stage: Stage) -> None:
    known: dict[str, Any] = BEFORE.get(page, lambda _: {})(stage)
    for block in BLOCKS:
        if block.page == page and how_tried(block) == "python":
            run_python(block, known)
    if page == "docs/reference/pages.md":
        views_of_your_own_work(stage, known)


def views_of_your_own_work(stage: Stage, declared: dict[str, Any]) -> None:
    """Try the functions and the class of "Pages of your own"."""
    backend, clients, request = stage.backend, "/energy/clients", a_request_that_writes(stage)
    backend.answers("PATCH", f"{clients}/cli_1", json={"id": "cli_1", "city": "Oslo"})
    response = declared["move_to_oslo"](request, "cli_1")
    assert (response.status_code, response["Location"]) == (303, f"/en{clients}/cli_1")
    assert backend.calls_to(f"{clients}/cli_1", method="PATCH")[0].body == {"city": "Oslo"}
    response = declared["new_client"](request)
    assert (response.status_code, response["Location"]) == (303, f"/en{clients}")
    backend.lists(clients, [{"id": "cli_1", "city": "Oslo"}])
    hook = declared["ClientQueries"].use_get_clients_query
    columns = {name: Column(name) for name in ("name", "email", "phone", "city", "created_at")}
    view = declared["OsloView"](hook=hook, columns=columns, template="energy/clients/list.html")
    page, _export = resource_pages("energy/clients", name="client", title="Oslo", list=view)
    request = stage.signed_in("ENERGY_APP").get(f"/en{clients}").wsgi_request
    assert row_ids(page.callback(request)) == ["cli_1"]
    assert backend.calls_to(clients)[-1].query["city"] == "Oslo"


def run_python(block: Block, known: dict[str, object]) -> None:
    """Run a block; what it defines is there for the next one. A traceback names the page and its line."""
    try:
        code = compile("\n" * block.line + block.code, block.page, "exec", dont_inherit=True)
    except SyntaxError:
        # The body of a view: `return` stands in a function alone.
        body = textwrap.indent(block.code, "    ")
        code = compile("\n" * (block.line - 1) + f"def view():\n{body}view()\n", block.page, "exec", dont_inherit=True)
    exec(code, known)


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if how_tried(block) in READERS], ids=lambda block: block.id
)
def test_data_is_read_by_what_reads_it(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    READERS[block.language](block.code, tmp_path, monkeypatch)


def test_the_example_of_an_env_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line, with the comment's mark taken away; what excludes another, or names a file, is left out."""
    lines = re.findall(r"^#?(\w+=.+)$", (ROOT / ".env.example").read_text(), flags=re.MULTILINE)
    left_out = ("APP_API_CA_FILE=", "APP_JWT_KEY=", "APP_OIDC_ACCESS_TOKENS=", "DEBUG=")
    read_env("\n".join(line for line in lines if not line.startswith(left_out)) + "\n", tmp_path, monkeypatch)
