"""What a team declares of the backend's data: rows, what a call takes, what it sends; and how JSON is read. Pure.

::

    activity       ActivityEntry: an entry of the history of a row
    decoding       JSON -> records: the decoders of declared types
      readers      reads each type leniently: a field that is odd has its default
      records      Record, Row: frozen objects, with attributes in snake_case and camelCase on the wire; Partial, some
                   fields of a record, as the body of a write; OpenEnum, which keeps a value that it does not know
    parameters     Params, ListParams, RowParams: the keywords of a hook
      struct_types what all of these classes have in common
    strict_json    JSON from outside, as the rest of the portal can work with it; copies of JSON
"""

from portal.rows.activity import ActivityEntry, ActivityParams
from portal.rows.decoding import check_decodable, decoder_of, lenient_decoder_of, rows_decoder_of
from portal.rows.parameters import (
    OF_THE_CALL,
    CommonSort,
    JoinedValues,
    ListParams,
    Params,
    RowParams,
    Values,
    figures_params,
    literal_params,
    wire_params,
)
from portal.rows.readers import Decoder
from portal.rows.records import (
    OpenEnum,
    Partial,
    Record,
    Row,
    field,
    field_types,
    id_field,
    is_record,
    is_row_type,
    partial_type,
    to_json,
    wire_body,
    wire_names,
)
from portal.rows.strict_json import check_depth, copied, copied_rows, may_be_deep, read_json, replace_surrogates
from portal.rows.struct_types import required_fields
