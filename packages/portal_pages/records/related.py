"""What belongs to a row: short lists on its page, each leading to the list of all of them."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast

from django.http import HttpRequest
from django.urls import URLResolver, get_resolver, get_urlconf, resolve, reverse
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _
from markupsafe import Markup

from portal.config.contract_names import VALUES_ESCAPE, VALUES_SEPARATOR
from portal.config.current import portal_config
from portal.config.platforms import PLATFORMS
from portal.errors import UsageError
from portal.query import (
    MutationHook,
    PaginatedQueryHook,
    PaginatedResult,
    QueryResult,
    QuerySpec,
    Row,
    RowTotals,
    field_types,
    offers,
)
from portal.web.frame import PartShell, is_denied, open_platforms, part_shell_for
from portal.web.present import LazyText, ParamValue, is_not_there, with_params
from portal.web.request import PortalRequest, active_locale, view_is_absent
from portal.web.templating import part_cache, render_block
from portal_pages.lists import Totals, short_table
from portal_pages.page_names import ShownRow, names_of, shown_row

#: The template of a list's rows, and what it gets.
Look: TypeAlias = tuple[str, Mapping[str, object]]
#: Rows that a short list shows; the rest is in the list of all of them.
SHORT_LIST_ROWS: Final = 5
NONE_YET: Final = _("Nothing here yet")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortList:
    """A short list as its page shows it.

    :param rows: id to cells.
    :param total: number of all of them; None if the backend does not count them.
    :param sums: what all of them add up to.
    :param url: the list of all of them; empty for who may not open it.
    :param create_url: the form that makes one more; empty for none.
    :param create_is_main: whether its link stands beside the name of the row.
    :param has_failed: the backend did not give them.
    """

    name: str
    title: str
    empty: str
    url: str
    create_url: str = ""
    create_label: str = ""
    create_is_main: bool = False
    columns: Markup | str = ""
    rows: Sequence[tuple[str, Markup]] = ()
    total: int | None = None
    sums: str = ""
    has_failed: bool = False


def short_list(
    request: HttpRequest, route: str, result: PaginatedResult[Any], *, title: LazyText, empty: LazyText = NONE_YET
) -> ShortList:
    """The first rows of a list of this app, as a card: `{{ short_list_card(latest) }}`.

    :param route: name of the list's URL, where "Show all" leads.
    :param result: of the list's hook.
    :raises UsageError: the list is no `ListView`.
    """
    about: dict[str, Any] = {"name": route, "title": str(title), "empty": str(empty), "url": reverse(route)}
    shell = part_shell_for(cast("PortalRequest", request))
    return with_rows(about, result, list_look(route), shell=shell, key=route)


def with_rows(
    about: Mapping[str, Any], result: PaginatedResult[Any], look: Look, *, shell: PartShell, key: Hashable
) -> ShortList:
    """The short list with the rows of a result; or one that says that they could not be loaded.

    :param about: the rest of it.
    :param look: the template with the blocks `columns` and `row`, and what these get.
    :param key: names the look.
    """
    if result.error is not None and not result.pages:
        return ShortList(**about, has_failed=True)
    shown = result.data.items[:SHORT_LIST_ROWS]

    def make() -> tuple[Markup, ...]:
        template, given = look
        own = {**given, "shell": shell}
        cells = (render_block(template, "row", {**own, "row": each}) for each in shown)
        return render_block(template, "columns", own), *cells

    made_of = None if result.version is None else (key, result.version, shell, get_current_timezone())
    columns, *rows = part_cache.kept(make, key=made_of)
    names = [each.id for each in shown]
    return ShortList(**about, columns=columns, rows=list(zip(names, rows, strict=True)), total=result.data.total)


def list_look(route: str, *, of: str = "") -> Look:
    """The template of a list's rows, and what it gets.

    :param of: the parameter of a related row to which the list is narrowed: the column that names that row is left out.
    :raises UsageError: the URL is none of a `ListView`.
    """
    return _look_of(route, of, active_locale(), get_resolver(get_urlconf()))


@lru_cache(maxsize=256)
def _view_of(route: str, resolver: URLResolver) -> Callable[..., Any]:  # noqa: ARG001  the one of the request
    return resolve(reverse(route)).func


@lru_cache(maxsize=256)
def _look_of(
    route: str,
    of: str,
    locale: str,  # noqa: ARG001  the active one: its words are looked up once
    resolver: URLResolver,
) -> Look:
    view = _view_of(route, resolver)
    shown, names = shown_row(view), names_of(view)
    if shown is None or names is None:
        raise UsageError(f"{route!r} is no ListView: give the template of its rows")
    left_out = [each.named_by for each in shown.filters if each.param == of and each.named_by in shown.columns]
    return shown.template, {**names.context, **short_table(shown.columns, shown.row, left_out=left_out), "pages": names}


TItem = TypeVar("TItem", bound=Row)


@dataclass(frozen=True, kw_only=True, eq=False)
class Related(Generic[TItem]):
    """What belongs to a row: `Related(title=_("Chargers"), hook=…, by="station_id", page="chargers")`.

    The cells are those of the list's own template. The column that names the row itself is left out: the list's
    `Filter("stationId", _("Station"), named_by="station_name")` says which one that is.

    :param hook: the list's hook.
    :param by: its parameter that takes the row's id.
    :param page: name of the list's URL; or, of another platform's list, its path: `"/operations/work-orders"`. Who may
        not open that page or platform does not see the list, and nobody does after the platform was removed. Rows that
        come from a call of another domain than that platform's are for all, and only who may open it is led there.
    :param template: the columns and the cells of a row, as those of a list. By default the list's own; a list of
        another platform needs one.
    :param context: what that template gets beside its row. By default what the list's own gets.
    :param totals: what all rows add up to.
    :param page_shows: the call of that list, where it is not `hook`. Not offered, nothing leads there.
    :param create: the text of a link to the form at `…/new`, which is told the row's id. Empty for no link.
    :param create_by: the mutation of that form, if nothing may lead there where it is not offered.
    :param create_with: what else that form is told, of the row.
    :param create_page: name of the URL of a form of this app, an `AddView` say: for who may not open the platform's.
    :param create_is_main: whether the link stands beside the row's name, and not above the list.
    :param empty: what is said in place of no rows.
    """

    title: LazyText
    hook: PaginatedQueryHook[TItem, ...]
    by: str
    page: str
    template: str = ""
    context: Mapping[str, object] = field(default_factory=dict)
    totals: Totals | None = None
    page_shows: PaginatedQueryHook[Any, ...] | None = None
    create: LazyText = ""
    create_by: MutationHook[Any, Any, Any] | None = None
    create_with: Callable[[Any], Mapping[str, ParamValue]] = lambda _row: {}
    create_page: str = ""
    create_is_main: bool = False
    empty: LazyText = NONE_YET

    def __post_init__(self) -> None:
        """Refuse a hook that is none of a list, a parameter that it does not take, and a page that is not known."""
        if not isinstance(self.hook, PaginatedQueryHook):
            raise UsageError(f"Related: hook should be the hook of a list, not {self.hook!r}")
        if self.by not in self._wire_names:
            known = ", ".join(self._wire_names)
            raise UsageError(f"Related: {self.hook.hook_name} has no parameter {self.by!r}; it has {known}")
        if self.is_elsewhere and self.platform is None and not self._is_of_the_domain:
            raise UsageError(f"Related: {self.page} is no path of a platform")
        if self.is_elsewhere and not self.template:
            raise UsageError(f"Related: {self.page} is another platform's list: give the template of its rows")

    @property
    def is_elsewhere(self) -> bool:
        """Whether the list is another platform's."""
        return self.page.startswith("/")

    @property
    def platform(self) -> str | None:
        """The other platform; None for a list of this app, and if there is no such platform."""
        found = (each.name for each in PLATFORMS if self.page.startswith(f"{each.prefix}/"))
        return next(found, None)

    @property
    def _is_of_the_domain(self) -> bool:
        """Whether the other platform has the name of the hook's domain: such a platform was there, and is removed."""
        return self.page.startswith(f"/{self.hook.key.partition('.')[0]}/")

    @cached_property
    def _wire_names(self) -> Mapping[str, str]:
        params: Any = self.hook.params
        return {info.name: wire for wire, info in field_types(params).items()} if params else {}

    def shown(self, declared_at: tuple[str, int]) -> ShownRow | None:
        """The template of its own, with the class of its row; None if the template of the list is used."""
        return ShownRow(template=self.template, row=self.hook.item, declared_at=declared_at) if self.template else None

    def is_open_to(self, request: PortalRequest) -> bool:
        """Whether the user may see it, as far as that is known. The backend decides about the rows themselves."""
        if self.is_elsewhere:
            is_open = not self._is_of_the_domain or self.platform in open_platforms(request)
        else:
            is_open = not is_denied(_view_of(self.page, get_resolver(get_urlconf())), request)
        return is_open and offers(self.hook, self._wire_names[self.by])

    def spec(self, row_id: str) -> QuerySpec[PaginatedResult[TItem]]:
        """The call of the hook. It reads the first page of the list to which the short one leads."""
        return self.hook.spec(**{self.by: self._value(row_id)})

    def totals_spec(self, row_id: str) -> QuerySpec[QueryResult[RowTotals]]:
        """The call that adds up all rows. There have to be `totals`."""
        assert self.totals is not None  # noqa: S101  for type checkers
        return self.totals.spec(self.hook.item, {self._wire_names[self.by]: self._value(row_id)})

    def _value(self, row_id: str) -> str | list[str]:
        """An id with a comma is one value of a parameter that takes several. Calls of texts alone are made once."""
        is_split = not {VALUES_SEPARATOR, VALUES_ESCAPE}.isdisjoint(row_id)
        return [row_id] if is_split and self._wire_names[self.by] in self.hook.several else row_id

    def present(
        self,
        row_id: str,
        result: PaginatedResult[TItem],
        *,
        row: Row,
        shell: PartShell,
        totals: QueryResult[RowTotals] | None = None,
    ) -> ShortList | None:
        """The short list; None if it is not there for the user, or may lack rows: the backend does not narrow it."""
        if is_not_there(result) or self._wire_names[self.by] in result.data.ignored:
            return None
        is_open = not self.is_elsewhere or self.platform in shell.platforms
        create_url = ""
        if self.create and is_open and (self.create_by is None or offers(self.create_by)):
            create_url = self._url(row_id, below="/new", **self.create_with(row))
        elif self.create_page and not view_is_absent(resolve(own := reverse(self.create_page, args=[row_id])).func):
            create_url = with_params(own, self.create_with(row))
        about: dict[str, Any] = {
            "name": self.page.rpartition("/")[2],
            "title": str(self.title),
            "empty": str(self.empty),
            "url": self._url(row_id) if is_open and offers(self.page_shows or self.hook) else "",
            "create_url": create_url,
            "create_label": str(self.create),
            "create_is_main": self.create_is_main,
        }
        if self.totals is not None:
            texts = self.totals.texts(self.hook.item, totals, total=result.data.total)
            about["sums"] = " · ".join(chain.from_iterable(texts.values()))
        return with_rows(about, result, self._look(), shell=shell, key=self)

    def _url(self, row_id: str, *, below: str = "", **also: ParamValue) -> str:
        elsewhere = f"{portal_config().gateway_url}/{active_locale()}{self.page}"
        path = elsewhere if self.is_elsewhere else reverse(self.page)
        return with_params(f"{path}{below}", {self._wire_names[self.by]: row_id, **also})

    def _look(self) -> Look:
        """The template, and what it gets: by default those of the list."""
        if self.template:
            return self.template, self.context
        template, given = list_look(self.page, of=self._wire_names[self.by])
        return template, {**given, **self.context}
