"""Contract type for import-linter that reads `layers.toml`: one line a package, and a few rules beside them."""

import tomllib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract


class LayersFileContract(Contract):
    """All contracts of a file, each told by its own name."""

    file = fields.StringField()

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        checks = [(contract, contract.check(deepcopy(graph), verbose)) for contract in self.contracts(graph)]
        broken = [(contract, check) for contract, check in checks if not check.kept]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for contract, its_check in check.metadata["broken"]:
            output.print_heading(contract.name, output.HEADING_LEVEL_THREE, style=output.ERROR)
            contract.render_broken_contract(its_check)

    def contracts(self, graph: ImportGraph) -> Iterator[Contract]:
        """Build import-linter's own contracts."""
        file = tomllib.loads(Path(self.file).read_text())
        downwards = "Packages: imports go down, and nothing imports the developers' tools"
        yield self._made(LayersContract, downwards, layers=file["packages"])
        circles = "No two modules or packages import each other in a circle"
        yield self._made(AcyclicSiblingsContract, circles, ancestors=split(file["no_circles"]))
        for package, floors in (file["public_interface"] | file["modules"]).items():
            if floors:
                options = {
                    "containers": [package],
                    "layers": list(layers_of(floors, children_of(package, graph))),
                    "exhaustive": "True",
                    "ignore_imports": file["exceptions"],
                    "unmatched_ignore_imports_alerting": "none",
                }
                yield self._made(LayersContract, f"{package}: imports go down", **options)
        for package, floors in file["public_interface"].items():
            public = {module for floor in floors for module in split(floor) if module.startswith("+")}
            inside = [f"{package}.{each}" for each in children_of(package, graph) if f"+{each}" not in public]
            name = f"{package}: from outside only its public interface is imported"
            yield self._made(ProtectedContract, name, protected_modules=inside, allowed_importers=[package])
        for modules, importers in file["importers"].items():
            name = f"{modules}: only {importers or 'tests'} may import"
            options = {"protected_modules": split(modules), "allowed_importers": split(importers)}
            yield self._made(ProtectedContract, name, **options)
        for indirect, table in (("False", "forbidden"), ("True", "forbidden_directly")):
            for name, (modules, imported) in file[table].items():
                options = {"source_modules": split(modules), "forbidden_modules": split(imported)}
                yield self._made(ForbiddenContract, name, allow_indirect_imports=indirect, **options)

    def _made(self, kind: type[Contract], name: str, **options: Any) -> Contract:
        return kind(name, self.session_options, options)


def split(text: str) -> list[str]:
    """Split names at `|`."""
    return [name.strip() for name in text.split("|") if name.strip()]


def children_of(package: str, graph: ImportGraph) -> list[str]:
    """Return the names of a package's modules, without the package's own."""
    return sorted(child.rpartition(".")[2] for child in graph.find_children(package))


def layers_of(floors: list[str], children: list[str]) -> Iterator[str]:
    """Yield the floors as import-linter reads them: the modules that no floor names stand in place of `*`."""
    named = {name.removeprefix("+") for floor in floors for name in split(floor)}
    for floor in floors:
        modules = [name.removeprefix("+") for name in split(floor) if name != "*"]
        others = [child for child in children if child not in named] if "*" in floor else []
        if modules + others:
            yield " | ".join(modules + others)
