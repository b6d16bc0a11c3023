"""The templates of an app: whether they compile, the names and forms in them, the rows of declared pages.

`{{ row.buyerr }}` and `{{ cell.buyerr }}` are reported before a page opens.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Final, get_args, get_type_hints

from django.urls import get_resolver
from jinja2 import TemplateNotFound, TemplateSyntaxError, nodes

from portal.config.places import place
from portal.query import Record
from portal.web.templating import PageEnvironment
from portal_dev.source_checks.faults import Fault, Names, constant, unknown_name, unmarked_texts
from portal_dev.source_checks.markup import Markup
from portal_operate.suggestions import did_you_mean
from portal_pages import ShownRow, shown_row

#: Names of variables and templates.
Seen = frozenset[str]
#: Name to type; None for a type that is not known.
Scope = dict[str, Any]
_CSRF: Final = "csrf_input"
_ACCOUNT: Final = "portal/parts/page_account.html"
#: The layout of pages for those who are not signed in.
_SIGNED_OUT_LAYOUT: Final = "portal/plain.html"
_DESCRIBED: Final = "see docs/reference/templates.md"


class Templates:
    """The templates of one environment.

    :ivar paths: the files, by the names.
    """

    def __init__(self, environment: PageEnvironment) -> None:
        self.environment = environment
        self.paths = {name: environment.path_of(name) for name in environment.names()}
        self.tree = cache(self._tree)

    def _tree(self, name: str) -> nodes.Template:
        """Return the tree of a template; an empty one if it does not compile."""
        try:
            return self.environment.tree_of(name)
        except (TemplateNotFound, TemplateSyntaxError):
            return nodes.Template([])

    def compile_faults(self, name: str) -> Iterator[Fault]:
        """Yield the fault that stops a template from being compiled."""
        try:
            self.environment.get_template(name)
        except TemplateSyntaxError as error:
            message, file = error.message or "", Path(error.filename or name)
            # Names of filters and tests are looked up below; Jinja2 finds them in some places only.
            if not message.startswith("No "):
                hint = did_you_mean("".join(message.split("'")[1:2]), self.paths) or _DESCRIBED
                yield Fault(file, error.lineno, "E001", f"it can't be compiled: {message}", hint)

    def faults(self, name: str, names: Names) -> Iterator[Fault]:
        """Yield the faults of a template that compiles, but for those of the rows that it shows."""
        markup = Markup(self.environment.parse(self.paths[name].read_text()))
        yield from self._name_faults(name, names)
        yield from self._form_faults(name, markup)
        texts = markup.texts(self.environment.macros)
        yield from unmarked_texts(self.paths[name], texts, write='{{ _("%s") }}', comment="{# untranslated: why #}")

    def _name_faults(self, name: str, names: Names) -> Iterator[Fault]:
        path = self.paths[name]
        for node in self.tree(name).find_all((nodes.Expr, nodes.Stmt)):
            match node:
                case nodes.Extends(template=used) | nodes.Include(template=used) if constant(used):
                    yield from unknown_name(path, node.lineno, "template", constant(used), self.paths)
                case nodes.Call(node=nodes.Name(name=called)):
                    yield from _call_faults(path, node, called, names)
                case nodes.Filter(name=used):
                    yield from unknown_name(path, node.lineno, "filter", used, self.environment.filters)
                    yield from _route_faults(path, node, names) if used == "link" else ()
                case nodes.Test(name=used):
                    yield from unknown_name(path, node.lineno, "test", used, self.environment.tests)
                case nodes.Getattr(attr="COOKIES") | nodes.Getitem(arg=nodes.Const(value="COOKIES")):
                    message = "this template reads the cookies, which hold the tokens: a page must not show one"
                    yield Fault(path, node.lineno, "E013", message, "let the view give what the page shows")

    def _form_faults(self, name: str, markup: Markup) -> Iterator[Fault]:
        path, signed_out = self.paths[name], _SIGNED_OUT_LAYOUT in self._used_in(self.tree(name), nodes.Extends)
        for line, action, inside in markup.forms:
            has = self._used_in(nodes.Template(inside))
            if _CSRF not in has:
                message = "this form has no CSRF token: a browser that sends it gets a 403 page"
                yield Fault(path, line, "E003", message, f"write {{{{ {_CSRF} }}}} in it")
            # Anybody may end the sign-in or change the language.
            used = [node.attr for tag in markup.marked(action) for node in tag.find_all(nodes.Getattr)]
            if _ACCOUNT not in has and not signed_out and "logout_url" not in used and "/locale" not in action:
                message = "this form does not say for whom its page was made: it may write in another user's name"
                yield Fault(path, line, "E004", message, f'write {{% include "{_ACCOUNT}" %}} in it')

    def _used_in(self, tree: nodes.Node, follow: type[nodes.Stmt] = nodes.Include, seen: Seen = frozenset()) -> Seen:
        """Return the names that a tree writes, the templates that it includes, and those in them.

        :param follow: the tag with the name of a template.
        """
        found = {node.name for output in tree.find_all(nodes.Output) for node in output.find_all(nodes.Name)}
        for name in {constant(getattr(node, "template", None)) for node in tree.find_all(follow)} - seen:
            found |= {name} | self._used_in(self.tree(name), follow, seen | {name})
        return frozenset(found)


def _call_faults(path: Path, call: nodes.Call, name: str, names: Names) -> Iterator[Fault]:
    icons = [each.value for each in call.kwargs if each.key == "icon"] + (call.args[:1] if name == "icon" else [])
    for icon in filter(None, map(constant, icons)):
        yield from unknown_name(path, call.lineno, "icon", icon, names.icons)
    if name in {"list_url", "nav_link", "url"}:
        yield from _route_faults(path, call, names)


def _route_faults(path: Path, node: nodes.Call | nodes.Filter, names: Names) -> Iterator[Fault]:
    """Yield the fault of a URL, the first argument."""
    for route in filter(None, map(constant, node.args[:1])):
        yield from unknown_name(path, node.lineno, "URL with the name", route, names.routes)


def shown_rows(urlconf: str) -> list[ShownRow]:
    """Return what the declared pages of an app show."""
    views: Any = get_resolver(urlconf).reverse_dict
    return [row for view in views if not isinstance(view, str) and (row := shown_row(view))]


def row_faults(shown: ShownRow, templates: Templates) -> Iterator[Fault]:
    """Yield the attributes that the row of a page does not have, and cells that are not its columns."""
    page = f"(the page is declared at {place(*shown.declared_at)})"
    yield from _field_faults(templates, shown.template, {"row": shown.row}, page)
    cells = [
        (each.attr, each.lineno)
        for each in templates.tree(shown.template).find_all(nodes.Getattr)
        if isinstance(each.node, nodes.Name) and each.node.name == "cell"
    ]
    columns = list(shown.columns)
    if cells and list(dict(cells)) != columns:
        name, line = next((cell for cell in cells if cell[0] not in columns), cells[0])
        message = f"the cells of the row are not the columns of the list, look at {name!r} {page}"
        hint = f"write one cell for each column, in this order: {', '.join(columns) or 'none'}"
        yield Fault(templates.paths[shown.template], line, "E012", message, hint)


def _field_faults(
    templates: Templates, name: str, outer: Scope, page: str, seen: Seen = frozenset()
) -> Iterator[Fault]:
    """Yield the attributes that a template, its layouts and its parts read of a record that lacks them."""

    def visit(node: nodes.Node, scope: Scope) -> Iterator[Fault]:
        children = node.iter_child_nodes()
        match node:
            case nodes.For(target=nodes.Name(name=target)):
                yield from visit(node.iter, scope)
                items = get_args(_type_of(node.iter, scope))
                scope = {**scope, target: items[0] if items else None}
                children = node.iter_child_nodes(exclude=("iter",))
            case nodes.Macro() | nodes.CallBlock():
                scope = scope | dict.fromkeys(argument.name for argument in node.args)
            case nodes.Assign(target=nodes.Name(name=target)):
                scope[target] = _type_of(node.node, scope)
            case nodes.Getattr() if _is_record(kind := _type_of(node.node, scope)) and not hasattr(kind, node.attr):
                (fault,) = unknown_name(templates.paths[name], node.lineno, "", node.attr, kind.__struct_fields__)
                yield fault._replace(id="E010", message=f"{kind.__name__} has no attribute {node.attr!r} {page}")
            case nodes.Include() | nodes.Extends() if (part := constant(node.template)) not in seen:
                yield from _field_faults(templates, part, dict(scope), page, seen | {part})
        for child in children:
            yield from visit(child, scope)

    yield from visit(templates.tree(name), outer)


def _type_of(node: nodes.Node, scope: Scope) -> Any:
    """Return the type of a value that is not None; None if it is not known."""
    if not isinstance(node, nodes.Getattr):
        return scope.get(node.name) if isinstance(node, nodes.Name) else None
    owner = _type_of(node.node, scope)
    try:
        kind = get_type_hints(owner).get(node.attr) if _is_record(owner) else None
    except NameError:
        # A type that is not there at run time is reported when the endpoints are checked.
        return None
    kinds = [each for each in get_args(kind) if each is not NoneType] if NoneType in get_args(kind) else [kind]
    return kinds[0] if len(kinds) == 1 else None


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Record)
