"""Compiles the translations into the wheel: git has only their `.po`. The rest of the build: `pyproject.toml`."""

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).resolve().parent))
from portal_operate.catalogs import compile_catalog


class BuildWithCatalogs(build_py):
    """Setuptools' own step, and a `.mo` for each `.po` of what was built."""

    def run(self) -> None:
        """Copy the packages, then compile."""
        super().run()
        for source in Path(self.build_lib).rglob("*.po"):
            compile_catalog(source)


if __name__ == "__main__":
    setup(cmdclass={"build_py": BuildWithCatalogs})
