"""The hooks of the query storm: rows as the server has them, with their versions.

One change patches the list and sets the detail. The other only says which queries it concerns.
"""

from __future__ import annotations

from typing import Any, Final

from portal.config.contract_names import CREATED_AT_FIELD
from portal.query import (
    ListParams,
    MutationGroup,
    QueryGroup,
    RowParams,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    same_params,
)

PATH: Final = "/rows"
OF_A_ROW: Final = "/rows/{id}"
#: Pages age fast: stale after half a second, and dead after one and a half.
STALE_TIME_S: Final = 0.5
LIFETIME_S: Final = 1.5
JsonRow = dict[str, Any]


class RowQueries(QueryGroup, domain="storm"):
    """The list, and one row."""

    use_get_rows_query = paginated_query_endpoint(item=JsonRow, params=ListParams, url=PATH, stale_time_s=STALE_TIME_S)
    use_get_row_query = query_endpoint(data=JsonRow, params=RowParams, url=OF_A_ROW, stale_time_s=STALE_TIME_S)


class RowMutations(MutationGroup, domain="storm"):
    """What a user does to rows."""

    use_create_row_mutation = (
        mutation_endpoint(data=JsonRow, body=JsonRow, url=PATH, method="POST")
        .add_created_to_paginated_list(list_query_key=RowQueries.use_get_rows_query, newest_first_by=CREATED_AT_FIELD)
        .set_answer(query_key=RowQueries.use_get_row_query)
    )
    use_update_row_mutation = (
        mutation_endpoint(data=JsonRow, body=JsonRow, params=RowParams, url=OF_A_ROW, method="PATCH")
        .merge_updated_in_paginated_list(list_query_key=RowQueries.use_get_rows_query, newest_first_by=CREATED_AT_FIELD)
        .set_answer(query_key=RowQueries.use_get_row_query)
    )
    use_touch_row_mutation = (
        mutation_endpoint(data=JsonRow, body=JsonRow, params=RowParams, url=OF_A_ROW, method="PATCH")
        .invalidates(query_key=RowQueries.use_get_rows_query)
        .invalidates(query_key=RowQueries.use_get_row_query, get_params=same_params)
    )
    use_delete_row_mutation = (
        mutation_endpoint(params=RowParams, url=OF_A_ROW, method="DELETE")
        .remove_from_paginated_list(list_query_key=RowQueries.use_get_rows_query)
        .invalidates(query_key=RowQueries.use_get_row_query, get_params=same_params)
    )
