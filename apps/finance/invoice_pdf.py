"""An invoice as a PDF: A4, in the page's language, with the fonts that are embedded.

ReportLab is imported with this module, which the view imports when somebody asks for a PDF: no other page needs it.
Texts of the backend are defused: one line without control characters, of bounded length, and never markup.
"""

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

from babel.numbers import format_percent
from django.utils.translation import get_language, gettext, ngettext
from reportlab.lib import colors
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, LongTable, Paragraph, SimpleDocTemplate, Spacer, Table

from fork_safety import ForkSafeLock
from portal.services.finance.invoices import InvoiceDetail, InvoiceLine, InvoiceStatus, Seller
from portal.web.present import NO_VALUE, formats_of

#: A longer invoice says how many lines it leaves out, since a backend may have any number of them, and each takes up to
#: 1.5 ms; a longer text ends with an ellipsis.
MAX_LINES: Final = 1000
MAX_TEXT_CHARS: Final = 300
MAX_PLACES: Final = 3
MAX_ADDRESS_LINES: Final = 8
FONTS: Final = Path(__file__).parent / "fonts"

_MARGIN: Final = 20 * mm
#: ReportLab's own, within the margins.
_FRAME_PADDING: Final = 6
_WIDTH: Final = A4[0] - 2 * _MARGIN
_COLUMNS: Final = tuple(part * _WIDTH for part in (0.42, 0.12, 0.17, 0.11, 0.18))
_FACTS: Final = (0.25 * _WIDTH, 0.75 * _WIDTH)
_LINE: Final = colors.HexColor("#c9cabf")
_SOFT: Final = colors.HexColor("#4b554f")
#: ReportLab reads a font file with one position for all documents: they are made one after the other.
making: Final = ForkSafeLock()
#: Seconds. A usual invoice takes 10 ms, the longest 1.5 s: several of those would hold a thread for long.
LONGEST_WAIT_S: Final = 1.0


class TooManyPdfsError(Exception):
    """Others are being made for so long that this one was not begun."""


def invoice_pdf(invoice: InvoiceDetail, *, status: str) -> bytes:
    """The PDF.

    :param status: the word for the invoice's status.
    :raises TooManyPdfsError: it would have to wait for more than a second.
    """
    if not making.acquire(timeout=LONGEST_WAIT_S):
        raise TooManyPdfsError
    try:
        return _made(invoice, status=status)
    finally:
        making.release()


def _made(invoice: InvoiceDetail, *, status: str) -> bytes:
    _register_fonts()
    title = gettext("Invoice %(number)s") % {"number": plain(str(invoice))}
    file = BytesIO()
    document = SimpleDocTemplate(
        file,
        pagesize=A4,
        leftMargin=_MARGIN - _FRAME_PADDING,
        rightMargin=_MARGIN - _FRAME_PADDING,
        topMargin=_MARGIN,
        bottomMargin=25 * mm,
        title=title,
        author="Portal",
        lang=get_language(),
        displayDocTitle=True,
    )
    document.build(list(_story(invoice, title=title, status=status)), canvasmaker=_numbered(title))
    return file.getvalue()


def plain(text: str) -> str:
    """One line without control characters and marks of direction, of at most 300 characters."""
    line = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return line if len(line) <= MAX_TEXT_CHARS else f"{line[: MAX_TEXT_CHARS - 1]}…"


def _story(invoice: InvoiceDetail, *, title: str, status: str) -> Iterator[Flowable]:
    seller = invoice.seller or Seller()
    yield _paragraph(plain(seller.name) or "Portal", size=10, bold=True, color=_SOFT)
    for line in filter(None, (*_lines_of(seller.address), _vat_id(seller.vat_id), plain(seller.email))):
        yield _paragraph(line, color=_SOFT)
    yield Spacer(0, 8 * mm)
    if invoice.client_address:
        address = _lines_of(invoice.client_address)
        for line in filter(None, (plain(invoice.client_name), *address, _vat_id(invoice.client_vat_id))):
            yield _paragraph(line, size=10)
        yield Spacer(0, 8 * mm)
    yield _paragraph(title, size=18, bold=True)
    yield Spacer(0, 6 * mm)
    yield _facts(invoice, status=status)
    yield Spacer(0, 8 * mm)
    if invoice.lines:
        yield _lines(invoice)
        yield Spacer(0, 4 * mm)
    yield _totals(invoice)
    if seller.iban and invoice.status not in {InvoiceStatus.PAID, InvoiceStatus.CANCELLED}:
        yield Spacer(0, 8 * mm)
        yield _payment(invoice, seller)


def _lines_of(text: str) -> list[str]:
    """The lines of an address, of which there are few."""
    return [plain(line) for line in text.splitlines()[:MAX_ADDRESS_LINES]]


def _vat_id(text: str | None) -> str:
    return f"{gettext('VAT ID')} {plain(text)}" if text else ""


def _payment(invoice: InvoiceDetail, seller: Seller) -> Table:
    """Where the money goes, by when, and what to write beside it."""
    iban = plain(seller.iban).replace(" ", "")
    rows = [
        (gettext("Pay until"), _day(invoice.due_at)),
        (gettext("Account holder"), plain(seller.name)),
        ("IBAN", " ".join(iban[place : place + 4] for place in range(0, len(iban), 4))),
        ("BIC", plain(seller.bic)),
        (gettext("Payment reference"), plain(str(invoice))),
    ]
    return _table_of(row for row in rows if row[1])


def _facts(invoice: InvoiceDetail, *, status: str) -> Table:
    """To whom, from when, and how far it is."""
    rows = [
        *([] if invoice.client_address else [(gettext("Client"), plain(invoice.client_name) or NO_VALUE)]),
        (gettext("Issued"), _day(invoice.issued_at)),
        (gettext("Due"), _day(invoice.due_at)),
        (gettext("Status"), plain(status)),
        *([(gettext("Paid"), _day(invoice.paid_at))] if invoice.paid_at else []),
    ]
    return _table_of(rows)


def _table_of(rows: Iterable[tuple[str, str]]) -> Table:
    cells = [[_paragraph(name, color=_SOFT), _paragraph(value)] for name, value in rows]
    return Table(cells, colWidths=_FACTS, style=[("LEFTPADDING", (0, 0), (0, -1), 0), *_tight()])


def _lines(invoice: InvoiceDetail) -> LongTable:
    """The lines, with their headings on each page."""
    names = (gettext("Description"), gettext("Quantity"), gettext("Price"), gettext("VAT"), gettext("Amount"))
    head = [_paragraph(name, bold=True, right=place > 0) for place, name in enumerate(names)]
    rows: list[list[Any]] = [head, *(_cells(line, currency=_currency(invoice)) for line in invoice.lines[:MAX_LINES])]
    left_out = len(invoice.lines) - MAX_LINES
    if left_out > 0:
        text = ngettext("and %(number)s more line", "and %(number)s more lines", left_out) % {"number": left_out}
        rows.append([_paragraph(text, color=_SOFT), "", "", "", ""])
    style: list[Any] = [
        ("LEFTPADDING", (0, 0), (0, -1), 0),
        ("RIGHTPADDING", (-1, 0), (-1, -1), 0),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LINEBELOW", (0, 0), (-1, 0), 1, _SOFT),
        ("LINEBELOW", (0, 1), (-1, -1), 0.5, _LINE),
    ]
    return LongTable(rows, colWidths=_COLUMNS, repeatRows=1, style=style)


def _cells(line: InvoiceLine, *, currency: str) -> list[Paragraph]:
    price, amount = _money(line.unit_price, currency), _money(line.amount, currency)
    numbers = (_quantity(line.quantity), price, _percent(line.vat_rate), amount)
    return [_paragraph(plain(line.description)), *(_paragraph(text, right=True) for text in numbers)]


def _totals(invoice: InvoiceDetail) -> Table:
    """Net, tax and total; the total alone where the backend gives no tax."""
    currency, total = _currency(invoice), gettext("Total")
    rows = [(total, invoice.amount)]
    if invoice.net_amount is not None and invoice.vat_amount is not None:
        rows = [(gettext("Net"), invoice.net_amount), (gettext("VAT"), invoice.vat_amount), *rows]
    cells = [
        [_paragraph(name, bold=name == total), _paragraph(_money(value, currency), right=True, bold=name == total)]
        for name, value in rows
    ]
    style = [("LINEABOVE", (0, -1), (-1, -1), 1, _SOFT), ("RIGHTPADDING", (-1, 0), (-1, -1), 0), *_tight()]
    return Table(cells, colWidths=(0.2 * _WIDTH, 0.22 * _WIDTH), hAlign="RIGHT", style=style)


def _tight() -> list[tuple[Any, ...]]:
    return [("TOPPADDING", (0, 0), (-1, -1), 2), ("BOTTOMPADDING", (0, 0), (-1, -1), 2)]


def _paragraph(
    text: str, *, size: int = 9, bold: bool = False, right: bool = False, color: colors.Color = colors.black
) -> Paragraph:
    """A text, which wraps: a word that is too long for its line, too."""
    return Paragraph(escape(text), _style(size, bold, right, color))


@cache
def _style(size: int, bold: bool, right: bool, color: colors.Color) -> ParagraphStyle:
    return ParagraphStyle(
        name="",
        fontName="DejaVuSans-Bold" if bold else "DejaVuSans",
        fontSize=size,
        leading=size * 1.4,
        textColor=color,
        alignment=TA_RIGHT if right else 0,
        splitLongWords=True,
    )


@cache
def _register_fonts() -> None:
    for name in ("DejaVuSans", "DejaVuSans-Bold"):
        pdfmetrics.registerFont(TTFont(name, str(FONTS / f"{name}.ttf")))


def _numbered(title: str) -> type[Canvas]:
    """A canvas that writes the foot of each page when the number of all pages is known."""

    class NumberedCanvas(Canvas):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._pages: list[dict[str, Any]] = []

        def showPage(self) -> None:  # noqa: N802  ReportLab's name
            self._pages.append(dict(self.__dict__))
            self._startPage()  # type: ignore[attr-defined]  # the documented way to number pages; the stubs lack it

        def save(self) -> None:
            for number, page in enumerate(self._pages, start=1):
                self.__dict__.update(page)
                self.setFont("DejaVuSans", 8)
                self.setFillColor(_SOFT)
                foot = gettext("Page %(number)s of %(all)s") % {"number": number, "all": len(self._pages)}
                self.drawString(_MARGIN, 14 * mm, title[:80])
                self.drawRightString(A4[0] - _MARGIN, 14 * mm, foot)
                super().showPage()
            super().save()

    return NumberedCanvas


def _currency(invoice: InvoiceDetail) -> str:
    return plain(invoice.currency)[:3]


def _money(value: Decimal | None, currency: str) -> str:
    return formats_of(get_language()).money(value, currency=currency)


def _quantity(value: float | None) -> str:
    """With as many decimal places as it needs, at most three."""
    places = next((n for n in range(MAX_PLACES) if value is None or round(value, n) == value), MAX_PLACES)
    return formats_of(get_language()).number(value, places=places)


def _percent(value: Decimal | None) -> str:
    if value is None or not value.is_finite() or value.adjusted() > MAX_PLACES:
        return NO_VALUE
    return format_percent(value / 100, locale=formats_of(get_language()).cldr, decimal_quantization=False)


def _day(value: date | None) -> str:
    return formats_of(get_language()).calendar_day(value)
