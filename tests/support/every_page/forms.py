"""Every state of every form, and what is said after it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from portal.testing import page_of
from tests.support.every_page.acts import Act, answers, at, fails, journey, lists, refuses, send
from tests.support.every_page.cases import Case, Visit
from tests.support.every_page.rows import CLIENTS, HOSTILE_TEXT, ODD_VALUES, TYPED_TEXT, WORK_ORDERS, Row
from tests.support.offers import offered

KEY = {"submissionKey": "a-key-of-a-sent-form"}
HTMX_FORM = {"hx-request": "true", "hx-target": "content"}
HOSTILE_MESSAGES = {"name": ["<b>Taken</b>", '"><x-hostile>'], "title": ["<b>Taken</b>"], "unknown": [TYPED_TEXT]}


@dataclass(frozen=True, kw_only=True)
class Form:
    """A page with a form.

    :param call: method and path of the call that sends it to the backend.
    :param valid: fields that the app accepts.
    :param mistakes: fields that it does not accept.
    :param record: what the page reads before it shows the form.
    """

    app: str
    name: str
    path: str
    call: tuple[str, str]
    valid: Mapping[str, str]
    mistakes: tuple[Mapping[str, str], ...]
    record: Row = field(default_factory=dict)


_CLIENT_VALID = {"name": "Grace <b>Hopper</b>", "email": "grace@example.com", "phone": "", "city": 'O\'Fallon & "Co"'}
_CLIENT_MISTAKES = (
    {"name": "", "email": "", "phone": "", "city": ""},
    {"name": "x" * 201, "email": "no address", "phone": "call me", "city": "two\u2028lines"},
    {"name": TYPED_TEXT, "email": '"><script>alert(1)</script>', "phone": "' onfocus='", "city": "{{7*7}}{%x%}"},
)
FORMS = (
    Form(
        app="energy",
        name="edit client",
        path="/energy/clients/row_0/edit",
        call=("PATCH", "/energy/clients/row_0"),
        valid=_CLIENT_VALID,
        mistakes=_CLIENT_MISTAKES,
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
    ),
)
#: What the backend says to a form, the status of the page, and a text that the page shows.
REFUSALS = (
    ("field errors", {"errors": HOSTILE_MESSAGES}, 422, "<b>Taken</b>"),
    ("a detail", {"detail": "<b>Not</b> like this & 'that'."}, 422, "<b>Not</b> like this & 'that'."),
    ("nothing", {}, 422, ""),
    *((str(status), {"status": status}, 422, "") for status in (401, 404, 418)),
)


def form_cases() -> Iterator[Case]:
    """The forms, and the buttons that send one without fields."""
    for form in FORMS:
        case, outage, opens = partial(_case, form), fails("malformed", path=form.call[1]), at(form.path)

        def sends(fields: Mapping[str, str], path: str = form.path, **headers: str) -> Act:
            return send(path, {**fields, **KEY}, **headers)

        yield case("as it opens", opens)
        yield case("as it opens by htmx", at(form.path, **HTMX_FORM))
        for number, fields in enumerate(form.mistakes):
            shows = tuple(text for name, text in fields.items() if name != "priority" and len(text.splitlines()) == 1)
            headers = HTMX_FORM if number % 2 else {}
            yield case(f"mistakes {number}", sends(fields, **headers), status=422, shows=shows)
        typed = tuple(text for text in form.valid.values() if text not in {"", "high"})
        sent = sends(form.valid)
        for name, refusal, status, text in REFUSALS:
            shows = (text,) * bool(text) + typed * (status == 422)
            yield case(f"the backend: {name}", refuses(*form.call, **refusal), sent, status=status, shows=shows)
        yield case("outage", outage, sent, status=503, shows=typed)
        yield case("outage, htmx", outage, sends(form.valid, **HTMX_FORM), status=503, shows=typed)
        yield case("outage of all as it opens", fails("malformed"), opens, status=503 if form.record else 200)
        # The page after the form shows a message, once.
        made, after = {"id": "row_0", **form.valid}, form.path.rpartition("/")[0]
        shown = answers("GET", after, json=made if form.record else {"items": [made]})
        yield case("success", answers(*form.call, json=made, status=201), shown, sent, at(after), at(after))
    yield from _other_records()
    yield from _buttons()


def _case(form: Form, name: str, *acts: Act, status: int = 200, shows: tuple[str, ...] = ()) -> Case:
    record = [answers("GET", form.path.removesuffix("/edit"), json=form.record)] if form.record else []
    steps = journey(*record, *acts)
    return Case(site=form.app, name=f"{form.name}, {name}", steps=steps, status=status, shows=shows)


def _other_records() -> Iterator[Case]:
    """The form of a record that is not as it should be."""
    odd = {f"odd, {name}": dict.fromkeys(CLIENTS.row, value) for name, value in ODD_VALUES.items()}
    for name, record in {"bare": {}, "hostile": CLIENTS.with_texts(HOSTILE_TEXT), **odd}.items():
        told = answers("GET", "/energy/clients/row_0", json={"id": "row_0", **record})
        steps, shows = journey(told, at("/energy/clients/row_0/edit")), (HOSTILE_TEXT,) * (name == "hostile")
        yield Case(site="energy", name=f"edit client, {name}", steps=steps, shows=shows)


def _buttons() -> Iterator[Case]:
    """What is sent without fields, and what scripts ask a form for."""
    orders, order = "/operations/work-orders", "/operations/work-orders/row_0"
    rows = WORK_ORDERS.ordinary(3)
    done = answers("PATCH", order, json=rows[2])
    complete = journey(lists(orders, rows), done, send(f"{order}/complete"), at(order))
    stations = answers("GET", "/operations/stations", json=page_of([{"id": "row_0", "name": HOSTILE_TEXT}]))
    row = answers("GET", order, json={**WORK_ORDERS.row, "id": "row_0"})
    counts = answers("GET", f"{orders}/counts", json={"assignee": {HOSTILE_TEXT: 2}})
    choices = journey(stations, at(f"{orders}/new?choices=stationId&q=a", **HTMX_FORM))
    suggestions = journey(row, counts, at(f"{order}/assign"), at(f"{order}/assign?choices=assignee", **HTMX_FORM))
    calls = [f"operations.{name}" for name in ("get_work_orders_counts", "get_work_order", "update_work_order")]

    def without_people(visit: Visit) -> None:
        with offered(*calls):
            suggestions(visit)

    yield Case(site="operations", name="complete work order", steps=complete)
    hostile = [{**row, "title": HOSTILE_TEXT} for row in rows]
    for name, path in (("offered", f"{orders}/bulk?row=row_0&row=row_1"), ("boxes", f"{orders}?select=yes")):
        steps = journey(lists(orders, hostile), at(path))
        yield Case(site="operations", name=f"several work orders, {name}", steps=steps, shows=(HOSTILE_TEXT,))
    yield Case(site="operations", name="stations to choose from", steps=choices, shows=(HOSTILE_TEXT,))
    yield Case(site="operations", name="suggested assignees", steps=without_people, shows=(HOSTILE_TEXT,))
