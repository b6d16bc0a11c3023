"""`./manage.py services_from_openapi schema.yaml`: declarations of a backend's calls, from its OpenAPI schema."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from portal.config.places import PACKAGES, SOURCE_ROOT
from portal.config.platforms import PRODUCT
from portal_dev.openapi import Module, SchemaError, declarations, read_schema, source_of, view_source


class Command(BaseCommand):
    """Prints them, or writes them to a file or a folder."""

    help = (
        "Writes services from an OpenAPI 3.0 or 3.1 schema: rows, parameters, resources and hooks;"
        " with --forms the form and the pages. What can't be declared is a comment, and a warning."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("schema", help="file, YAML or JSON; - for standard input")
        parser.add_argument("--path", default="", help="only the calls of this path and below, such as /finance/orders")
        output = "a file for one module, or a folder such as packages/portal/services; without it they are printed"
        parser.add_argument("--output", type=Path, help=output)
        forms = "a file for the form and the pages of one module, such as apps/x/views/orders.py"
        parser.add_argument("--forms", type=Path, help=forms)
        parser.add_argument("--force", action="store_true", help="write over files that are there")

    def handle(self, *args: object, **options: Any) -> None:
        output: Path | None = options["output"]
        folder, file = (output.parent, output.stem) if output and output.suffix == ".py" else (output, "")
        package = package_of(folder) if folder else PRODUCT.services
        try:
            modules = declarations(read_schema(options["schema"]), below=options["path"], package=package, file=file)
            for reason in [reason for module in modules for reason in module.left_out]:
                self.stderr.write(self.style.WARNING(reason))
            files = self.files([module for module in modules if any(module.hooks.values())], folder, options["forms"])
        except (SchemaError, RecursionError) as error:
            raise CommandError(f"{options['schema']}: {error}", returncode=2) from None
        self.write(files, force=options["force"])

    def files(self, modules: list[Module], folder: Path | None, forms: Path | None) -> dict[Path, str]:
        """Each file to write, with its text. Without a folder the modules are printed."""
        if not modules:
            raise CommandError("none of these calls can be declared", returncode=2)
        if len(modules) > 1 and forms:
            paths = ", ".join(module.path for module in modules)
            raise CommandError(f"--forms is for one of {paths}: choose it by --path", returncode=2)
        sources = {module.path: source_of(module) for module in modules}
        found = {folder / path: source for path, source in sources.items()} if folder else {}
        if folder is None:
            texts = [f"# --- {path}\n\n{source}" if len(sources) > 1 else source for path, source in sources.items()]
            self.stdout.write("\n\n".join(texts), ending="")
        inits = {path.with_name("__init__.py") for path in found if path.parent != folder}
        found |= {init: f'"""The calls of {init.parent.name}."""\n' for init in inits if not init.exists()}
        if forms:
            found[forms] = view_source(modules[0])
        return found

    def write(self, files: dict[Path, str], *, force: bool) -> None:
        """Write all of them, or none."""
        known = [str(path) for path in files if path.exists()]
        if known and not force:
            raise CommandError(f"{', '.join(known)}: there already; --force writes over it", returncode=2)
        for path, source in files.items():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(source, encoding="utf-8")
            except OSError as error:
                raise CommandError(f"{path}: it can't be written: {error.strerror}", returncode=2) from None
            self.stdout.write(str(path))


def package_of(folder: Path) -> str:
    """The dotted name of a folder."""
    above = [root for root in (PACKAGES, SOURCE_ROOT) if folder.resolve().is_relative_to(root)]
    return ".".join(folder.resolve().relative_to([*above, folder.resolve().parent][0]).parts)
