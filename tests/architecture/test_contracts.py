"""The import contracts of `layers.toml`: the code keeps them, and each wrong import breaks the contract that forbids it."""

import re
import tomllib
from copy import deepcopy
from pathlib import Path

import grimp
import pytest
from importlinter import Contract
from importlinter.configuration import configure

from tests.architecture.layers_contract import LayersFileContract
from tests.support.harness import ROOT

OPTIONS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
WRONG_IMPORTS = tomllib.loads(Path(__file__).with_name("wrong_imports.toml").read_text())


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*OPTIONS["root_packages"], include_external_packages=True, cache_dir=None)


@pytest.fixture(scope="module")
def contracts(graph: grimp.ImportGraph) -> dict[str, Contract]:
    """The contracts of the file by their names."""
    configure()
    contract = LayersFileContract("layers", OPTIONS, {"file": str(ROOT / "layers.toml")})
    return {each.name: each for each in contract.contracts(graph)}


def test_code_keeps_each_contract(graph: grimp.ImportGraph, contracts: dict[str, Contract]) -> None:
    assert [name for name, each in contracts.items() if not each.check(deepcopy(graph), verbose=False).kept] == []


def test_each_wrong_import_breaks_its_contract(graph: grimp.ImportGraph, contracts: dict[str, Contract]) -> None:
    missed = []
    for name, wrong_imports in WRONG_IMPORTS.items():
        for wrong_import in wrong_imports:
            importer, imported = wrong_import.split(" -> ")
            assert {importer, imported} <= graph.modules, f"a module has moved: {wrong_import}"
            changed = deepcopy(graph)
            changed.add_import(importer=importer, imported=imported, line_number=1, line_contents="")
            missed += [(name, wrong_import)] * contracts[name].check(changed, verbose=False).kept
    assert missed == []


def test_each_rule_has_a_wrong_import(contracts: dict[str, Contract]) -> None:
    rules = {name for name in contracts if not re.match(r"[\w.]+: (imports go down|from outside)", name)}
    assert rules <= WRONG_IMPORTS.keys()


@pytest.mark.parametrize("package", ["portal", "portal.web"])
def test_a_new_module_needs_a_place(package: str, graph: grimp.ImportGraph, contracts: dict[str, Contract]) -> None:
    changed = deepcopy(graph)
    changed.add_module(f"{package}.helpers")
    check = contracts[f"{package}: imports go down"].check(changed, verbose=False)
    assert check.metadata["undeclared_modules"] == {f"{package}.helpers"}


def test_each_package_with_a_public_interface_is_protected() -> None:
    packages = {
        ".".join(interface.parent.relative_to(ROOT / "packages").parts)
        for interface in (ROOT / "packages").rglob("__init__.py")
        if re.search(r"^from (portal|sqlite|jinja|fork)\w*[. ]", interface.read_text(), re.MULTILINE)
    }
    assert len(packages) > 30
    # Services are imported module by module, and the doctor by the command beside it alone.
    others = {"portal.services", "portal.testing", "portal_operate.doctor"}
    assert packages - others <= tomllib.loads((ROOT / "layers.toml").read_text())["public_interface"].keys()
