"""The URLs of one resource: list, create, detail, edit, delete."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from django.urls import URLPattern

from portal.errors import UsageError
from portal.query import Endpoint, MutationHook, QueryHook, Row, RowParams
from portal.web.frame import NAVIGATION, NavigationEntry
from portal.web.guards import View, platform_page
from portal.web.present import ROW_ID, LazyText
from portal_pages.exports import ExportView
from portal_pages.forms import NEW, AddView, CreateView, EditView, UndoPage
from portal_pages.lists import ListView, views_of
from portal_pages.page_names import DeclaredPage, PageNames
from portal_pages.records import DELETE, RESTORE, UNDO, BulkPage, DeleteView, DetailView, RestorePage, fields_of

TRow = TypeVar("TRow", bound=Row)
#: Pages to which only a page leads that needs the same permission.
_UNGUARDED: Final = frozenset({"list", "export", UNDO})
#: Variables that the views give.
_GIVEN: Final = frozenset(
    {"actions", "back_url", "beside", "cell", "cells", "facts", "history", "list", "pages", "relations", "row", "words"}
)


def resource_pages(
    path: str,
    *,
    name: str,
    title: LazyText,
    list: ListView[TRow] | View | None = None,  # noqa: A002  the page's own word
    detail: DetailView[TRow] | QueryHook[TRow, ...] | View | None = None,
    create: CreateView[TRow] | View | None = None,
    edit: EditView[TRow] | View | None = None,
    delete: DeleteView | MutationHook[Any, None, RowParams] | View | None = None,
    adds: Mapping[str, AddView[Any]] | None = None,
    context: Mapping[str, object] | None = None,
    permission: str = "",
    key: str = "",
) -> list[URLPattern]:
    """The pages of one resource, for the `pages` of `platform_patterns`.

    ::

        order_pages = resource_pages(
            "finance/orders",
            name="order",
            title=_("Orders"),
            list=ListView(hook=OrderQueries.use_get_orders_query),
            detail=DetailView(hook=OrderQueries.use_get_order_query),
        )

    | page | path | name of its URL |
    |---|---|---|
    | `list` | `finance/orders` | `orders`, the end of the path |
    | the file of `list`, if it declares columns | `finance/orders/export` | `orders-export` |
    | `create` | `finance/orders/new` | `order-new` |
    | `detail` | `finance/orders/<row_id>` | `order` |
    | `edit` | `finance/orders/<row_id>/edit` | `order-edit` |
    | `delete` | `finance/orders/<row_id>/delete` | `order-delete` |
    | the actions of `detail` with `bulk`, for several rows | `finance/orders/bulk` | `orders-bulk` |
    | what undoes; notes | `finance/orders/<row_id>/undo`, `…/restore`; `…/note` | `order-undo`, `order-restore`; … |
    | an action of `detail`, one of `adds` | `finance/orders/<row_id>/ship` | `order-ship` |

    Any page may be a function instead, which gets `request` and the `row_id` of its URL. A hook alone as `detail` or
    `delete` is a page of it without options.

    :param name: of one row, in the names of the URLs.
    :param title: the list's heading, and the text of links back to it.
    :param adds: forms that add something to a row, by the ends of their addresses; they lead back to `detail`.
    :param context: what the templates of the list and of a row get beside their rows, such as the badges of a status.
    :param permission: one that these pages need beside the platform, or in its place on the gateway, which has none.
    :param key: opens the list after `g`. The sidebar has an entry for each list, with the icon that has the name of the
        list's URL, else a shared one.
    :raises UsageError: `context` has a name that the views give; or a page is of another kind, or leads to one that is
        not there.
    """
    if not path or path != path.strip("/"):
        raise UsageError(f"{path!r}: the path of a resource neither begins nor ends with a slash: energy/clients")
    detail = DetailView(hook=detail) if isinstance(detail, QueryHook) else detail
    delete = DeleteView(mutation=delete) if isinstance(delete, MutationHook) else delete
    given = (("list", list, ListView), ("detail", detail, DetailView), ("create", create, CreateView))
    for role, page, kind in (*given, ("edit", edit, EditView), ("delete", delete, DeleteView)):
        is_view = callable(page) and not isinstance(page, type | DeclaredPage | Endpoint)
        if not (page is None or is_view or isinstance(page, kind)):
            what = f"the class {page.__name__}" if isinstance(page, type) else type(page).__name__
            raise UsageError(f"{path}: {role} should be {kind.__name__}(…) or a function, not {what}")
    further = tuple((add, "detail", detail) for add in (adds or {}).values())
    leads = ((create, "list", list), (edit, "detail", detail), (delete, "list", list), *further)
    for leading, leads_to, target in leads:
        if isinstance(leading, DeclaredPage) and target is None:
            raise UsageError(f"{path}: {type(leading).__name__} leads to the page {leads_to!r}, which is not given")
    taken = _GIVEN & set(context or {})
    if taken:
        raise UsageError(f"{path}: the views give {', '.join(sorted(taken))} to the templates; name it otherwise")
    list_name = path.rpartition("/")[2] if list else ""
    row_hook = detail.hook if isinstance(detail, DetailView) else None
    export = (
        ExportView(list_view=list, query=row_hook, permission=list.permission)
        if isinstance(list, ListView) and list.file_columns
        else None
    )
    actions = detail.action_pages() if isinstance(detail, DetailView) else {}
    bulk = _bulk_page(list, detail) if isinstance(list, ListView) and isinstance(detail, DetailView) else None
    # A PUT would need all fields.
    if row_hook and UNDO not in actions and isinstance(edit, EditView) and edit.mutation.method == "PATCH":
        actions[UNDO] = UndoPage(permission=edit.permission, query=edit.query, mutation=edit.mutation)
    if row_hook and isinstance(delete, DeleteView) and delete.restore:
        actions[RESTORE] = RestorePage(permission=delete.permission, mutation=delete.restore)
    row, below = f"{path}/<{ROW_ID}:row_id>", {**actions, **(adds or {})}
    # Each with its name in `PageNames`, if it has one.
    pages: Sequence[tuple[str, str, str, DeclaredPage | View | None]] = (
        ("list", path, list_name, list),
        ("export", f"{path}/export", f"{list_name}-export", export),
        ("bulk", f"{path}/bulk", f"{list_name}-bulk", bulk),
        ("create", f"{path}/new", f"{name}-new", create),
        ("detail", row, name, detail),
        ("edit", f"{row}/edit", f"{name}-edit", edit),
        ("delete", f"{row}/delete", f"{name}-delete", delete),
        *(
            (end if end in {UNDO, RESTORE} else "", f"{row}/{end}", f"{name}-{end}", page)
            for end, page in below.items()
        ),
    )
    named: dict[str, Any] = {role: url_name for role, _route, url_name, page in pages if page and role}
    declared = {role: page for role, *_names, page in pages if role and isinstance(page, DeclaredPage)}
    names = PageNames(
        **named,
        title=title,
        create_label=create.title if isinstance(create, CreateView) else NEW,
        create_form=create.form if isinstance(create, CreateView) else None,
        delete_label=delete.label if isinstance(delete, DeleteView) else DELETE,
        delete_text=delete.text if isinstance(delete, DeleteView) else "",
        templates=path.replace("-", "_"),
        context=context or {},
        row=row_hook,
        rows=list.hook if isinstance(list, ListView) else None,
        writes={
            role: page.mutation
            for role, page in declared.items()
            if isinstance(page, CreateView | EditView | DeleteView | RestorePage | BulkPage)
        },
        permissions={
            role: page.permission for role, page in declared.items() if page.permission and role not in _UNGUARDED
        },
        columns=list.columns if isinstance(list, ListView) else {},
        fields=fields_of(row_hook.data, list, detail, edit) if row_hook else {},
    )
    found = [
        platform_page(
            route,
            page.as_view(names) if isinstance(page, DeclaredPage) else page,
            name=url_name,
            part_of=names.list,
            permission=(page.permission if isinstance(page, DeclaredPage) else "") or permission,
        )
        for _role, route, url_name, page in pages
        if page is not None
    ]
    if names.list:
        entry = NavigationEntry(
            route=names.list,
            label=title,
            key=key,
            create=names.create,
            create_label=names.create_label,
            views=partial(views_of, list) if isinstance(list, ListView) else None,
        )
        setattr(found[0].callback, NAVIGATION, entry)
    return found


def _bulk_page(list_view: ListView[Any], detail: DetailView[Any]) -> BulkPage | None:
    actions = [each for each in detail.actions if each.bulk]
    if not actions or detail.mutation is None:
        return None
    return BulkPage(
        list_view=list_view,
        query=detail.hook,
        mutation=detail.mutation,
        actions=actions,
        permission=detail.permission or list_view.permission,
    )
