"""What a call takes: the fields of a :class:`Params` class are the keywords of its hook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, dataclass_transform

import msgspec

from portal.query.rows.struct_types import StructType

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Params(msgspec.Struct, frozen=True, metaclass=StructType):
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
    `portal.config.wire_names`.

    `pages`: how many pages to read. `cursor`: where to begin, as the server named it; with `pages=1` just that page.
    These two belong to the call, and are no parameters of the list.
    """

    q: str | None = None
    sort: str | None = None
    pages: int = 1
    cursor: str | None = None


def wire_params(params: Params) -> Mapping[str, Any]:
    """The parameters by their names on the wire; None for one that is not given."""
    names = zip(params.__struct_fields__, params.__struct_encode_fields__, strict=True)
    return {wire: getattr(params, name) for name, wire in names}
