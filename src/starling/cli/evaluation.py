"""A release beside the truth, as text and for machines: exact errors, for the custodian's eyes."""

from typing import TYPE_CHECKING

from starling.release.text import facts, rounded, table

if TYPE_CHECKING:
    from starling.release.statement import Json
    from starling.tables.evaluate.errors import Errors, Evaluation


def evaluation_text(found: "Evaluation") -> str:
    """Errors by level and kind of number, what the release states beside them, and what was left out."""
    from starling.tables.evaluate.errors import WARNING, Errors

    header = ("level", "number", "rows", "mean error", "mean |error|", "rms error", "stated", "covered")
    rows = [
        (found.levels[str(level)], str(number), *_row(errors))
        for (level, number), errors in found.by("level", "number").items()
    ]
    everything = sum((each.errors for each in found.classes), start=Errors())
    rows.append(("all", "", *_row(everything)))
    gone: dict[str, tuple[int, int, int]] = {}
    for each in found.groups:
        groups, dropped, persons = gone.get(each.level, (0, 0, 0))
        gone[each.level] = (groups + each.groups, dropped + each.suppressed, persons + each.persons)
    left_out = [
        (found.levels[level], f"{groups:,}", f"{dropped:,}", f"{persons / max(dropped, 1):.2f}")
        for level, (groups, dropped, persons) in gone.items()
    ]
    return "\n\n".join(
        [
            WARNING,
            facts([("plan", found.title)]),
            table(header, rows, left=2),
            table(("level", "groups", "not published", "persons in one of these"), left_out),
        ]
    )


def _row(errors: "Errors") -> tuple[str, ...]:
    numbers = (errors.bias, errors.mean_absolute, errors.root_mean_square, errors.stated)
    return (f"{errors.rows:,}", *(rounded(number) for number in numbers), f"{100 * errors.coverage:.2f} %")


def evaluation_json(found: "Evaluation") -> "dict[str, Json]":
    """Every class and group count."""
    from starling.tables.evaluate.errors import WARNING

    return {
        "not_private": True,
        "warning": WARNING,
        "title": found.title,
        "classes": [
            {
                "level": each.level,
                "level_in_words": found.levels[each.level],
                "size": each.size,
                "branch": each.branch,
                "number": each.number,
                "rows": each.errors.rows,
                "mean_error": each.errors.bias,
                "mean_absolute_error": each.errors.mean_absolute,
                "root_mean_square_error": each.errors.root_mean_square,
                "stated_standard_deviation": each.errors.stated,
                "covered": each.errors.covered,
            }
            for each in found.classes
        ],
        "groups": [
            {
                "level": each.level,
                "size": each.size,
                "groups": each.groups,
                "suppressed": each.suppressed,
                "persons_suppressed": each.persons,
            }
            for each in found.groups
        ],
    }
