"""Compiles the translations into the wheel of the apps, as `packages/setup.py` does for the library."""

from pathlib import Path
from runpy import run_path

from setuptools import setup

library = run_path(str(Path(__file__).resolve().parent / "packages" / "setup.py"))
setup(cmdclass={"build_py": library["BuildWithCatalogs"]})
