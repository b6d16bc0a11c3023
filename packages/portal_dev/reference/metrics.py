"""docs/reference/metrics.md: every metric, as the packages declare it."""

from collections.abc import Iterable, Iterator
from enum import Enum
from importlib import import_module
from typing import Final

from portal.telemetry.metrics import Family, Label, all_families, process_metrics

PAGE: Final = "docs/reference/metrics.md"
#: Modules at the top of the layers: what they import declares all metrics.
_TOPS: Final = ("portal.edge.middleware", "portal.web.middleware", "portal.web.sign_in", "portal_server.limiter")

_LABELS: Final = """\
## Labels

With the metrics that have them, named without `portal_`:
"""
_PROCESSES: Final = """\
## Of each worker

The usual ones of a process, read from `/proc` (Linux), with the label `worker`: a number, which a replacement takes over.
"""


def markdown() -> str:
    """The metrics, their labels, and those of each worker."""
    families = declared()
    return "\n".join([*map(_row, families), "", _LABELS, *_labels(families), "", _PROCESSES, *_processes(), ""])


def declared() -> list[Family]:
    """Return all metrics, of every layer."""
    for module in _TOPS:
        import_module(module)
    return all_families()


def _row(family: Family) -> str:
    labels = ", ".join(f"`{label.name}`" for label in family.labels)
    return f"- `{family.name}`: {family.says}{f' By {labels}' if labels else ''}"


def _labels(families: Iterable[Family]) -> Iterator[str]:
    """An item for each label, with the metrics that have it in this meaning."""
    names: dict[tuple[str, str], list[str]] = {}
    for family in families:
        for label in family.labels:
            names.setdefault((label.name, _said(label)), []).append(f"`{family.name.removeprefix('portal_')}`")
    for (name, said), having in sorted(names.items()):
        yield f"- `{name}` of {', '.join(having)}: {said}"


def _said(label: Label) -> str:
    values = [value.value if isinstance(value, Enum) else value for value in label.values]
    is_said = any(f"`{value}`" in label.says for value in values)
    return label.says if is_said or not values else f"{label.says}: {', '.join(f'`{value}`' for value in values)}"


def _processes() -> Iterator[str]:
    for metric in sorted(process_metrics(), key=lambda one: one.name):
        name = f"{metric.name}_total" if metric.type == "counter" else metric.name
        yield f"- `{name}`"
