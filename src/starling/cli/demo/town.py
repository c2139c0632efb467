"""The invented town of a server's demo, through which its tour leads: three questions about the same people, and a budget for two.

Who lives there is counted out by a rule, without chance: fewer old people than young ones, more old women than old men.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starling.worker.sources import Registered

POPULATION: Final = "town"
EPSILON: Final = "0.5"
"""Of each of the three."""
GRANTED: Final = "1"
"""To the analyst."""
CAP: Final = "2"
"""Of the town: a custodian can grant as much again."""
AGES: Final = (
    "0 to 9",
    "10 to 19",
    "20 to 29",
    "30 to 39",
    "40 to 49",
    "50 to 59",
    "60 to 69",
    "70 to 79",
    "80 or more",
)
SEXES: Final = ("female", "male")
YOUNGEST: Final = 640
"""People of each sex in the youngest band of age."""
WORK: Final = ("at school", "at work", "at home", "retired")
HOMES: Final = ("alone", "as a couple", "with children", "with others")


@dataclass(frozen=True, slots=True)
class Question:
    """One of the datasets.

    Attributes:
        title: What is published.
        by: The columns that are crossed.
    """

    title: str
    by: tuple[str, ...]


QUESTIONS: Final = {
    "town-ages": Question("Invented town: people by sex and age", ("sex", "age")),
    "town-work": Question("Invented town: people by sex and what they do", ("sex", "work")),
    "town-homes": Question("Invented town: people by age and how they live", ("age", "home")),
}
"""By the names of the datasets, in the order of the tour."""


def people() -> list[tuple[str, str, str, str]]:
    """Sex, age, work and home of each person."""
    rows = []
    for band, age in enumerate(AGES):
        for sex in SEXES:
            survivors = YOUNGEST - (YOUNGEST * band * (band + (sex == "male"))) // 85
            for number in range(max(survivors, 20)):
                working = ("at school", "at school", *["at work"] * 5, "retired", "retired")[band]
                work = "at home" if number % 9 == 0 else working
                home = "with children" if band < 2 else HOMES[(number * (band + 2)) % 4]
                rows.append((sex, age, work, home))
    return rows


def source(folder: Path, name: str) -> "Registered":
    """The plan and the records of one of the datasets, in a new folder."""
    import pyarrow as pa
    import pyarrow.csv as pacsv

    from starling import tables
    from starling.worker.sources import source_of

    folder.mkdir()
    columns = dict(zip(("sex", "age", "work", "home"), zip(*people(), strict=True), strict=True))
    pacsv.write_csv(pa.table({column: pa.array(values) for column, values in columns.items()}), folder / "people.csv")
    question, domains = QUESTIONS[name], {"sex": SEXES, "age": AGES, "work": WORK, "home": HOMES}
    chosen = {column: domains[column] for column in question.by}
    tables.plan(list(question.by), chosen, epsilon=EPSILON, title=question.title).save(folder / "plan.toml")
    return source_of("tables", str(folder / "plan.toml"), {"persons": folder / "people.csv"})
