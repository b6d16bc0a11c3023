"""What can be told of a module of an app."""

from __future__ import annotations

import ast

import pytest

from portal_dev.source_checks.python_code import Names, declared_texts, python_faults
from tests.portal_dev.source_checks.conftest import ROUTES

NAMES = Names(
    routes=ROUTES,
    templates=["finance/payments.html"],
    is_template=lambda name: name.startswith("finance/payments.html"),
    icons={"plus"},
    creates={"use_create_payment_mutation"},
    permissions={"FINANCE_APP", "FINANCE_APPROVE"},
)
FAULTS = {
    'redirect("https://energy.example.com/en")': ("E007", "https://energy.example.com/en"),
    'HOME = "https://" + host': ("E007", "https://"),
    'HOME = "https://%s/en" % host': ("E007", "https://%s/en"),
    'FEED = "wss://energy.example.com/feed"': ("E007", "wss://energy.example.com/feed"),
    'CharField(label="Name")  # untranslated:': ("E005", "'Name'"),
    'CharField(label="Name of " + what)': ("E005", "'Name of '"),
    'CharField(label="Name of {}".format(what))': ("E005", "'Name of {}'"),
    'ChoiceField(choices=[("a", "First")])': ("E005", "'First'"),
    'show = lambda request: messages.success(request, "It was saved.")': ("E005", "'It was saved.'"),
    'messages.add_message(request, 20, "It was saved.")': ("E005", "'It was saved.'"),
    'ValidationError({"name": "No."})': ("E005", "'No.'"),
    'ListPageConfig(title="Payments")': ("E005", "'Payments'"),
    'form_page(request, submit_label=f"Save {name}")': ("E005", "'Save …'"),
    'CharField(error_messages={"required": "Say it."})': ("E005", "'Say it.'"),
    'ListPageConfig(sorts=AGE_SORTS | {"a": "Newest"})': ("E005", "'Newest'"),
    'Badge(label="Paid" if paid else _("Open"))': ("E005", "'Paid'"),
    'messages.success(request, "It was saved.")': ("E005", "'It was saved.'"),
    'class Meta:\n    fields = {"name": "Name"}': ("E005", "'Name'"),
    'class Meta:\n    choices = {"kind": {"a": "First"}}': ("E005", "'First'"),
    'DeleteView(text="It is gone.", message=_("x"))': ("E005", "'It is gone.'"),
    'Count(label=_("x"), route="payments", icon="pluss")': ("E008", "there is no icon 'pluss'"),
    'ValidationError("No.")': ("E005", "'No.'"),
    'render(request, "finance/payment.html", context)': ("E008", "there is no template 'finance/payment.html'"),
    'see_other("payment")': ("E008", "needs 1 value(s), not 0"),
    'reverse("payment")': ("E008", "needs 1 value(s), not 0"),
    'see_other("paymentz")': ("E008", "there is no URL with the name 'paymentz'"),
    'platform_page("x", view, name="x", part_of="paymentz")': ("E008", "there is no URL"),
    "PaymentMutations.use_create_payment_mutation(request)": ("E009", "has no idempotency_key"),
    'Column("Amount")': ("E005", "'Amount'"),
    'Column(_("State"), words={"paid": "Paid"})': ("E005", "'Paid'"),
    'Filter("city", "City")': ("E005", "'City'"),
    'DateRange("createdAt", "Created")': ("E005", "'Created'"),
    'Figure(counted="Payments")': ("E005", "'Payments'"),
    'compared_tile("Payments", count)': ("E005", "'Payments'"),
    'HttpResponse("Saved.")': ("E005", "'Saved.'"),
    'HttpResponseNotFound(content="Gone.")': ("E005", "'Gone.'"),
    'HttpResponse(f"<p>{name}</p>", content_type="text/html; charset=utf-8")': ("E005", "'<p>…</p>'"),
    'logger.info(request.COOKIES["VAR_ACCESS_TOKEN"])': ("E013", "VAR_ACCESS_TOKEN holds a token"),
    "request.COOKIES.get(VAR_REFRESH_TOKEN)": ("E013", "VAR_REFRESH_TOKEN holds a token"),
    "request.COOKIES[cookies.VAR_ACCESS_TOKEN]": ("E013", "VAR_ACCESS_TOKEN holds a token"),
    'NAME = "VAR_ACCESS_TOKEN"': ("E013", "VAR_ACCESS_TOKEN holds a token"),
    'response.set_cookie("VAR_ACCESS_TOKEN", "x")': ("E014", "VAR_ACCESS_TOKEN is set here"),
    "response.delete_cookie(VAR_THEME)": ("E014", "VAR_THEME is set here"),
    'response.set_cookie(value="x", key=SIGN_IN_NAME)': ("E014", "sign_in_name is set here"),
    'response.cookies["VAR_PERMITTED_PLATFORMS"] = "ENERGY"': ("E014", "VAR_PERMITTED_PLATFORMS is set here"),
    "time.sleep(1)": ("E016", "time.sleep holds a thread"),
    'platform_page("x", view, name="x", permission="FINANCE_AP")': (
        "E017",
        "no platform has the permission 'FINANCE_AP'",
    ),
    'can = "FINANCE_AP" in profile.permissions': ("E017", "no platform has the permission 'FINANCE_AP'"),
    'redirect("/en/finance/paymnets")': ("E018", "there is no page '/en/finance/paymnets'"),
    'HttpResponseRedirect("/finance/paymnets?sort=name")': ("E018", "there is no page '/finance/paymnets'"),
    'see_other("/en/finance/payments/7")': ("E018", "the page 'payment' is written out: its language is always en"),
    'redirect("/finance/payments#top")': ("E018", "the page 'payments' is written out: it has no language"),
}
FINE = [
    '"""See https://docs.example.com."""',
    'x.startswith("https://")',
    'TERMS = "https://example.com/terms"  # fixed address: the law',
    'SVG = "http://www.w3.org/2000/svg"',
    'CharField(label=_("Name"), help_text=gettext_lazy("x"))',
    'Point(label=f"{hour:02d}", text=f"{power} kW")',
    'class Meta:\n    fields = {"name": _("Name")}\n    optional = ("name",)',
    'Count(label=_("x"), route="payments", icon="plus")',
    'Count(label=_("x"), route="payments")',
    'Payment.partial(title="A text"); PaymentQueries.use_get_payments_query(request, title="A text")',
    'CharField(label="%s: %d" % pair); CharField(label="{name}".format(name=name))',
    'ChoiceField(choices=[("a", _("First"))]); Page(fields=("name", "title"))',
    'from elsewhere import success\nsuccess(request, "text")',
    "\N{BYTE ORDER MARK}x = 1",
    'Badge(label="CCS")  # untranslated: a product',
    'messages.success(request, _("%(name)s was created.") % {"name": name})',
    'render(request, "finance/payments.html#table")',
    'see_other("payments"); see_other("payment", pk); see_other(f"/{x}"); see_other(result)',
    'reverse("payment", args=[pk]); reverse("payments"); reverse("payment", kwargs=values); reverse("payment", args=ids)',
    "PaymentMutations.use_create_payment_mutation(request, idempotency_key=submission_key(request))",
    "PaymentMutations.use_create_payment_mutation(request, **options)",
    "PaymentMutations.use_update_payment_mutation(request)",
    'HttpResponse("ok", content_type="text/plain"); HttpResponse(""); HttpResponse(page); HttpResponse(_("Saved."))',
    'Column(_("Amount"), kind="wide", value=lambda row: "x"); bar_chart(points, unit="kWh")',
    'request.COOKIES["VAR_THEME"]; response.set_cookie("finance_columns", "VAR"); """VAR_ACCESS_TOKEN holds it."""',
    "from apps.finance.pauses import sleep\nsleep(1)",
    'AccountQueries.use_get_accounts_query(request, permission="x"); resource_pages(permission=ADMIN)',
    'redirect("/"); redirect("/en"); redirect("/locale"); redirect("/static/x.css"); redirect(f"/en/{name}")',
    'redirect("/en/finance/terms.pdf")  # fixed address: the law',
]


@pytest.mark.parametrize(("source", "words"), FAULTS.items())
def test_a_fault_is_named_with_its_line(write, source: str, words: tuple[str, str]) -> None:
    (fault,) = python_faults(write("view.py", f"\n{source}"), names=NAMES)
    assert (fault.line, fault.id) == (2 + source.startswith("class "), words[0])
    assert words[1] in fault.message
    assert fault.hint


@pytest.mark.parametrize("source", FINE)
def test_right_code_is_left_alone(write, source: str) -> None:
    assert list(python_faults(write("view.py", source), names=NAMES)) == []


@pytest.mark.parametrize(
    ("imports", "call", "words"),
    [
        ("from django.contrib import messages as m", 'm.success(request, "Saved.")', "'Saved.'"),
        ("import django.contrib.messages as m", 'm.error(request, "Lost.")', "'Lost.'"),
        ("from django.contrib.messages import success", 'success(request, "Saved.")', "'Saved.'"),
        ("from django.contrib.messages import add_message as tell", 'tell(request, 20, "Saved.")', "'Saved.'"),
        ("from django.core.exceptions import ValidationError as Wrong", 'raise Wrong("No.")', "'No.'"),
        ("from django import forms as f", 'raise f.ValidationError("No.")', "'No.'"),
        ("from time import sleep", "sleep(1)", "time.sleep holds a thread"),
        ("import time as t", "t.sleep(1)", "time.sleep holds a thread"),
        ("from portal_pages import Column as C", 'C("Amount")', "'Amount'"),
        ("from portal.config.cookies import VAR_ACCESS_TOKEN as T", "request.COOKIES[T]", "holds a token"),
        ("from django.urls import reverse as url", 'url("paymentz")', "there is no URL with the name 'paymentz'"),
    ],
)
def test_what_is_imported_under_another_name_is_known(write, imports: str, call: str, words: str) -> None:
    (fault,) = python_faults(write("view.py", f"{imports}\n{call}"), names=NAMES)
    assert fault.line == 2
    assert words in fault.message


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('redirect("/en/finance/paymnets")', "did you mean '/finance/payments'? write redirect('payments')"),
        ('HttpResponseRedirect("/en/finance/paymnets/7")', "write redirect('payment', …)"),
        ('see_other("/en/finance/payments/7")', "write see_other('payment', …)"),
        ('resource_pages(permission="FINANCE_AP")', "did you mean 'FINANCE_APP'?"),
        ('RowAction(permission="FINANCE_AP")', "did you mean 'FINANCE_APP'?"),
        ('resource_pages(permission="OTHER")', 'APPROVE: Final = "OTHER"'),
        ("time.sleep(1)", "live_part"),
    ],
)
def test_the_hint_has_the_near_name_or_the_line_to_write(write, source: str, words: str) -> None:
    (fault,) = python_faults(write("view.py", source), names=NAMES)
    assert words in fault.hint


def test_the_constants_of_a_module_that_are_texts_are_the_permissions_that_it_declares() -> None:
    module = ast.parse('ADMIN: Final = "IAM_ADMIN"\nA = B = "X"\nlower = "y"\nN = 1\nT: str\ndef f():\n    C = "z"')
    assert declared_texts(module) == {"IAM_ADMIN", "X"}
