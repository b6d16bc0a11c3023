"""Calls and parameters that can't be declared, with the reasons."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal_dev.openapi.classes import wire_of
from portal_dev.openapi.names import is_possible
from portal_dev.openapi.operations import path_names

if TYPE_CHECKING:
    from portal_dev.openapi.operations import Operation, Parameter


def sendable(call: Operation) -> list[Parameter]:
    """Return the parameters of path and query that a hook sends."""
    return [each for each in call.parameters if not _why_not_sent(each, call)]


def _why_not_sent(parameter: Parameter, call: Operation) -> str:
    """Return why a hook can't send a parameter; empty for one that it can send."""
    shape, is_in_path = parameter.shape, parameter.place == "path"
    if not is_possible(parameter.name):
        return "a name that no class of parameters can have"
    if [wire_of(each) for each in call.parameters].index(wire_of(parameter)) != call.parameters.index(parameter):
        return "a name that another parameter has"
    is_joined = shape.item and shape.item.kind in {"text", "enum"} and parameter.is_joined and not is_in_path
    if shape.kind in {"map", "object"} or (shape.kind == "list" and not is_joined):
        return f"{shape}, which hooks do not send"
    is_taken = call.item is not None and parameter.name in (
        {"q", "sort", "cursor", "pages"} if is_in_path else {"pages"}
    )
    return "a name that the parameters of lists have for something else" if is_taken else ""


def faults(call: Operation) -> tuple[list[str], list[str]]:
    """Return why a call can't be declared, and what it is declared without."""
    path, answer, body, is_query = call.path, call.answer, call.body, call.method == "GET"
    odd = [(each, reason) for each in call.parameters if (reason := _why_not_sent(each, call))]
    reasons = {
        "it is deprecated": call.deprecated,
        "its path is none that a hook has": re.search(r"[?#{}]|^//|/\.\.?(/|$)", re.sub(r"\{[^{}]+\}", "", path)),
        "its path names a parameter twice": len({*path_names(path)}) < len(path_names(path)),
        "a query sends no body": is_query and body.required,
        "its answer is nothing that a hook reads": is_query and not (answer.shape or answer.note),
        f"its body: {body.note}": body.note,
        f"its answer: {answer.note}": answer.note,
        **{f"the parameter {each.name} is {reason}": each.required for each, reason in odd},
    }
    without = [f"without the parameter {each.name}, {reason}" for each, reason in odd]
    without += ["without its body, which queries do not send"] if is_query and body.shape else []
    for each in call.headers:
        told = "it needs" if each.required else "without"
        without.append(f"{told} the {each.place} {each.name}, which hooks do not send")
    return [reason for reason, holds in reasons.items() if holds], without
