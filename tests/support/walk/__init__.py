"""A person who goes everywhere: every link and every form of the pages, without scripts, and each page twice.

::

    walker       follows what a page offers, breadth first, and notes what came
      portals      the four apps and a sandbox of one profile, with a listener between them
"""

from tests.support.walk.portals import ADMIN, PASSWORD, SNAKE, Portal, running_portal, sandbox_to_walk
from tests.support.walk.walker import WORD, Call, Visit, Walker

__all__ = [
    "ADMIN",
    "PASSWORD",
    "SNAKE",
    "WORD",
    "Call",
    "Portal",
    "Visit",
    "Walker",
    "running_portal",
    "sandbox_to_walk",
]
