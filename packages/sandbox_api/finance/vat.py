"""What of an amount is tax, where prices include it."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_CENT: Final = Decimal("0.01")
_HUNDRED: Final = Decimal(100)


def included_vat(lines: Sequence[dict[str, Any]]) -> Decimal:
    """Give the tax in the lines of an invoice: of the sum of each rate, rounded to the cent.

    :param lines: each with `amount`, tax included, and `vatRate` in percent; both are decimals in strings.
    """
    sums: defaultdict[Decimal, Decimal] = defaultdict(Decimal)
    for line in lines:
        sums[Decimal(line["vatRate"])] += Decimal(line["amount"])
    return sum(((gross * rate / (_HUNDRED + rate)).quantize(_CENT) for rate, gross in sums.items()), Decimal(0))
