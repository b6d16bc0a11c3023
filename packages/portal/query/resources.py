"""`resource(…)`: the endpoints of one resource, from its path and its row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, TypeAlias, TypeVar, Unpack, get_args, overload

from portal.config.contract_names import (
    ACTIVITY_SEGMENT,
    COUNTS_BY_PARAM,
    COUNTS_SEGMENT,
    CREATED_AT_FIELD,
    ID_FIELD,
    RESTORE_SEGMENT,
    TOTALS_OF_PARAM,
    TOTALS_SEGMENT,
)
from portal.errors import UsageError
from portal.query.endpoints import DeclaredQuery, Endpoint, ResourceReadOptions, same_params
from portal.query.hooks import (
    MutationHook,
    PaginatedQueryHook,
    QueryHook,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.rows import (
    ActivityEntry,
    ActivityParams,
    Decoder,
    ListParams,
    Partial,
    Record,
    Row,
    RowParams,
    field,
    field_types,
    figures_params,
    lenient_decoder_of,
    partial_type,
    wire_names,
)

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault


ResourceRole: TypeAlias = Literal[
    "list", "detail", "counts", "totals", "create", "update", "replace", "delete", "restore", "activity", "note"
]

P = ParamSpec("P")
ListP = ParamSpec("ListP")
RowP = ParamSpec("RowP")
TRow = TypeVar("TRow", bound=Row)
TDetail = TypeVar("TDetail", bound=Row)
if TYPE_CHECKING:
    # A resource without a class of its own for single rows. Only Python from 3.13 on knows such defaults.
    GivenDetail = TypeVarWithDefault("GivenDetail", bound=Row, default=TRow)

#: Field to value to number of rows; None for a number that the backend did not give.
RowCounts: TypeAlias = dict[str, dict[str, int | None]]


class RowTotals(Record):
    """The number of rows of a list, and the sums of their figures, by the fields' names on the wire.

    A sum is a number; of money, an object of decimals in strings by currency.
    """

    total: int | None = None
    sums: dict[str, Any] = field(default_factory=dict)


class CountsHook(QueryHook[RowCounts, ...]):
    """Counts the rows of a list. Its keywords are the list's and `by`, which no type says: a call checks them."""

    @cached_property
    def _decode(self) -> Decoder:
        return lenient_decoder_of(self.data)


@dataclass(frozen=True, kw_only=True)
class Resource(Generic[TRow, TDetail, P, RowP]):
    """The endpoints of one resource. Each is a hook as soon as it is the attribute of a group; the others do not exist.

    :param list: GET of the path: a cursor-paginated list.
    :param detail: GET of `<path>/{id}`.
    :param counts: GET of `<path>/counts`: how many rows have each value of the fields that `by` names, for the list's
        other parameters. Every write makes it stale.
    :param totals: GET of `<path>/totals`: what the fields that `of` names add up to in all rows, for the list's other
        parameters. Every write makes it stale.
    :param create: POST to the path. The new row comes first in the list; it is the detail too, where both are of one
        class.
    :param update: PATCH of `<path>/{id}`. Lists show the changed row where it stands. The response is the new detail.
    :param replace: PUT to `<path>/{id}`, for a backend that has no PATCH.
    :param delete: DELETE of `<path>/{id}`. Lists no longer show the row.
    :param restore: POST to `<path>/{id}/restore`: takes that back. The response is the new detail.
    :param activity: GET of `<path>/{id}/activity`: the history of the row, newest first. Every write of the row makes
        it stale.
    :param note: POST of `{"text"}` to the same path: a note in the history.
    """

    list: PaginatedQueryHook[TRow, P]
    detail: QueryHook[TDetail, RowP]
    counts: CountsHook
    totals: QueryHook[RowTotals, ...]
    create: MutationHook[TRow, Partial[TRow], None]
    update: MutationHook[TDetail, Partial[TDetail], RowParams]
    replace: MutationHook[TDetail, Partial[TDetail], RowParams]
    delete: MutationHook[None, None, RowParams]
    restore: MutationHook[TDetail, None, RowParams]
    activity: PaginatedQueryHook[ActivityEntry, ...]
    note: MutationHook[ActivityEntry, Partial[ActivityEntry], RowParams]


class ResourceOptions(ResourceReadOptions, total=False):
    """Options that every resource may declare: :meth:`ResourceFactory.__call__`."""

    newest_first_by: str | None
    invalidates: Iterable[DeclaredQuery[Any] | str]
    invalidates_tags: Iterable[str]
    unique_by: str | Literal[False]
    filter_fields: Mapping[str, str | None]
    optional: bool
    required: Collection[ResourceRole]


@dataclass(frozen=True, kw_only=True)
class ResourceFactory(Generic[ListP, RowP]):
    """Makes resources. Its generic parameters tell type checkers the keywords of :class:`ListParams` and of rows.

    :param list_params: the parameters of a list that declares none.
    :param row_params: the parameters of a row.
    """

    list_params: Callable[ListP, object]
    row_params: Callable[RowP, object]

    @overload
    def __call__(
        self,
        path: str,
        *,
        item: type[TRow],
        detail: type[GivenDetail] | None = None,
        **options: Unpack[ResourceOptions],
    ) -> Resource[TRow, GivenDetail, ListP, RowP]: ...
    @overload
    def __call__(
        self,
        path: str,
        *,
        item: type[TRow],
        params: Callable[P, object],
        detail: type[GivenDetail] | None = None,
        **options: Unpack[ResourceOptions],
    ) -> Resource[TRow, GivenDetail, P, RowP]: ...
    def __call__(
        self,
        path: str,
        *,
        item: Any,
        detail: type[Any] | None = None,
        params: Any = None,
        newest_first_by: str | None = CREATED_AT_FIELD,
        invalidates: Iterable[DeclaredQuery[Any] | str] = (),
        invalidates_tags: Iterable[str] = (),
        unique_by: str | Literal[False] = ID_FIELD,
        filter_fields: Mapping[str, str | None] = MappingProxyType({}),
        optional: bool = False,
        required: Collection[ResourceRole] = (),
        **options: Unpack[ResourceReadOptions],
    ) -> Resource[Any, Any, Any, Any]:
        """Declare the usual endpoints of a resource, for groups to name.

        ::

            _clients = resource("/energy/clients", item=Client, invalidates=[SummaryQueries.use_get_summary_query])

            class ClientQueries(QueryGroup):
                use_get_clients_query = _clients.list
                use_get_client_query = _clients.detail

            class ClientMutations(MutationGroup):
                use_create_client_mutation = _clients.create

        :param path: of the list, below the backend's address; a row's is `<path>/{id}`.
        :param item: class of a row.
        :param detail: class of a single row, where the backend gives it more fields than in the list. It is also what a
            PATCH or PUT answers with.
        :param params: class of the list's parameters; without it, :class:`~portal.rows.parameters.ListParams`.
        :param newest_first_by: field of the wire, which no write changes, and by which the list without parameters is
            newest first: by default that of `created_at`. None where the backend orders otherwise: then a write has the
            list fetched again.
        :param invalidates: other queries that become stale with each create, update and delete.
        :param invalidates_tags: tags of further queries that become stale with them.
        :param unique_by: field of the wire that tells rows apart; False keeps duplicates.
        :param filter_fields: see :func:`~portal.query.hooks.lists.paginated_query_endpoint`.
        :param optional: whether a backend may lack these endpoints, and the parameters of the list: they are offered
            where they are declared to be (`APP_BACKEND_OFFERS`).
        :param required: the endpoints that every backend must have all the same.
        :param options: of the list and the detail, see
            :class:`~portal.query.endpoints.declarations.ResourceReadOptions`.
        :raises UsageError: the path is not one, or an option does not fit.
        """
        of_a_row = f"{path}/{{id}}"
        shown: Any = detail or item
        _check_classes_and_roles(path, {"item": item, "detail": shown}, required)
        fields = field_types(item)
        if path.endswith("/"):
            raise UsageError(f"resource: the path {path!r} should not end with a slash")
        if newest_first_by == CREATED_AT_FIELD:
            newest_first_by = wire_names(item)["created_at"]
        if newest_first_by is not None and newest_first_by not in fields:
            names = ", ".join(fields)
            raise UsageError(f"resource {path}: newest_first_by should be a field's name on the wire, one of {names}")
        of_list: Any = params or self.list_params
        of_counts, of_totals = figures_params(of_list, COUNTS_BY_PARAM), figures_params(of_list, TOTALS_OF_PARAM)
        row: Any = self.row_params
        found = paginated_query_endpoint(
            item=item, params=of_list, url=path, unique_by=unique_by, filter_fields=filter_fields, **options
        )
        single = query_endpoint(data=shown, params=row, url=of_a_row, **options)
        counts = CountsHook(data=RowCounts, params=of_counts, url=f"{path}/{COUNTS_SEGMENT}", **options)
        totals = query_endpoint(data=RowTotals, params=of_totals, url=f"{path}/{TOTALS_SEGMENT}", **options)
        activity = paginated_query_endpoint(
            item=ActivityEntry, params=ActivityParams, url=f"{of_a_row}/{ACTIVITY_SEGMENT}", **options
        )

        def changing(**write: Any) -> MutationHook[Any, Any, Any]:
            mutation = mutation_endpoint(data=shown, params=row, **write).set_answer(query_key=single)
            return mutation.merge_updated_in_paginated_list(list_query_key=found, newest_first_by=newest_first_by)

        create = mutation_endpoint(data=item, body=partial_type(item), url=path, method="POST")
        create = create.add_created_to_paginated_list(list_query_key=found, newest_first_by=newest_first_by)
        delete = mutation_endpoint(params=row, url=of_a_row, method="DELETE")
        delete = delete.remove_from_paginated_list(list_query_key=found)
        restore = changing(url=f"{of_a_row}/{RESTORE_SEGMENT}", method="POST")
        writes = {
            "create": create.set_answer(query_key=single) if shown is item else create,
            "update": changing(body=partial_type(shown), url=of_a_row, method="PATCH"),
            "replace": changing(body=partial_type(shown), url=of_a_row, method="PUT"),
            "delete": delete.invalidates(query_key=single, get_params=same_params),
            "restore": restore.invalidates(query_key=found),
        }
        others, tags = (counts, totals, *invalidates), tuple(invalidates_tags)
        writes = {role: _with(write, others, tags) for role, write in writes.items()}
        writes["note"] = mutation_endpoint(
            data=ActivityEntry, body=partial_type(ActivityEntry), params=row, url=activity.url, method="POST"
        )
        for role in writes.keys() - {"create"}:
            writes[role] = writes[role].invalidates(query_key=activity, get_params=same_params)
        made: Resource[Any, Any, Any, Any] = Resource(
            list=found, detail=single, counts=counts, totals=totals, activity=activity, **writes
        )
        for name in get_args(ResourceRole):
            endpoint: Endpoint[Any] = getattr(made, name)
            endpoint.resource, endpoint.optional = path, optional and name not in required
        found.optional_params = optional
        return made


def _check_classes_and_roles(path: str, classes: Mapping[str, object], roles: Collection[ResourceRole]) -> None:
    for unknown in {*roles} - {*get_args(ResourceRole)}:
        raise UsageError(f"resource {path}: {unknown!r} should be one of {', '.join(get_args(ResourceRole))}")
    for name, kind in classes.items():
        if not (isinstance(kind, type) and issubclass(kind, Row)):
            raise UsageError(f"resource {path}: {name} should be a class that derives from Row, not {kind!r}")


def _with(
    mutation: MutationHook[Any, Any, Any], others: Iterable[DeclaredQuery[Any] | str], tags: Iterable[str]
) -> MutationHook[Any, Any, Any]:
    for query in others:
        mutation = mutation.invalidates(query_key=query)
    for tag in tags:
        mutation = mutation.invalidates(tag=tag)
    return mutation


resource = ResourceFactory(list_params=ListParams, row_params=RowParams)
