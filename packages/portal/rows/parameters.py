"""What a call takes: the fields of a :class:`Params` class are the keywords of its hook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeAlias, Union, cast, dataclass_transform, get_args, get_origin

import msgspec

from portal.config.contract_names import FROM_SUFFIX, TO_SUFFIX
from portal.errors import UsageError
from portal.rows.struct_types import StructType, default_of

#: One value, or several of which a row has one: a parameter's type where the backend takes several. A text is sent as
#: it stands. The values of a sequence are sorted, each once, with commas between them, so that the same choice is the
#: same query; where the backend's class says `repeats_values`, they are sent repeated. A value from outside belongs
#: into a sequence, also alone: there its own commas are escaped.
Values: TypeAlias = str | Sequence[str]


class JoinedValues(str):
    """A parameter that is declared to take several values, with commas between them."""

    __slots__ = ()


#: The sort orders that each list has (contract, section 7). A list that has more names them beside these:
#: `sort: CommonSort | Literal["amount", "-amount"] | None = None`.
CommonSort: TypeAlias = Literal["createdAt", "-createdAt", "name", "-name"]

#: Keywords of a list's hook that are no parameters of the list.
OF_THE_CALL: Final = frozenset({"pages", "cursor"})
#: How the names of the attributes end that limit a time, and their names on the wire.
_LIMITS: Final = {"_from": FROM_SUFFIX, "_to": TO_SUFFIX}


class ParamsType(StructType):
    """Makes parameter classes. A default other than None would be sent by no call.

    The limits of a time, `started_at_from` and `started_at_to`, end on the wire as the backend has it.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> ParamsType:
        """Name the limits of a time."""
        for field in namespace.get("__annotations__", ()):
            ending = next((each for each in _LIMITS if field.endswith(each)), "")
            if ending and namespace.get(field, ending) is None:
                first, *others = field.removesuffix(ending).split("_")
                wire = f"{first}{''.join(map(str.capitalize, others))}{_LIMITS[ending]}"
                namespace[field] = msgspec.field(default=None, name=wire)
        made: ParamsType = cast("Any", super()).__new__(cls, name, bases, namespace, **options)
        return made

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_options: Any) -> None:
        super().__init__(name, bases, namespace)
        own = set(namespace.get("__annotations__", ()))
        if cls.__module__ != __name__ and own & {*OF_THE_CALL, "params"}:
            raise UsageError(f"{name}: pages, cursor and params belong to the call, and can't be fields")
        given = [field for field in own if namespace.get(field) is not None and cls.__module__ != __name__]
        wrong = [field for field in given if default_of(cls, field) is not None]
        if wrong:
            raise UsageError(
                f"{name}: give {', '.join(sorted(wrong))} the default None, or none: no call would send another"
            )


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Params(msgspec.Struct, frozen=True, metaclass=ParamsType):
    """The parameters of an endpoint: `params=SessionsParams` makes its fields keywords of the hook.

    ::

        class SessionsParams(ListParams):
            client_id: str | None = None        # sent as clientId

        ChargingSessionQueries.use_get_charging_sessions_query(request, client_id="cli_1", sort="-cost")

    A field without a default must be given. A parameter that is None is not sent.
    """


class RowParams(Params):
    """The id of one row. On the wire it is part of the path."""

    id: str


class ListParams(Params):
    """What every list takes.

    `q`: words to search for, ignoring case and accents; a row must contain all of them. `sort`: one of the sort names
    of contract, section 7, or the resource's own; without it, newest first. The backend's names of both:
    `portal.config.contract_names`.

    A list whose backend has no search says `q: None = None`, one without orders `sort: None = None`.

    `pages`: how many pages to read. `cursor`: where to begin, as the server named it; with `pages=1` just that page.
    These two belong to the call, and are no parameters of the list.
    """

    q: str | None = None
    sort: str | None = None
    pages: int = 1
    cursor: str | None = None


def figures_params(list_params: Any, name: str) -> Any:
    """What the counts or the totals of a list take: the parameters of the list, and of which fields they are.

    :param list_params: the list's class of parameters; of any other kind of mapping nothing is checked.
    :param name: of the parameter with the fields.
    """
    if not (isinstance(list_params, type) and issubclass(list_params, ListParams)):
        return dict
    own = {"__annotations__": {name: Values}, name: msgspec.field(name=name)}
    namespace = {**own, "__module__": list_params.__module__}
    return ParamsType(f"{list_params.__name__}And{name.capitalize()}", (list_params,), namespace)


@lru_cache(maxsize=512)
def literal_params(declared: Any) -> Mapping[str, frozenset[Any]]:
    """The parameters that are declared as a `Literal`, each with its values, by the attributes' names."""
    found = {info.name: frozenset(_literals(info.type)) for info in msgspec.structs.fields(declared)}
    return {name: values for name, values in found.items() if values}


def _literals(kind: Any) -> Iterator[Any]:
    """The values of a `Literal`, or of a union of them; none where the union has another type than None."""
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    elif get_origin(kind) in {Union, UnionType} and all(
        get_origin(each) is Literal or each is NoneType for each in get_args(kind)
    ):
        yield from (value for each in get_args(kind) for value in get_args(each))


def wire_params(params: Params) -> Mapping[str, Any]:
    """The parameters by their names on the wire; None for one that is not given."""
    names = zip(params.__struct_fields__, params.__struct_encode_fields__, strict=True)
    return {wire: getattr(params, name) for name, wire in names}
