import pytest

from sandbox_api.columns import NEVER, RankField, TimeOrNeverField
from sandbox_api.operations.models import WorkOrder


@pytest.mark.parametrize("priority", WorkOrder.Priority.values)
def test_a_rank_is_the_place_among_the_ranks(priority):
    order = WorkOrder(priority=priority)
    field = WorkOrder._meta.get_field("priority_rank")
    assert field.pre_save(order, add=True) == order.priority_rank == WorkOrder.Priority.values.index(priority)


def test_an_unknown_value_comes_last():
    assert WorkOrder._meta.get_field("priority_rank").pre_save(WorkOrder(priority="new"), add=True) == 4


def test_no_time_is_never():
    assert WorkOrder._meta.get_field("due_or_never").pre_save(WorkOrder(), add=True) == NEVER


@pytest.mark.parametrize("field", [RankField(source="a", ranks=("x", "y")), TimeOrNeverField(source="a")])
def test_a_migration_makes_the_same_field(field):
    _, _, arguments, options = field.deconstruct()
    again = type(field)(*arguments, **options)
    assert again.deconstruct()[1:] == field.deconstruct()[1:]
    assert again.default == field.default
