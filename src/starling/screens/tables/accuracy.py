"""The page on which a plan of tables is chosen by margins or by its whole cost, and saved as a plan file. It opens no records."""

import re
import shlex
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from starling.errors import Problem, StarlingError
from starling.pages.parts import Line, Table
from starling.pages.rendering import served
from starling.planfile.values import exact_text
from starling.screens.domain_pages import OF_REPORT, PACKAGE
from starling.screens.frame import Frame
from starling.screens.replies import Query, Reply, attached
from starling.tables.plan import Plan
from starling.tables.plan.labels import level_text, level_title
from starling.tables.preview import Preview
from starling.tables.preview.accuracy import (
    RECORDS,
    Accuracy,
    accuracy,
    at_cost,
    at_every_margin,
    at_margins,
)

FILE: Final = "accuracy.toml"
"""What a saved plan is called."""
TOML: Final = "application/toml"
_FIELD: Final = re.compile(r"(within|budget)-[0-9]{1,3}")


class AccuracyPages:
    """What is replied to the paths below the page of a plan.

    Args:
        plan: The plan as it stands.
        preview: Its expected error, which is a page beside it; none without it.
    """

    def __init__(self, plan: Plan, preview: Preview | None = None) -> None:
        self._plan, self._preview = plan, preview
        self._stands = accuracy(plan)
        self._titles = {level_text(plan, each): level_title(plan, each) for each in plan.levels}

    def reply(self, path: str, query: str, frame: Frame) -> Reply:
        """The reply to a path below the page, with the query of its address and what stands around the page."""
        try:
            values = Query(query)
            match path:
                case "/":
                    return self._page(values, frame)
                case "/preview" if self._preview is not None:
                    return Reply(self._preview.page().encode(), headers={"Content-Security-Policy": OF_REPORT})
                case "/plan.toml":
                    return attached(self.chosen(values).file().encode(), FILE, TOML)
        except StarlingError as error:
            return self._shown("refused.html", frame, error.status, problems=[str(each) for each in error.problems])
        return self._shown("refused.html", frame, HTTPStatus.NOT_FOUND, problems=["There is no such page."])

    def chosen(self, values: Query) -> Accuracy:
        """The plan by the margins or the cost that are chosen; as it stands where nothing is.

        Raises:
            ParameterError, PlanError: as `at_margins`, `at_every_margin` and `at_cost`.
        """
        by = values.one("by")
        if by == "total" and (total := values.one("total")):
            return at_cost(self._plan, total)
        if by == "every" and (every := values.one("every")):
            return at_every_margin(self._plan, every)
        if by == "margins":
            positions = range(len(self._stands.numbers))
            within, budgets = ({at: values.one(f"{name}-{at}") for at in positions} for name in ("within", "budget"))
            return at_margins(self._plan, within, budgets)
        return self._stands

    def _titled(self, level: str) -> str:
        """The title of a level before the words of the plan file."""
        title = self._titles.get(level, level)
        return level if title.replace(",", "").casefold() == level.casefold() else f"{title}: {level}"

    def _page(self, values: Query, frame: Frame) -> Reply:
        chosen: Accuracy | None = None
        problems: tuple[Problem, ...] = ()
        unsaved = ""
        try:
            chosen = self.chosen(values)
            chosen.file()
        except StarlingError as error:
            if chosen is None:
                problems = error.problems
            else:
                unsaved = str(error)
        shown, by = chosen or self._stands, values.one("by", "margins")
        header, rows, caption = shown.table
        if self._plan.cross is None:
            rows = [(self._titled(level), *rest) for level, *rest in rows]
        unit = "persons" if self._plan.cross is None else RECORDS
        status = next((HTTPStatus.UNPROCESSABLE_ENTITY for _ in problems), HTTPStatus.OK)
        return self._shown(
            "accuracy.html",
            frame,
            status,
            by=by,
            titles=self._titles,
            every=values.one("every"),
            total=values.one("total") if by == "total" or chosen is None else exact_text(chosen.plan.cost.amount),
            fields=[
                (each, (each.within or exact_text(each.budget)) if chosen else values.one(f"{_name(each.reason)}-{at}"))
                for at, each in enumerate(shown.numbers)
            ],
            unit=unit,
            people=sum(each.unit == unit for each in shown.numbers),
            measure=self._plan.cost.measure,
            stands=exact_text(self._plan.cost.amount),
            cost=None if chosen is None else exact_text(chosen.plan.cost.amount),
            table=Table(tuple(map(str.capitalize, header)), tuple(rows), caption, words=True),
            save=f"{frame.release}/plan.toml{values.address()}",
            unsaved=unsaved,
            problems_of=lambda field: [each for each in problems if each.field == field],
            others=[each for each in problems if each.field not in (by, *(number.label for number in shown.numbers))],
            lines=_lines(values, frame),
        )

    def _shown(self, template: str, frame: Frame, status: int, **values: object) -> Reply:
        links = [("Accuracy", f"{frame.release}/")]
        links += [] if self._preview is None else [("Expected error", f"{frame.release}/preview")]
        around = {**frame.values(), "title": self._plan.title, "links": links, **values}
        root = around.pop("root")
        return Reply(served(template, PACKAGE, root, **around).encode(), status=status)


def pages_of(preview: Preview) -> AccuracyPages:
    """The pages of the plan of a preview."""
    return AccuracyPages(preview.overview.plan, preview)


def _name(reason: str) -> str:
    """The field of a number: its margin, or where there is a reason for none, its budget."""
    return "budget" if reason else "within"


def _lines(values: Query, frame: Frame) -> tuple[Line, ...]:
    """The lines that give the same: of the plan that is saved, of the one on this machine, or of the server's."""
    total = values.one("total") if values.one("by") == "total" else ""
    shell = f"starling tables plan {FILE}"
    if frame.path and total:
        shell = f"starling tables plan {shlex.quote(frame.path)} --total {shlex.quote(total)}"
    lines = (
        Line("Python", f'from starling import tables\n\nplan = tables.Plan.load("{FILE}")\nplan.cost, plan.preview()'),
        Line("Shell", shell),
    )
    if not frame.base:
        return lines
    address = f"{frame.base}/v1{frame.release.removeprefix(frame.here)}?{_as_asked(values)}"
    curl = f'curl -H "Authorization: Bearer $STARLING_TOKEN" {shlex.quote(address)}'
    return (*lines, Line("curl", curl))


def _as_asked(values: Query) -> str:
    """The query by which the API gives the value of the page: margins, or budgets, in the order of their numbers."""
    fields = [name for name, _ in values.pairs if _FIELD.fullmatch(name)]
    by_position = {int(name.partition("-")[2]): values.one(name) for name in fields}
    margins = [by_position.get(at, "") for at in range(max(by_position, default=-1) + 1)]
    named = [(name, values.one(name)) for name in ("by", "total", "every") if values.one(name)]
    return urlencode([*named, *(("margins", each) for each in margins)])
