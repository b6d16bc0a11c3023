"""Bar charts and split bars as coordinates; the templates only draw them.

Coordinates are integers: the digits of a fraction would make the page longer, and no bar more exact.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from portal.web.present import Badge, LazyText, Tone, badge_for, compact_number_text, number_text

#: The page stretches the drawing to the room that it has, so these are shares, not lengths.
SLOT_WIDTH: Final = 100
HEIGHT: Final = 1000
#: A bar takes this share of its slot, in hundredths; with few bars, less.
BAR_WIDTH: Final = 62
FEW_BARS: Final = 6
FEW_BARS_WIDTH: Final = 34
#: The same for the mark of the value before; and how high it is.
BEFORE_WIDTH: Final = 90
BEFORE_HEIGHT: Final = 12
#: With more bars than this, only some have room for a label.
MAX_LABELS: Final = 12
#: So many of them have it on a wide screen, and half as many on a narrow one.
SHOWN_LABELS: Final = 8
SPLIT_WIDTH: Final = 1000
#: Parts of one tone differ in their drawing: filled, open, open with a broken line. Then from the beginning.
DRAWINGS: Final = 3
#: A value outside of these is drawn as 0: no real value is, and the arithmetic of floats fails there.
SMALLEST: Final = 1e-9
LARGEST: Final = 1e15
#: The grid has at most so many steps, each of which is one of these times a power of ten.
MAX_STEPS: Final = 5
STEPS: Final = (1, 2, 2.5, 5, 10, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value, and what it is called.

    :param label: the whole name, for the table and the reading: `Nov 2026`.
    :param text: the value with its unit.
    :param short: the name below the bar, `Nov`; by default the whole one.
    :param group: what many points share, such as the year: it stands below the first of them.
    :param note: why the value is not to be compared with the others, such as "still under way". Its bar is drawn open.
    :param before: the value that it is compared with, such as that of the period before; None for none.
    :param before_text: that value with its unit.
    :param href: where the bar leads, such as the list of its rows; empty for nowhere.
    """

    label: str
    value: float
    text: str
    short: str = ""
    group: str = ""
    note: LazyText = ""
    before: float | None = None
    before_text: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar, and the slot around it that reacts to the pointer.

    :param label_shown: "" for always, "wide-only" for wide screens, "never".
    :param group: the group, where another one began before this label; empty elsewhere.
    :param group_shown: "" for always, "narrow-only" where a wide screen has shown it at an earlier label.
    """

    name: str
    label: str
    value: str
    note: LazyText
    before: str
    href: str
    slot_x: int
    x: int
    y: int
    height: int
    label_shown: str
    group: str
    group_shown: str

    @property
    def reading(self) -> str:
        """All that it says, as one line."""
        noted = f"{self.name}: {self.value} ({self.note})" if self.note else f"{self.name}: {self.value}"
        if not self.before:
            return noted
        return noted + ", " + _("%(value)s before") % {"value": self.before}


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart:
    """Bars over a grid of lines.

    :param axis: the lines' labels, from the top down to 0.
    :param unit: of the values, where the axis does not write it; it stands above the axis.
    :param before: the path of the marks of the values before; empty where there are none.
    :param summary: what stands above the drawing while no bar is read.
    """

    bars: tuple[Bar, ...]
    axis: tuple[str, ...]
    bar_width: int
    unit: LazyText = ""
    before: str = ""
    summary: LazyText = ""
    slot: int = SLOT_WIDTH
    height: int = HEIGHT

    @property
    def width(self) -> int:
        """Width of the drawing."""
        return self.slot * len(self.bars)

    @property
    def lines(self) -> tuple[int, ...]:
        """Heights of the grid's lines, from the top down."""
        steps = len(self.axis) - 1
        return tuple(round(self.height * at / steps) for at in range(steps + 1))

    @property
    def notes(self) -> tuple[LazyText, ...]:
        """What is said of open bars that are seen, once each: the key of the drawing."""
        return tuple(dict.fromkeys(bar.note for bar in self.bars if bar.note and bar.height))


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a whole; `x` and `width` are thousandths of the bar.

    :param drawing: 0, or more for a part whose tone an earlier one has: they look different.
    :param href: where its entry in the legend leads; empty for nowhere.
    """

    label: LazyText
    tone: Tone
    value: str
    x: int
    width: int
    drawing: int = 0
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitBar:
    """One bar that is divided into the parts of a whole."""

    parts: tuple[Part, ...]


def bar_chart(
    points: Sequence[Point],
    *,
    axis_text: Callable[[float], str] = compact_number_text,
    unit: LazyText = "",
    summary: LazyText = "",
) -> BarChart | None:
    """A bar for each of `points`, from left to right; None without any.

    :param axis_text: writes the labels of the grid's lines.
    :param unit: of the labels, if `axis_text` does not write it.
    :param summary: such as the total; else the last bar is read until another one is.
    """
    if not points:
        return None
    values = [_drawn(point.value) for point in points]
    befores = [_drawn(point.before or 0) for point in points]
    step, steps = nice_steps(max(*values, *befores), are_whole=all(float(each).is_integer() for each in values))
    width = FEW_BARS_WIDTH if len(points) <= FEW_BARS else BAR_WIDTH
    bars: list[Bar] = []
    groups: dict[str, str | None] = {"": None, "narrow": None}
    for position, (point, value) in enumerate(zip(points, values, strict=True)):
        height = round(HEIGHT * value / (step * steps))
        shown = _label_shown(position, len(points))
        group, group_shown = _group(point.group, shown, groups)
        bars.append(
            Bar(
                name=point.label,
                label=point.short or point.label,
                value=point.text,
                note=point.note,
                before=point.before_text,
                href=point.href,
                slot_x=position * SLOT_WIDTH,
                x=position * SLOT_WIDTH + (SLOT_WIDTH - width) // 2,
                y=HEIGHT - height,
                height=height,
                label_shown=shown,
                group=group,
                group_shown=group_shown,
            )
        )
    axis = tuple(axis_text(step * at) for at in range(steps, -1, -1))
    before_width = min(BEFORE_WIDTH, 2 * width)
    marks = (
        f"M{position * SLOT_WIDTH + (SLOT_WIDTH - before_width) // 2} "
        f"{HEIGHT - round(HEIGHT * before / (step * steps))}h{before_width}v{BEFORE_HEIGHT}h-{before_width}z"
        for position, before in enumerate(befores)
        if before
    )
    return BarChart(
        bars=tuple(bars),
        axis=axis,
        bar_width=width,
        unit=unit,
        before="".join(marks),
        summary=summary or bars[-1].reading,
    )


def split_bar(
    counts: Mapping[str, int | None], *, badges: Mapping[Any, Badge], href: Callable[[str], str] | None = None
) -> SplitBar | None:
    """A bar that is divided among statuses, those of `badges` first; None without any.

    A status whose count is 0 or None has no width, and still stands in the legend, as 0.

    :param counts: status to count.
    :param href: where a status's entry in the legend leads, such as the list of its rows.
    """
    total = sum(count or 0 for count in counts.values())
    parts: list[Part] = []
    begin, counted = 0, 0
    for code in (code for code in {**badges, **counts} if code in counts):
        count = counts[code] or 0
        counted += count
        end = SPLIT_WIDTH * counted // total if total else 0
        badge = badge_for(code=code, known=badges)
        parts.append(
            Part(
                label=badge.label,
                tone=badge.tone,
                value=number_text(count),
                x=begin,
                width=end - begin,
                drawing=sum(part.tone == badge.tone for part in parts) % DRAWINGS,
                href=href(code) if href and code in badges else "",
            )
        )
        begin = end
    return SplitBar(parts=tuple(parts)) if parts else None


def nice_steps(value: float, *, are_whole: bool = False) -> tuple[float, int]:
    """The grid for values up to this one: how high a step is, and how many there are; the last one reaches `value`.

    A step is 1, 2, 2.5 or 5 times a power of ten.

    :param value: below `LARGEST`.
    :param are_whole: whether only whole numbers make sense as steps.
    """
    if value < SMALLEST:
        return 1, 1
    power = 10.0 ** math.floor(math.log10(value / MAX_STEPS))
    # The arithmetic of floats: 0.3 / 0.1 is a little less than 3.
    grids = ((power * factor, math.ceil(value / (power * factor) - SMALLEST)) for factor in STEPS)
    return next(
        (step, max(1, steps)) for step, steps in grids if steps <= MAX_STEPS and (step.is_integer() or not are_whole)
    )


def _drawn(value: float) -> float:
    """What is drawn of a value."""
    return value if 0 < value < LARGEST else 0


def _group(group: str, shown: str, before: dict[str, str | None]) -> tuple[str, str]:
    """The group of a bar, if it is another than that of the labels before it on a wide or a narrow screen."""
    if shown == "never" or not group:
        return "", ""
    is_new, before[""] = before[""] != group, group
    if shown == "wide-only":
        return (group, "") if is_new else ("", "")
    is_new_there, before["narrow"] = before["narrow"] != group, group
    return (group, "" if is_new else "narrow-only") if is_new_there else ("", "")


def _label_shown(position: int, count: int) -> str:
    """Up to twelve labels: all, or every second one on a narrow screen. More: at most eight, or four."""
    every = 1 if count <= MAX_LABELS else math.ceil(count / SHOWN_LABELS)
    if position % every:
        return "never"
    return "wide-only" if position % (2 * every) else ""
