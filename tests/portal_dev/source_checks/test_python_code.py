"""Mistakes in a module of an app."""

import pytest

from portal_dev.source_checks.python_code import python_faults
from tests.portal_dev.source_checks.conftest import NAMES

FAULTS = {
    'CharField(label="Name")  # untranslated:': ("E005", "'Name'"),
    'CharField(label="Name of {}".format(what))': ("E005", "'Name of {}'"),
    'ChoiceField(choices=[("a", "First")])': ("E005", "'First'"),
    'messages.add_message(request, 20, "It was saved.")': ("E005", "'It was saved.'"),
    'ValidationError({"name": "No."})': ("E005", "'No.'"),
    'CharField(error_messages={"required": "Say it."})': ("E005", "'Say it.'"),
    'ListPageConfig(sorts=AGE_SORTS | {"a": "Newest"})': ("E005", "'Newest'"),
    'Badge(label="Paid" if paid else _("Open"))': ("E005", "'Paid'"),
    'class Meta:\n    fields = {"name": "Name"}': ("E005", "'Name'"),
    'class Meta:\n    choices = {"kind": {"a": "First"}}': ("E005", "'First'"),
    'Count(label=_("x"), route="payments", icon="pluss")': ("E002", "there is no icon 'pluss'"),
    'render(request, "finance/payment.html", context)': ("E002", "there is no template 'finance/payment.html'"),
    'see_other("paymentz")': ("E002", "there is no URL with the name 'paymentz'"),
    'platform_page("x", view, name="x", part_of="paymentz")': ("E002", "there is no URL"),
    "PaymentMutations.use_create_payment_mutation(request)": ("E009", "has no idempotency_key"),
    'Figure(counted="Payments" + what)': ("E005", "'Payments'"),
    'Column(_("State"), words={"paid": "Paid"})': ("E005", "'Paid'"),
    'HttpResponseNotFound(content="Gone.")': ("E005", "'Gone.'"),
    'HttpResponse(f"<p>{name}</p>", content_type="text/html; charset=utf-8")': ("E005", "'<p>…</p>'"),
    'logger.info(request.COOKIES["VAR_ACCESS_TOKEN"])': ("E013", "VAR_ACCESS_TOKEN holds a token"),
    "request.COOKIES.get(VAR_REFRESH_TOKEN)": ("E013", "VAR_REFRESH_TOKEN holds a token"),
    "request.COOKIES[cookies.VAR_ACCESS_TOKEN]": ("E013", "VAR_ACCESS_TOKEN holds a token"),
    "get_mutations().use_create_payment_mutation(request)": ("E009", "has no idempotency_key"),
}
FINE = [
    'CharField(label=_("Name"), help_text=gettext_lazy("x"))',
    'Point(label=f"{hour:02d}", text=f"{power} kW")',
    'class Meta:\n    fields = {"name": _("Name")}\n    optional = ("name",)\n    tones = {"a": "high"}',
    'Count(label=_("x"), route="payments", icon="plus")',
    'Payment.partial(title="A text"); PaymentQueries.use_get_payments_query(request, title="A text")',
    'CharField(label="%s: %d" % pair); CharField(label="{name}".format(name=name))',
    'ChoiceField(choices=[("a", _("First"))]); Page(fields=("name", "title"))',
    "\N{BYTE ORDER MARK}x = 1",
    'Badge(label="CCS")  # untranslated: a product',
    'messages.success(request, _("%(name)s was created.") % {"name": name})',
    'render(request, "finance/payments.html#table")',
    'see_other("payments"); see_other("payment", pk); see_other(f"/{x}"); see_other(result)',
    "PaymentMutations.use_create_payment_mutation(request, idempotency_key=submission_key(request))",
    "PaymentMutations.use_create_payment_mutation(request, **options)",
    "PaymentMutations.use_update_payment_mutation(request)",
    'HttpResponse("ok", content_type="text/plain"); HttpResponse(""); HttpResponse(page); HttpResponse(_("Saved."))',
    'Column(_("Amount"), kind="wide", value=lambda row: "x"); bar_chart(points, unit="kWh")',
    'request.COOKIES["VAR_THEME"]; response.set_cookie("finance_columns", "VAR"); """VAR_ACCESS_TOKEN holds it."""',
]


@pytest.mark.parametrize(("source", "words"), FAULTS.items())
def test_fault_is_reported_with_its_line(write, source: str, words: tuple[str, str]) -> None:
    (fault,) = python_faults(write("view.py", f"\n{source}"), names=NAMES)
    assert (fault.line, fault.id) == (2 + source.count("\n"), words[0])
    assert words[1] in fault.message
    assert fault.hint


@pytest.mark.parametrize("source", FINE)
def test_right_code_has_no_fault(write, source: str) -> None:
    assert list(python_faults(write("view.py", source), names=NAMES)) == []


def test_service_is_searched_for_tokens_alone(write) -> None:
    path = write("orders.py", 'Badge(label="Paid")\nlogger.info(VAR_ACCESS_TOKEN)')
    assert [(fault.line, fault.id) for fault in python_faults(path)] == [(2, "E013")]
