"""What of an amount is tax, where prices include it."""

from collections import defaultdict
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

_CENT: Final = Decimal("0.01")
_HUNDRED: Final = Decimal(100)


def included_vat(lines: Sequence[dict[str, Any]]) -> Decimal:
    """Give the tax in the lines of an invoice: of the sum of each rate, rounded to the cent.

    Half a cent is rounded up, as invoices have it, and not to the even cent.

    :param lines: each with `amount`, tax included, and `vatRate` in percent; both are decimals in strings.
    """
    sums: defaultdict[Decimal, Decimal] = defaultdict(Decimal)
    for line in lines:
        sums[Decimal(line["vatRate"])] += Decimal(line["amount"])
    taxes = (gross * rate / (_HUNDRED + rate) for rate, gross in sums.items())
    return sum((tax.quantize(_CENT, ROUND_HALF_UP) for tax in taxes), Decimal(0))
