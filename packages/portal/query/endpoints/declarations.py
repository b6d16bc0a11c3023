"""Declarations of endpoints. A hook of :mod:`portal.query.hooks` is such a declaration that can be called."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, Generic, Literal, TypedDict, TypeVar

from portal.config.contract_names import CURSOR_PARAM
from portal.config.limits import STALE_TIME_S
from portal.config.places import declaring_line
from portal.errors import UsageError
from portal.query.endpoints.params import (
    RowFilter,
    checked_params,
    lacking_names,
    named_params,
    parameter_names,
    row_filters,
    several_names,
)
from portal.query.endpoints.urls import QueryKey, Url, check_path, check_template, path_params, query_key, shape
from portal.rows import Params

TItem = TypeVar("TItem")
TParams = TypeVar("TParams")

#: Roles of the types that an endpoint declares, as the reference page lists them.
_ROLES = ("data", "item", "body", "params")


@dataclass(kw_only=True, eq=False)
class Endpoint(Generic[TParams]):
    """One method of one address of the backend. It gets its name from the group whose attribute it is.

    :param url: path below the backend's address, which may name parameters in braces, or a function of the parameters
        that returns one.
    :param params: class of the parameters; None for none.
    :param optional: whether a backend may lack this call: then it is made only where it is declared to be offered.
    :ivar group: the class whose attribute it is; None outside a class.
    :ivar name: the attribute's name, such as `use_get_clients_query`.
    :ivar declared_at: file and line of the code that declares it.
    :ivar resource: path of the resource that made it; empty for an endpoint that stands alone.
    :raises UsageError: the url is not a path.
    """

    kind: ClassVar[Literal["query", "mutation"]]
    #: For error messages: the function that declares it, and a name of this kind.
    declared_with: ClassVar[str]
    example: ClassVar[str]

    url: Url[Any]
    params: type[TParams] | None
    group: type[Any] | None = field(default=None, init=False)
    name: str = field(default="", init=False)
    resource: str = ""
    optional: bool = False
    declared_at: tuple[str, int] = field(default_factory=partial(declaring_line, "portal.query"), init=False)

    def __post_init__(self) -> None:
        """Check what a type checker may not have seen."""
        params: Any = self.params
        if hasattr(params, "__struct_fields__") and not issubclass(params, Params):
            raise UsageError(f"{self.declared_with}: params={params.__name__} should derive from Params")
        if not callable(self.url):
            check_path(self.url, endpoint=self.declared_with)
            self.check_braces(self.url)

    def check_braces(self, path: str) -> None:
        """Refuse a path whose braces name no parameter.

        :raises UsageError: the message names the parameters.
        """
        check_template(path, endpoint=self.declared_with, known=parameter_names(self.params))

    def __set_name__(self, owner: type[Any], name: str) -> None:
        """Python calls this when the class is made. The first name stays."""
        if self.group is None:
            self.group, self.name = owner, name

    @cached_property
    def key(self) -> str:
        """The endpoint key with its domain: `use_get_clients_query` in the domain `energy` is `energy.get_clients`.

        :raises UsageError: it is not the attribute of a group, or its name does not fit its kind.
        """
        match = re.fullmatch(rf"use_([a-z][a-z0-9_]*)_{self.kind}", self.name)
        if self.group is None:
            file, line = self.declared_at
            raise UsageError(
                f"{self.path_shape}, declared at {file}:{line}, should be an attribute of a {self.kind.title()}Group"
            )
        owner = self.group.__qualname__
        if not hasattr(self.group, "domain"):
            raise UsageError(f"{owner} should derive from {self.kind.title()}Group for its endpoints to become hooks")
        if match is None:
            raise UsageError(f"{owner}.{self.name} should be named like {self.example}")
        return self.qualified(match[1])

    @property
    def hook_name(self) -> str:
        """Dotted name under which it is imported: `portal.services.user.UserQueries.use_get_me_query`."""
        return f"{getattr(self.group, '__module__', '')}.{getattr(self.group, '__qualname__', '')}.{self.name}"

    @property
    def path_shape(self) -> str:
        """Path with the parameters' names in braces."""
        return shape(self.url)

    @cached_property
    def in_path(self) -> frozenset[str]:
        """The parameters that the path takes."""
        return path_params(self.path_shape)

    @cached_property
    def several(self) -> frozenset[str]:
        """The parameters that are declared to take several values, by their names on the wire."""
        return several_names(self.params)

    @property
    def declared_types(self) -> dict[str, object]:
        """Role (`data`, `item`, `body`, `params`) to type, for each that is declared."""
        return {role: kind for role in _ROLES if (kind := getattr(self, role, None)) is not None}

    def qualified(self, key: str) -> str:
        """An endpoint key with its domain: the group's own domain, unless the key names one."""
        return key if "." in key else f"{getattr(self.group, 'domain', '')}.{key}"


class ResourceReadOptions(TypedDict, total=False):
    """What every endpoint that is read may declare.

    `stale_time_s`: seconds for which a response counts as fresh.

    `cache`: False for a response that depends on the token that asks, such as a list that marks "this browser". It is
    not cached and not shared between requests; when a fetch fails, there is no older data. All other responses are
    cached for all tokens of the user.

    `stale_while_revalidate`: False for a response that must not be shown once it is stale. By default a stale response
    is shown, up to 15 minutes old, and fetched again behind the request.

    `tags`: names of what the response tells about, such as `("finance-figures",)`. A mutation with
    `.invalidates(tag="finance-figures")` makes all queries stale that have the tag, of any domain.
    """

    stale_time_s: float
    cache: bool
    stale_while_revalidate: bool
    tags: tuple[str, ...]


class ReadOptions(ResourceReadOptions, total=False):
    """The same for an endpoint that is declared by itself.

    `optional`: True for a call that a backend may lack. Of a list, its parameters are optional too. What is optional is
    shown and asked for only where it is declared to be offered (docs/reference/what-we-ask-of-a-backend.md).
    """

    optional: bool


@dataclass(kw_only=True, eq=False)
class DeclaredQuery(Endpoint[TParams]):
    """An endpoint that is read. Its options: :class:`ReadOptions`.

    :raises UsageError: the url is not a path, the stale time is not a number of seconds, or the tags are no tuple.
    """

    kind = "query"
    declared_with = "query_endpoint"
    example = "use_get_clients_query"
    is_list: ClassVar[bool] = False

    stale_time_s: float = STALE_TIME_S
    cache: bool = True
    stale_while_revalidate: bool = True
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check what a type checker may not have seen."""
        super().__post_init__()
        seconds: object = self.stale_time_s
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
            message = f"stale_time_s should be a number of seconds from 0 on, not {seconds!r}"
            raise UsageError(f"{self.declared_with}: {message}")
        tags: object = self.tags
        if not isinstance(tags, tuple) or not all(isinstance(tag, str) and tag for tag in tags):
            raise UsageError(f'{self.declared_with}: tags should be a tuple of names, as ("figures",), not {tags!r}')

    def named_params(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keywords of a call by their names on the wire: `client_id="cli_1"` is `clientId`.

        :raises UsageError: a keyword is unknown, or a value is none of its `Literal`; the message names the known ones.
        """
        return named_params(named, declared=self.params, endpoint=self.key)

    def query_key(self, params: TParams | None = None) -> QueryKey:
        """The query key for these parameters.

        :raises UsageError: they do not fit the declaration, or a list's parameters name the cursor.
        """
        given = checked_params(given=params, declared=self.params, endpoint=self.key)
        if self.is_list and CURSOR_PARAM in given:
            raise UsageError(f"{self.key}: give the cursor beside the params, as cursor=…")
        return query_key(endpoint=self.key, params=given, paginated=self.is_list)


@dataclass(kw_only=True, eq=False)
class DeclaredList(DeclaredQuery[TParams], Generic[TItem, TParams]):
    """An endpoint that is read page by page.

    :param item: type of a row.
    :param unique_by: field that tells rows apart; False keeps duplicates.
    :param filter_fields: the field of a row that a parameter is held against, by names on the wire, where it is not the
        field of the same name; None for a parameter that no row can contradict.
    :ivar filters: of each parameter that filters, what it is held against.
    :ivar lacks: names on the wire of what every list takes and this one does not: `q: None = None` in its parameters.
    :ivar optional_params: whether a backend may lack its search, its orders, its filters, and totals that follow them.
    :raises UsageError: also where `unique_by` is not the name of a field, or a parameter is held against no field.
    """

    declared_with = "paginated_query_endpoint"
    is_list = True

    item: type[TItem]
    unique_by: str | Literal[False]
    filter_fields: Mapping[str, str | None] = field(default_factory=dict)
    filters: Mapping[str, RowFilter] = field(init=False)
    lacks: frozenset[str] = field(init=False)
    optional_params: bool = field(init=False)

    def __post_init__(self) -> None:
        """Check what a type checker may not have seen."""
        super().__post_init__()
        self.lacks = lacking_names(self.params)
        self.optional_params = self.optional
        self.filters = row_filters(
            params=self.params,
            item=self.item,
            fields=self.filter_fields,
            in_path=self.in_path if not callable(self.url) else frozenset(),
            declared_with=self.declared_with,
        )
        name: object = self.unique_by
        if name is not False and not (isinstance(name, str) and name):
            raise UsageError(f"{self.declared_with}: unique_by should be a field's name, or False")
