"""An invoice as a PDF: what it says, in each language, whatever the backend sends."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import translation
from pypdf import PdfReader

from apps.finance.invoice_pdf import MAX_LINES, TooManyPdfsError, invoice_pdf, making, plain
from portal.services.finance.invoices import Invoice, InvoiceLine
from portal.testing import Backend, SignedIn
from tests.support.forks import held_by_another_thread

INVOICES = "/finance/invoices"
INVOICE = {
    "id": "inv_1",
    "number": "INV-2026-0007",
    "clientName": "Şükran Çağlayan-Öztürk & Söhne ıİ",
    "amount": "23.70",
    "netAmount": "19.92",
    "vatAmount": "3.78",
    "currency": "EUR",
    "status": "overdue",
    "issuedAt": "2026-02-01T00:00:00Z",
    "dueAt": "2026-03-01T00:00:00Z",
    "lines": [{"description": "DC", "quantity": 30.5, "unitPrice": "0.79", "vatRate": "19", "amount": "23.70"}],
}


@pytest.fixture
def finance_user(signed_in: SignedIn) -> Client:
    return signed_in("FINANCE_APP")


def text_of(pdf: bytes) -> str:
    """The text of a PDF, by the fonts that are in it, as a reader would copy it; a dash is any dash."""
    pages = PdfReader(BytesIO(pdf)).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())


def an_invoice(*lines: InvoiceLine, **fields: object) -> Invoice:
    given = {"number": "INV-1", "client_name": "Ada", "amount": Decimal(5), "currency": "EUR", "lines": lines, **fields}
    return Invoice(id="inv_1", **given)


def pages_in(pdf: bytes) -> int:
    return len(PdfReader(BytesIO(pdf)).pages)


def test_the_browser_shows_it_under_its_number_and_no_cache_keeps_it(backend: Backend, finance_user: Client) -> None:
    backend.lists(INVOICES, [INVOICE])
    response = finance_user.get("/en/finance/invoices/inv_1/pdf")
    assert response.status_code == 200
    assert response["Content-Type"] == "application/pdf"
    assert response["Content-Disposition"] == 'inline; filename="INV-2026-0007.pdf"'
    assert response["Cache-Control"] == "private, no-store"
    assert response.content.startswith(b"%PDF-")
    assert pages_in(response.content) == 1
    page = finance_user.get("/de/finance/invoices/inv_1").content.decode()
    assert 'href="/de/finance/invoices/inv_1/pdf"' in page, "each language leads to its own"


WORDS = {
    "en": "Invoice INV-2026-0007|Overdue|Feb 1, 2026|30.5|€0.79|19%|€19.92|Page 1 of 1",
    "de": "Rechnung INV-2026-0007|Überfällig|01.02.2026|30,5|0,79 €|19 %|19,92 €|Seite 1 von 1",
    "tr": "Fatura INV-2026-0007|1 Şub 2026|30,5|%19|€19,92|Sayfa 1 / 1",
}


@pytest.mark.parametrize("locale", WORDS)
def test_it_speaks_the_language_of_its_address(backend: Backend, finance_user: Client, locale: str) -> None:
    backend.lists(INVOICES, [INVOICE])
    text = text_of(finance_user.get(f"/{locale}/finance/invoices/inv_1/pdf").content)
    assert [word for word in (*WORDS[locale].split("|"), INVOICE["clientName"]) if word not in text] == [], text


@pytest.mark.parametrize("number", ['a"b\r\nSet-Cookie: x=1', "../../etc/passwd", "ß/ş", "", "." * 300, "x" * 5000])
def test_no_number_leaves_its_header(backend: Backend, finance_user: Client, number: str) -> None:
    backend.lists(INVOICES, [INVOICE | {"number": number}])
    response = finance_user.get("/en/finance/invoices/inv_1/pdf")
    assert response.status_code == 200
    disposition = response["Content-Disposition"]
    assert disposition.startswith("inline; filename")
    assert disposition.count('"') in {0, 2}
    assert "/" not in disposition
    assert len(disposition) < 400


@pytest.mark.usefixtures("project")
def test_it_names_its_title_and_its_language_for_screen_readers() -> None:
    with translation.override("de"):
        reader = PdfReader(BytesIO(invoice_pdf(an_invoice(), status="Bezahlt")))
    assert reader.metadata is not None
    assert reader.metadata.title == "Rechnung INV-1"
    assert reader.root_object["/Lang"] == "de"
    assert reader.root_object["/ViewerPreferences"]["/DisplayDocTitle"]


@pytest.mark.usefixtures("project")
def test_a_page_more_is_begun_where_lines_need_it() -> None:
    line = InvoiceLine(description="A charging session " * 4, quantity=1.0, amount=Decimal(1))
    assert pages_in(invoice_pdf(an_invoice(*[line] * 4), status="")) == 1
    many = invoice_pdf(an_invoice(*[line] * 120), status="")
    assert pages_in(many) > 3


@pytest.mark.usefixtures("project")
def test_what_the_backend_sends_is_a_text_and_bounded() -> None:
    hostile = (
        "<b>bold</b><img src='file:///etc/passwd'/>&amp;<para>",
        "a\x00b\x1b[31m\u202egpj.exe\u2066",
        "x" * 100_000,
        "\U0001f600 漢字 العربية",
        "",
    )
    lines = [InvoiceLine(description=text, quantity=float(10**30), unit_price=Decimal("1e25")) for text in hostile]
    odd = [InvoiceLine(vat_rate=Decimal("NaN"), amount=Decimal("Infinity"), quantity=float("nan"))]
    pdf = invoice_pdf(an_invoice(*lines, *odd, currency="<b>"), status="<i>x")
    assert pages_in(pdf) <= 2
    assert len(pdf) < 200_000
    text = text_of(pdf)
    assert "<b>bold</b><img src='file:///etc/passwd'/>&amp;<para>" in text.replace(" ", "") or "<b>bold</b>" in text
    assert "<i>x" in text


def test_a_text_is_one_line_without_what_steers() -> None:
    assert plain("a\x00b\n c\u202ed") == "a b c d"
    assert len(plain("x" * 5000)) == 300


@pytest.mark.usefixtures("project")
def test_threads_make_the_same_document_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy machine needs more than the second for which a request waits.
    monkeypatch.setattr("apps.finance.invoice_pdf.LONGEST_WAIT_S", 60)
    interval = sys.getswitchinterval()
    invoice = an_invoice(
        InvoiceLine(description="Şarj ğ", amount=Decimal(5)), issued_at=datetime(2026, 2, 1, tzinfo=UTC)
    )
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            sizes = {len(pdf) for pdf in pool.map(lambda _: invoice_pdf(invoice, status="Paid"), range(96))}
    finally:
        sys.setswitchinterval(interval)
    assert max(sizes) - min(sizes) < 64, "times and ids differ, pages and fonts don't"


def test_where_another_one_is_made_for_long_a_page_says_what_to_do(backend: Backend, finance_user: Client) -> None:
    backend.lists(INVOICES, [INVOICE])
    address = "/de/finance/invoices/inv_1/pdf"
    with held_by_another_thread(making):
        refused = finance_user.get(address)
    assert refused.status_code == 503
    assert refused["Retry-After"] == "5"
    page = refused.content.decode()
    assert "Gerade werden zu viele PDFs erstellt" in page
    assert "drucken Sie die Seite der Rechnung" in page
    assert f'href="{address}"' in page
    assert 'href="/de/finance/invoices"' in page
    assert finance_user.get(address).status_code == 200


@pytest.mark.usefixtures("project")
def test_of_eight_very_long_ones_at_once_most_are_refused_and_hold_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.finance.invoice_pdf.LONGEST_WAIT_S", 0.01)
    line = InvoiceLine(description="Session " * 700, quantity=1.0, amount=Decimal(1))
    longest, at_once = an_invoice(*[line] * (MAX_LINES + 500)), threading.Barrier(8)

    def made(_: int) -> bool:
        at_once.wait()
        try:
            return 0 < len(invoice_pdf(longest, status="")) < 3_000_000
        except TooManyPdfsError:
            return False

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(made, range(8)))
    assert 1 <= sum(outcomes) < 8
    broken: Any = an_invoice(lines=(object(),))
    with pytest.raises(AttributeError):
        invoice_pdf(broken, status="")
    assert invoice_pdf(an_invoice(), status=""), "the lock is free again"


@pytest.mark.usefixtures("project")
def test_net_and_tax_are_the_backends_own() -> None:
    """Half a cent is rounded by the backend, and nowhere else."""
    lines = [InvoiceLine(amount=Decimal("0.55"), vat_rate=Decimal(10), quantity=1.0)]
    with translation.override("en"):
        text = text_of(
            invoice_pdf(an_invoice(*lines, net_amount=Decimal("1.11"), vat_amount=Decimal("2.22")), status="")
        )
    assert "Net €1.11 VAT €2.22 Total €5.00" in text


def test_who_may_not_see_invoices_gets_none(signed_in: SignedIn, backend: Backend) -> None:
    backend.lists(INVOICES, [INVOICE])
    response = signed_in("ENERGY_APP").get("/en/finance/invoices/inv_1/pdf")
    assert response.status_code == 302
    assert [call.path for call in backend.calls if call.path.startswith("/finance")] == []


@pytest.mark.parametrize(("status", "page"), [(404, 404), (503, 503), (500, 503)])
def test_a_failure_is_a_page_with_the_way_back(backend: Backend, finance_user: Client, status: int, page: int) -> None:
    backend.refuses("GET", f"{INVOICES}/inv_9", status=status)
    response = finance_user.get("/en/finance/invoices/inv_9/pdf")
    assert response.status_code == page
    assert 'href="/en/finance/invoices"' in response.content.decode()


def run(code: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-c", code]
    environment = {"PYTHONPATH": f"{root}/packages:{root}", "DEBUG": "on"}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


IMPORTED = "import sys; {}\nfrom portal.server.startup import import_project; import_project(settings='apps.finance.settings')\n"


def test_no_other_page_loads_the_library() -> None:
    assert run(IMPORTED.format("") + "sys.exit('reportlab' in sys.modules)").returncode == 0


def test_without_the_library_the_app_ends_with_the_line_that_names_its_extra() -> None:
    done = run(IMPORTED.format("sys.modules['reportlab'] = None"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "finance: invoices as a PDF need the packages of the extra `finance`: pip install 'portal[finance]'\n"
    )
