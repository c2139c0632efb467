"""An evaluation as one page with pictures: exact errors, for the custodian's eyes, marked so wherever a part of it may go.

The mark stands in the name of the file, in the title, above the text and in the caption of every table.
The page is never written into a release.
"""

import os
from pathlib import Path
from typing import Final

from starling.errors import OutputError, PolicyRefused
from starling.pages.parts import Section, Table, Tile, relative_shade
from starling.pages.rendering import page
from starling.release import statement
from starling.release.text import rounded
from starling.tables.evaluate.errors import MARK, NUMBERS, SIZE_NAMES, SIZES, WARNING, Errors, Evaluation

FILE: Final = "NOT-PRIVATE-evaluation.html"

NUMBER_NAMES: Final = dict(zip(NUMBERS, ("total", "sex", "sex by age"), strict=True))


def check_place(folder: Path) -> None:
    """Whether a page may lie in `folder`.

    Raises:
        PolicyRefused: the folder is a release or lies in one.
        OutputError: the page is there already.
    """
    here = folder.resolve()
    if any((place / statement.FILE).exists() for place in (here, *here.parents)):
        fix = "name a folder outside, which is not published"
        raise PolicyRefused(str(folder), "is a release or lies in one, and this is not private", fix)
    if (folder / FILE).exists():
        raise OutputError(str(folder / FILE), "exists", "remove it, or name another folder")


def write_page(evaluation: Evaluation, folder: Path) -> Path:
    """Write the page into `folder`, which is made if need be; readable by its owner alone.

    Raises:
        PolicyRefused, OutputError: as `check_place`; or when it cannot be written.
    """
    check_place(folder)
    path = folder / FILE
    try:
        folder.mkdir(exist_ok=True, mode=0o700)
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(as_page(evaluation))
    except OSError as error:
        fix = "name a folder in a place that you may write"
        raise OutputError(str(path), f"cannot be written ({error.strerror})", fix) from None
    return path


def as_page(evaluation: Evaluation) -> str:
    """The page, complete in one text."""
    sections = [*(_of_counts(evaluation) if evaluation.levels else ())]
    if evaluation.aggregates:
        sections.append(_of_aggregates(evaluation))
    return page(f"{MARK}: {evaluation.title}", "A release beside the truth", sections, warning=WARNING)


def _of_aggregates(evaluation: Evaluation) -> Section:
    lines = [
        {
            "Aggregate": each.title,
            "Statistic": each.statistic,
            "Groups": f"{each.groups:,}",
            "Mean absolute error": rounded(each.mean_absolute_error),
            "Held by interval or margin": _percent(each.coverage),
        }
        for each in evaluation.aggregates
    ]
    text = "Errors are in records for sizes, in the unit of the column for sums and means, in ranks for quantiles."
    caption = f"{MARK}. Errors over all groups that have the statistic"
    return Section("Sums, means and quantiles", text, tables=(Table.of(lines, caption, words=True),))


def _of_counts(evaluation: Evaluation) -> tuple[Section, ...]:
    by_size = evaluation.by("level", "number", "size")
    totals = {key[::2]: errors for key, errors in by_size.items() if key[1] == "total"}
    shares: dict[tuple[int | str, ...], Tile] = {
        (each.level, each.size): Tile(_percent(each.suppressed / each.groups), each.suppressed / each.groups)
        for each in evaluation.groups
    }
    return (
        Section(
            "How far the totals are off",
            """
            Persons between the published total of a group and the true one, by the true size of the group: the root of the mean
            square. The noise is the same for small and large groups that take one branch; a group with more cells has more of it
            in its total.
            """,
            tables=(
                _by_size(
                    evaluation,
                    {
                        (level, size): Tile(f"± {_short(error)}", relative_shade(error / max(int(size), 1)))
                        for (level, size), each in totals.items()
                        for error in [each.root_mean_square]
                    },
                    "Root mean square error of published totals, in persons; the stronger the colour, the larger beside the size of the"
                    " group. Cells without published groups are empty.",
                ),
                _numbers(evaluation),
            ),
        ),
        Section(
            "Whether the intervals hold",
            """
            Of all groups, published or not, at least 95 % of the intervals hold the true total. Below the state a very small group
            is published only when its noise was high: there fewer hold, all that miss being too high.
            """,
            tables=(
                _by_size(
                    evaluation,
                    {key: Tile(_percent(each.coverage), _missing(each)) for key, each in totals.items()},
                    "Share of the intervals of published totals that hold the true total; the stronger the colour, the further below 95 %."
                    " Where a square stands for few groups, one of them moves it.",
                ),
            ),
        ),
        Section(
            "By the detail that a group got",
            "A noisy stage-1 total chose the detail; the numbers are of the independent stage-2 measurement.",
            tables=(_by_branch(evaluation),),
        ),
        Section(
            "What is not published",
            """
            Below the state a bare total is left out when an empty group could well have it. Groups of other branches are always
            there.
            """,
            tables=(_by_size(evaluation, shares, "Share of the groups that are not published, by true size."),),
        ),
    )


def _by_size(evaluation: Evaluation, marked: dict[tuple[int | str, ...], Tile], caption: str) -> Table:
    """Levels by size classes; `marked` by level and size."""
    grid = [[marked.get((level, size)) for size in SIZES] for level in evaluation.levels]
    header = ("True size of a group", *SIZE_NAMES)
    return Table.of_tiles(header, [*evaluation.levels.values()], grid, f"{MARK}. {caption}")


def _by_branch(evaluation: Evaluation) -> Table:
    totals = {
        key[1:]: errors for key, errors in evaluation.by("number", "level", "branch").items() if key[0] == "total"
    }
    grid = [
        [
            None
            if errors is None
            else Tile(f"± {_short(errors.root_mean_square)}, {_percent(errors.coverage)}", _missing(errors))
            for branch in evaluation.details
            for errors in [totals.get((level, branch))]
        ]
        for level in evaluation.levels
    ]
    caption = "Root mean square error of totals, and share of their intervals that hold the truth; a stronger colour below 95 %."
    header = ("Published detail", *evaluation.details.values())
    return Table.of_tiles(header, [*evaluation.levels.values()], grid, f"{MARK}. {caption}")


def _numbers(evaluation: Evaluation) -> Table:
    header = ("Level", "Number", "Rows", "Mean error", "Mean |error|", "RMS error", "As stated", "Intervals that hold")
    rows = tuple(
        (
            evaluation.levels[str(level)],
            NUMBER_NAMES[str(number)],
            f"{errors.rows:,}",
            *map(_short, (errors.bias, errors.mean_absolute, errors.root_mean_square, errors.stated)),
            _percent(errors.coverage),
        )
        for (level, number), errors in evaluation.by("level", "number").items()
    )
    return Table(
        header, rows, f"{MARK}. Errors of all published numbers, and the standard deviation that the release states"
    )


def _missing(errors: Errors) -> float:
    """Shade of a coverage: light from 95 % on, dark at 50 %."""
    return min(max((0.95 - errors.coverage) / 0.45, 0.0), 1.0)


def _percent(part: float) -> str:
    return f"{100 * part:z.0f} %" if part in (0.0, 1.0) else f"{100 * part:z.1f} %"


def _short(number: float) -> str:
    return f"{number:z,.0f}" if abs(number) >= 100 else f"{number:z.3g}"
