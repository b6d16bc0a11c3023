import pytest
from rest_framework import serializers

from sandbox_api.camel_case import CamelCaseSerializer
from sandbox_api.finance.models import Invoice

pytestmark = pytest.mark.django_db


class CheckedInvoice(CamelCaseSerializer[Invoice]):
    class Meta:
        model = Invoice
        fields = ("number", "issued_at")

    def validate_number(self, value):
        if value == "0":
            raise serializers.ValidationError("No number.")
        return value

    def validate_issued_at(self, value):
        if value.year > 2030:
            raise serializers.ValidationError("That is too far away.")
        return value.replace(second=0)


def test_the_rule_of_a_field_of_two_words_is_asked_and_its_error_has_the_name_on_the_wire():
    form = CheckedInvoice(data={"number": "0", "issuedAt": "2031-01-01T00:00:00Z"})
    assert not form.is_valid()
    assert form.errors == {"number": ["No number."], "issuedAt": ["That is too far away."]}


def test_what_the_rule_returns_is_the_value():
    form = CheckedInvoice(data={"number": "1", "issuedAt": "2026-01-01T00:00:59Z"})
    assert form.is_valid()
    assert form.validated_data["issued_at"].second == 0
