"""Every state of every form, and what is said after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from portal.testing import page_of
from tests.support.every_page.cases import Case, Visit
from tests.support.every_page.rows import CLIENTS, HOSTILE_TEXT, ODD_VALUES, TYPED_TEXT, WORK_ORDERS, Row

KEY = {"submissionKey": "a-key-of-a-sent-form"}
HTMX_FORM = {"hx-request": "true", "hx-target": "content"}
HOSTILE_MESSAGES = {
    "name": ["<b>Taken</b>", '"><x-hostile>'],
    "title": ["<b>Taken</b>"],
    "unknown": [TYPED_TEXT],
}


@dataclass(frozen=True, kw_only=True)
class Form:
    """A page with a form.

    :param call: method and path of the call that sends it to the backend.
    :param valid: fields that the app accepts.
    :param mistakes: fields that it does not accept.
    :param after: the page after a success.
    :param record: what the page reads before it shows the form.
    :param not_found: the page's status if the backend says 404 to the call. By default the page says that the service
        does not offer it: the row is there, or the call is optional.
    """

    app: str
    name: str
    path: str
    call: tuple[str, str]
    valid: Mapping[str, str]
    mistakes: tuple[Mapping[str, str], ...]
    after: str
    record: Row = field(default_factory=dict)
    not_found: int = 422


_CLIENT_VALID = {"name": "Grace <b>Hopper</b>", "email": "grace@example.com", "phone": "", "city": 'O\'Fallon & "Co"'}
_CLIENT_MISTAKES = (
    {"name": "", "email": "", "phone": "", "city": ""},
    {"name": "x" * 201, "email": "no address", "phone": "call me", "city": "two\u2028lines"},
    {"name": TYPED_TEXT, "email": '"><script>alert(1)</script>', "phone": "' onfocus='", "city": "{{7*7}}{%x%}"},
)
FORMS = (
    Form(
        app="energy",
        name="new client",
        path="/energy/clients/new",
        call=("POST", "/energy/clients"),
        valid=_CLIENT_VALID,
        mistakes=_CLIENT_MISTAKES,
        after="/energy/clients",
        not_found=404,
    ),
    Form(
        app="energy",
        name="edit client",
        path="/energy/clients/row_0/edit",
        call=("PATCH", "/energy/clients/row_0"),
        valid=_CLIENT_VALID,
        mistakes=_CLIENT_MISTAKES,
        after="/energy/clients/row_0",
        record={"id": "row_0", **CLIENTS.row},
    ),
    Form(
        app="operations",
        name="new work order",
        path="/operations/work-orders/new",
        call=("POST", "/operations/work-orders"),
        valid={"title": "Replace <the> cable", "priority": "high", "stationId": "sta_1"},
        mistakes=(
            {"title": "", "priority": "", "stationId": ""},
            {"title": "x" * 201, "priority": "other", "stationId": "x" * 65},
            {"title": TYPED_TEXT, "priority": '"><x-hostile>', "stationId": "' onfocus='"},
            {"title": "Replace the cable", "priority": "urgent", "stationId": "two\nlines"},
        ),
        after="/operations/work-orders",
    ),
)
#: What the backend says to a form, the status of the page, and a text that the page shows.
REFUSALS = (
    ("field errors", {"errors": HOSTILE_MESSAGES}, 422, "<b>Taken</b>"),
    ("a detail", {"detail": "<b>Not</b> like this & 'that'."}, 422, "<b>Not</b> like this & 'that'."),
    ("nothing", {}, 422, ""),
    ("400", {"status": 400}, 422, ""),
    ("403", {"status": 403}, 422, ""),
    ("409", {"status": 409}, 422, ""),
    ("409 with a detail", {"status": 409, "detail": '<i>"Changed"</i>'}, 422, '<i>"Changed"</i>'),
    ("412", {"status": 412}, 422, ""),
    ("418", {"status": 418}, 502, ""),
)


def form_cases() -> Iterator[Case]:
    """The forms, and the buttons that send one without fields."""
    for form in FORMS:
        case = partial(_case, form)
        yield case("as it opens", steps=_opens())
        yield case("as it opens by htmx", steps=_opens(**HTMX_FORM))
        for number, fields in enumerate(form.mistakes):
            shows = tuple(text for name, text in fields.items() if name != "priority" and len(text.splitlines()) == 1)
            yield case(f"mistakes {number}", steps=_sends(fields), status=422, shows=shows)
            yield case(f"mistakes {number}, htmx", steps=_sends(fields, **HTMX_FORM), status=422, shows=shows)
        yield case("sent without a field", steps=_sends({}), status=422)
        typed = tuple(text for text in form.valid.values() if text not in {"", "high"})
        for name, refusal, status, text in (*REFUSALS, ("404", {"status": 404}, form.not_found, "")):
            refuses = partial(_refuses, form, refusal)
            shows = (text,) * bool(text) + typed * (status == 422)
            yield case(f"the backend: {name}", before=refuses, steps=_sends(form.valid), status=status, shows=shows)
        outage = partial(_outage, form.call[1])
        yield case("outage", before=outage, steps=_sends(form.valid), status=503, shows=typed)
        yield case("outage, htmx", before=outage, steps=_sends(form.valid, **HTMX_FORM), status=503, shows=typed)
        all_fail = partial(_outage, None)
        yield case("outage of all as it opens", before=all_fail, steps=_opens(), status=503 if form.record else 200)
        yield case("outage of all as it is sent", before=all_fail, steps=_sends(form.valid), status=503, shows=typed)
        yield case("success", steps=_succeeds)
    yield from _other_records()
    yield Case(site="energy", name="delete client", steps=_delete)
    yield Case(site="operations", name="complete work order", steps=_complete)
    hostile = (HOSTILE_TEXT,)
    yield Case(site="operations", name="stations to choose from", steps=_row_choices, shows=hostile)
    yield Case(site="operations", name="suggested assignees", steps=_suggestions, shows=hostile)


def _case(
    form: Form,
    name: str,
    *,
    steps: Callable[[Form, Visit], object],
    before: Callable[[Visit], object] = lambda _: None,
    status: int = 200,
    shows: tuple[str, ...] = (),
) -> Case:
    def run(visit: Visit) -> None:
        if form.record:
            visit.backend.answers("GET", form.path.removesuffix("/edit"), json=form.record)
        before(visit)
        steps(form, visit)

    return Case(site=form.app, name=f"{form.name}, {name}", steps=run, status=status, shows=shows)


def _opens(**headers: str) -> Callable[[Form, Visit], object]:
    return lambda form, visit: visit.user().at(form.path, **headers)


def _sends(fields: Mapping[str, str], **headers: str) -> Callable[[Form, Visit], object]:
    return lambda form, visit: visit.user().send(form.path, {**fields, **KEY}, **headers)


def _refuses(form: Form, refusal: Row, visit: Visit) -> None:
    visit.backend.refuses(*form.call, **refusal)


def _outage(path: str | None, visit: Visit) -> None:
    visit.backend.fails("malformed", path=path)


def _succeeds(form: Form, visit: Visit) -> None:
    """The page after the form shows a message, once."""
    made = {"id": "row_0", **form.valid}
    visit.backend.answers(*form.call, json=made, status=201)
    visit.backend.answers("GET", form.after, json=made if form.record else {"items": [made]})
    browser = visit.user()
    browser.send(form.path, {**form.valid, **KEY})
    browser.at(form.after)
    browser.at(form.after)


def _other_records() -> Iterator[Case]:
    """The form of a record that is not as it should be."""
    records = {
        "bare": {},
        "hostile": CLIENTS.with_texts(HOSTILE_TEXT),
        **{f"odd, {name}": dict.fromkeys(CLIENTS.row, value) for name, value in ODD_VALUES.items()},
    }
    for name, record in records.items():
        shows = (HOSTILE_TEXT,) if name == "hostile" else ()
        yield Case(site="energy", name=f"edit client, {name}", steps=partial(_edit, record), shows=shows)


def _edit(record: Row, visit: Visit) -> None:
    visit.backend.answers("GET", "/energy/clients/row_0", json={"id": "row_0", **record})
    visit.user().at("/energy/clients/row_0/edit")


def _delete(visit: Visit) -> None:
    visit.backend.lists("/energy/clients", CLIENTS.ordinary(2))
    visit.backend.answers("DELETE", "/energy/clients/row_0", status=204)
    browser = visit.user()
    browser.send("/energy/clients/row_0/delete")
    browser.at("/energy/clients")


def _complete(visit: Visit) -> None:
    visit.backend.lists("/operations/work-orders", WORK_ORDERS.ordinary(3))
    visit.backend.answers("PATCH", "/operations/work-orders/row_0", json=WORK_ORDERS.ordinary(3)[2])
    browser = visit.user()
    browser.send("/operations/work-orders/row_0/complete")
    browser.at("/operations/work-orders/row_0")


def _row_choices(visit: Visit) -> None:
    visit.backend.answers("GET", "/operations/stations", json=page_of([{"id": "row_0", "name": HOSTILE_TEXT}]))
    visit.user().at("/operations/work-orders/new?choices=stationId&q=a", **HTMX_FORM)


def _suggestions(visit: Visit) -> None:
    visit.backend.answers("GET", "/operations/work-orders/row_0", json={**WORK_ORDERS.row, "id": "row_0"})
    visit.backend.answers("GET", "/operations/work-orders/counts", json={"assignee": {HOSTILE_TEXT: 2}})
    visit.user().at("/operations/work-orders/row_0/assign?choices=assignee", **HTMX_FORM)
