"""Joins Jinja2 templates when they are compiled: a page, its layouts and its included parts become one template.

Knows nothing of the portal; it needs Jinja2 only. ::

    inheritance    Joiner: makes one template of a page, the layouts that it extends and the parts that it includes
    constants      ConstantFolder: evaluates calls whose arguments are constants
    code_generator PageCodeGenerator: compiles a page into less Python
    compiled       CompiledTemplates: what one process has compiled, in a folder from which others read it
"""

from __future__ import annotations

from jinja_onepage.code_generator import PageCodeGenerator, written
from jinja_onepage.compiled import CompiledTemplates
from jinja_onepage.constants import ConstantFolder
from jinja_onepage.inheritance import Joiner

__all__ = ["CompiledTemplates", "ConstantFolder", "Joiner", "PageCodeGenerator", "written"]
