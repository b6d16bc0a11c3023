from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from sandbox_api.finance.vat import included_vat

lines = st.lists(
    st.fixed_dictionaries(
        {
            "amount": st.integers(0, 10**7).map(lambda cents: str(Decimal(cents) / 100)),
            "vatRate": st.sampled_from(["19.00", "7.00", "0.00", "8.10"]),
        }
    )
)


def test_each_rate_is_rounded_once_and_half_a_cent_up():
    def vat(*amounts, rate="19.00"):
        return included_vat([{"amount": amount, "vatRate": rate} for amount in amounts])

    assert vat("119.00") == Decimal("19.00")
    assert (vat("0.33", "0.33", "0.33"), vat("0.33")) == (Decimal("0.16"), Decimal("0.05"))
    assert (vat("0.03", rate="20.00"), vat("0.15", rate="20.00")) == (Decimal("0.01"), Decimal("0.03"))


@given(lines=lines)
def test_the_tax_is_a_part_of_the_sum_in_whole_cents(lines):
    vat = included_vat(lines)
    assert 0 <= vat <= sum((Decimal(line["amount"]) for line in lines), Decimal(0))
    assert vat == vat.quantize(Decimal("0.01"))
