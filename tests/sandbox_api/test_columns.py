import pytest

from sandbox_api.columns import NEVER, RankField, TimeOrNeverField
from sandbox_api.operations.models import WorkOrder


def test_a_rank_is_the_place_among_the_ranks_and_no_time_is_never():
    field = WorkOrder._meta.get_field("priority_rank")
    for rank, priority in enumerate([*WorkOrder.Priority.values, "new"]):
        order = WorkOrder(priority=priority)
        assert field.pre_save(order, add=True) == order.priority_rank == rank
    assert WorkOrder._meta.get_field("due_or_never").pre_save(WorkOrder(), add=True) == NEVER


@pytest.mark.parametrize("field", [RankField(source="a", ranks=("x", "y")), TimeOrNeverField(source="a")])
def test_a_migration_makes_the_same_field(field):
    _, _, arguments, options = field.deconstruct()
    again = type(field)(*arguments, **options)
    assert again.deconstruct()[1:] == field.deconstruct()[1:]
    assert again.default == field.default
