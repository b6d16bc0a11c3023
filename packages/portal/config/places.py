"""Where code stands: in a checkout of the product, or installed from wheels; and as `apps/energy/forms.py:12`.

Imports nothing of the portal: the parent process of a server, which imports no Django, asks it too.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Final

#: The folder in which `portal` and the other packages lie: `packages` in a checkout, else `site-packages`.
PACKAGES: Final = Path(__file__).resolve().parents[2]


def _folder_of_apps() -> Path:
    """Where the product's projects are. A Django project that uses the query layer alone may have none."""
    found = find_spec("apps")
    folders = list(found.submodule_search_locations or ()) if found else []
    return Path(folders[0]).resolve().parent if folders else PACKAGES


#: The folder in which `apps` lies: the root of the product's checkout, else `site-packages`.
SOURCE_ROOT: Final = _folder_of_apps()
#: Whether the product's code is a checkout. Commands that read or write its files need one.
IN_CHECKOUT: Final = (SOURCE_ROOT / "manage.py").is_file()
#: The state folder, where nothing else is said: of an installed portal the one that the unit of systemd makes, too.
#: Never one of the environment that a wheel is installed in: that is not the portal's, and may be read-only.
STATE_DIR: Final = SOURCE_ROOT / ".state" if IN_CHECKOUT else Path("/var/lib/portal")
#: The program, as a message names it.
PROGRAM: Final = "./manage.py" if IN_CHECKOUT else "portal"


def place(file: str | Path, line: int) -> str:
    """A line of a file; a file of ours has its path below :data:`SOURCE_ROOT`."""
    path = Path(file)
    return f"{path.relative_to(SOURCE_ROOT) if path.is_relative_to(SOURCE_ROOT) else path}:{line}"


def declaring_line(package: str) -> tuple[str, int]:
    """Return file and line of the running code that makes an object of a package from outside; none is `"", 0`."""
    own = (f"{package}.", "dataclasses")
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  documented for this; `inspect` would read the source files
    while frame is not None and frame.f_globals.get("__name__", "").startswith(own):
        frame = frame.f_back
    return ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
