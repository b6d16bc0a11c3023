"""A backend's schema, OpenAPI 3.0 and 3.1, read as far as declarations need it. Nothing is fetched.

::

    operations       what it says of each call
      schemas        JSON schemas → shapes: references, combinations, objects
        shapes       what a value can be, as far as a declaration can say it; what the keywords of one schema say of it
          document   the schema as a tree, by JSON pointer; a broken schema is an error that names it
            yaml_reader
"""

from __future__ import annotations

from portal_dev.openapi.schema.document import SchemaError, read_document, read_schema
from portal_dev.openapi.schema.operations import (
    Operation,
    Parameter,
    has_only_names,
    is_below,
    page_item,
    path_names,
    read_operations,
)
from portal_dev.openapi.schema.schemas import Schemas
from portal_dev.openapi.schema.shapes import (
    Enumeration,
    Field,
    ListOf,
    MapOf,
    ObjectOf,
    Scalar,
    Shape,
    ValueKind,
    are_equal,
    are_the_same,
    in_words,
)
