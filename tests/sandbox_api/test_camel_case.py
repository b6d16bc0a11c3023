import pytest
from rest_framework import serializers

from sandbox_api.camel_case import CamelCaseSerializer
from sandbox_api.finance.models import Invoice

pytestmark = pytest.mark.django_db


class CheckedInvoice(CamelCaseSerializer[Invoice]):
    class Meta:
        model = Invoice
        fields = ("issued_at",)

    def validate_issued_at(self, value):
        if value.year > 2030:
            raise serializers.ValidationError("That is too far away.")
        return value.replace(second=0)


def test_the_rule_of_a_field_of_two_words_gives_the_value_or_its_error_has_the_name_on_the_wire():
    form = CheckedInvoice(data={"issuedAt": "2031-01-01T00:00:00Z"})
    assert not form.is_valid()
    assert form.errors == {"issuedAt": ["That is too far away."]}
    form = CheckedInvoice(data={"issuedAt": "2026-01-01T00:00:59Z"})
    assert form.is_valid()
    assert form.validated_data["issued_at"].second == 0
