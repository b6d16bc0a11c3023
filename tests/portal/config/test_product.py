"""The product, in a project that is not the portal's and has something of its own called `apps`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from portal.config.product import PRODUCT_MODULE, Product, read_product


def module(name: str, names: Mapping[str, object] | None = None, *, is_package: bool = False) -> ModuleType:
    made = ModuleType(name)
    made.__spec__ = ModuleSpec(name, None, is_package=is_package)
    if is_package:
        made.__path__ = []
    vars(made).update(names or {})
    return made


@pytest.fixture(autouse=True)
def nothing_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, PRODUCT_MODULE)


def test_a_module_of_that_name_has_no_product(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apps", module("apps"))
    assert read_product() == Product()


def test_a_package_of_that_name_without_one_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apps", module("apps", is_package=True))
    assert read_product() == Product()


@pytest.mark.parametrize("names", [{}, {"PRODUCT": "shoes"}], ids=["nothing", "something else"])
def test_an_app_that_is_called_product_is_none(monkeypatch: pytest.MonkeyPatch, names: dict[str, object]) -> None:
    monkeypatch.setitem(sys.modules, "apps", module("apps", is_package=True))
    monkeypatch.setitem(sys.modules, PRODUCT_MODULE, module(PRODUCT_MODULE, names))
    assert read_product() == Product()
