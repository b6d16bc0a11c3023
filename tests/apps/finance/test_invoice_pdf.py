"""An invoice as a PDF: what it says, in each language, whatever the backend sends."""

import sys
from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from pypdf import PdfReader

from apps.finance.invoice_pdf import invoice_pdf, making, plain
from portal.services.finance.invoices import InvoiceDetail, InvoiceLine, InvoiceStatus, Seller
from portal.testing import Backend, SignedIn
from tests.support.forks import held_by_another_thread
from tests.support.harness import ROOT, run_program

INVOICES, PAGE = "/finance/invoices", "/en/finance/invoices/inv_1/pdf"
INVOICE = {
    "id": "inv_1",
    "number": "INV-2026-0007",
    "clientName": "Şükran Çağlayan-Öztürk & Söhne ıİ",
    "amount": "23.70",
    "netAmount": "1.11",
    "vatAmount": "2.22",
    "currency": "EUR",
    "status": "overdue",
    "issuedAt": "2026-02-01T00:00:00Z",
    "dueAt": "2026-03-01T00:00:00Z",
    "lines": [{"description": "DC", "quantity": 30.5, "unitPrice": "0.79", "vatRate": "19", "amount": "23.70"}],
}


@pytest.fixture
def finance_user(signed_in: SignedIn, backend: Backend) -> Client:
    backend.lists(INVOICES, [INVOICE])
    return signed_in("FINANCE_APP")


def text_of(pdf: bytes) -> str:
    """The text of a PDF, by the fonts that are in it, as a reader would copy it; a dash is any dash."""
    pages = PdfReader(BytesIO(pdf)).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())


def pdf_of(*lines: InvoiceLine, status: str = "", invoice_status: Any = None, **fields: Any) -> bytes:
    given: dict[str, Any] = {
        "status": invoice_status,
        "number": "INV-1",
        "client_name": "Ada",
        "amount": Decimal(5),
        "currency": "EUR",
        "lines": lines,
        **fields,
    }
    return invoice_pdf(InvoiceDetail(id="inv_1", **given), status=status)


def pages_in(pdf: bytes) -> int:
    return len(PdfReader(BytesIO(pdf)).pages)


def test_the_browser_shows_it_under_its_number_and_no_cache_keeps_it(finance_user: Client) -> None:
    response = finance_user.get(PAGE)
    assert (response.status_code, pages_in(response.content)) == (200, 1)
    headers = {
        "Content-Type": "application/pdf",
        "Content-Disposition": 'inline; filename="INV-2026-0007.pdf"',
        "Cache-Control": "private, no-store",
    }
    assert {name: response[name] for name in headers} == headers
    page = finance_user.get("/de/finance/invoices/inv_1").content.decode()
    assert 'href="/de/finance/invoices/inv_1/pdf"' in page, "each language leads to its own"


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        (
            "en",
            "Invoice INV-2026-0007|Overdue|Feb 1, 2026|30.5|€0.79|19%|Net €1.11 VAT €2.22 Total €23.70|Page 1 of 1",
        ),
        ("de", "Rechnung INV-2026-0007|Überfällig|01.02.2026|30,5|0,79 €|19 %|1,11 €|Seite 1 von 1"),
        ("tr", "Fatura INV-2026-0007|1 Şub 2026|30,5|%19|€1,11|Sayfa 1 / 1"),
    ],
)
def test_pdf_speaks_the_language_of_its_address(finance_user: Client, locale: str, words: str) -> None:
    content = finance_user.get(f"/{locale}/finance/invoices/inv_1/pdf").content
    text, reader = text_of(content), PdfReader(BytesIO(content))
    assert [word for word in (*words.split("|"), INVOICE["clientName"]) if word not in text] == [], text
    assert reader.metadata is not None
    assert reader.metadata.title == words.partition("|")[0]
    assert reader.root_object["/Lang"] == locale
    assert reader.root_object["/ViewerPreferences"]["/DisplayDocTitle"]


@pytest.mark.parametrize("number", ['a"b\r\nSet-Cookie: x=1', "../../etc/passwd", "ß/ş", "", "." * 300, "x" * 5000])
def test_no_number_leaves_its_header(backend: Backend, finance_user: Client, number: str) -> None:
    backend.lists(INVOICES, [INVOICE | {"number": number}])
    response = finance_user.get(PAGE)
    assert response.status_code == 200
    disposition = response["Content-Disposition"]
    assert disposition.startswith("inline; filename")
    assert disposition.count('"') in {0, 2}
    assert ("/" in disposition, len(disposition) < 400) == (False, True)


@pytest.mark.usefixtures("project")
def test_a_page_more_is_begun_where_lines_need_it() -> None:
    line = InvoiceLine(description="A charging session " * 4, quantity=1.0, amount=Decimal(1))
    assert pages_in(pdf_of(*[line] * 4)) == 1
    assert pages_in(pdf_of(*[line] * 120)) > 3


@pytest.mark.usefixtures("project")
def test_lines_beyond_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.finance.invoice_pdf.MAX_LINES", 2)
    text = text_of(pdf_of(*(InvoiceLine(description=f"Line {number}") for number in range(5))))
    assert ("Line 1" in text, "Line 2" in text, "and 3 more lines" in text) == (True, False, True)


@pytest.mark.usefixtures("project")
def test_what_the_backend_sends_is_a_text_and_bounded() -> None:
    markup = "<b>bold</b><img src='file:///etc/passwd'/>&amp;<para>"
    hostile = (markup, "a\x00b\x1b[31m\u202egpj.exe\u2066", "x" * 100_000, "\U0001f600 漢字 العربية", "")
    lines = [InvoiceLine(description=text, quantity=float(10**30), unit_price=Decimal("1e25")) for text in hostile]
    odd = InvoiceLine(vat_rate=Decimal("NaN"), amount=Decimal("Infinity"), quantity=float("nan"))
    huge = InvoiceLine(vat_rate=Decimal("1" * 5000), amount=Decimal("1" * 5000))
    pdf = pdf_of(*lines, odd, huge, currency="<b>", status=f"<i>x{'y' * 5000}")
    assert (pages_in(pdf) <= 2, len(pdf) < 200_000) == (True, True)
    text = text_of(pdf)
    assert hostile[0] in text.replace(" ", "") or "<b>bold</b>" in text
    assert "<i>x" in text
    # A text is one line without control characters.
    assert plain("a\x00b\n c\u202ed") == "a b c d"
    assert len(plain("x" * 5000)) == 300


SELLER = Seller(name="Nordlicht", address="Weg 1\nBerlin", vat_id="DE1", iban="DE89370400440532013000", bic="COBA")


@pytest.mark.usefixtures("project")
def test_it_has_what_an_invoice_needs_that_is_sent() -> None:
    given: dict[str, Any] = {"seller": SELLER, "client_address": "Długa 1\nŁódź", "client_vat_id": "PL2"}
    text = text_of(pdf_of(**given, due_at=datetime(2026, 3, 1, tzinfo=UTC)))
    for words in (
        "Nordlicht Weg 1 Berlin VAT ID DE1 Ada Długa 1 Łódź VAT ID PL2 Invoice INV-1",
        "Pay until Mar 1, 2026 Account holder Nordlicht IBAN DE89 3704 0044 0532 0130 00 BIC COBA",
        "Payment reference INV-1",
    ):
        assert words in text, text


@pytest.mark.usefixtures("project")
def test_nobody_is_asked_to_pay_what_is_paid_or_where_no_account_is_known() -> None:
    paid = text_of(pdf_of(seller=SELLER, invoice_status=InvoiceStatus.PAID))
    bare = text_of(pdf_of(seller=Seller(name="Nordlicht")))
    assert ("IBAN" in paid, "Pay until" in bare, "VAT ID" in bare, "Nordlicht" in bare) == (False, False, False, True)
    many = pdf_of(seller=Seller(address="line\n" * 5000), client_address="<b>\n" * 5000)
    assert pages_in(many) == 1


def test_where_another_one_is_made_for_long_a_page_says_what_to_do(finance_user: Client) -> None:
    address = PAGE.replace("/en/", "/de/")
    with held_by_another_thread(making):
        refused = finance_user.get(address)
    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    for text in ("Gerade werden zu viele PDFs erstellt", f'href="{address}"', 'href="/de/finance/invoices"'):
        assert text in refused.content.decode()
    assert finance_user.get(address).status_code == 200


def test_who_may_not_see_invoices_gets_none(signed_in: SignedIn, backend: Backend) -> None:
    assert signed_in("ENERGY_APP").get(PAGE).status_code == 302
    assert [call.path for call in backend.calls if call.path.startswith("/finance")] == []


def test_no_other_page_loads_the_library_and_without_it_the_app_ends_with_the_line_that_names_its_extra() -> None:
    def run(before: str, after: str = "") -> tuple[int, str, str]:
        imports = "from portal_server.startup import import_project; import_project(settings='apps.finance.settings')"
        environment = {"PYTHONPATH": f"{ROOT}/packages:{ROOT}", "DEBUG": "on"}
        code = f"import sys\n{before}\n{imports}\n{after}"
        done = run_program(sys.executable, "-c", code, status=None, env=environment)
        return done.returncode, done.stdout, done.stderr

    assert run("", "sys.exit('reportlab' in sys.modules)")[0] == 0
    told = "finance: invoices as a PDF need the packages of the extra `finance`: pip install 'portal-apps[finance]'\n"
    assert run("sys.modules['reportlab'] = None") == (1, "", told)
