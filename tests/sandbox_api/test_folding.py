import pytest

from sandbox_api.energy.models import Client
from sandbox_api.folding import fold


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("Şahin Yıldız", "sahin yildiz"),
        ("İSTANBUL", "istanbul"),
        ("Łódź", "lodz"),
        ("Tromsø", "tromso"),
        ("Weiß", "weiss"),
        ("Ærø", "aero"),
        ("  two \n spaces ", "two spaces"),
        ("ﬁne", "fine"),
    ],
)
def test_case_accents_and_spaces_do_not_count(typed, folded):
    assert fold(typed) == folded


@pytest.mark.django_db
def test_a_folded_column_follows_its_sources_on_every_kind_of_save():
    Client.objects.bulk_create([Client(name="Öz", email="oz@example.com", city=None)])
    client = Client.objects.get()
    assert (client.name_folded, client.searched) == ("oz", "oz oz@example.com")
    client.name = "Ål"
    client.save()
    client.refresh_from_db()
    assert client.searched == "al oz@example.com"
