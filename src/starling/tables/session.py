"""Tables in a Python session: a plan that previews, validates, invents and releases, and short ways to a plan.

plan = tables.plan(by=["sex", "age"], domains={"sex": ["F", "M"], "age": range(0, 111)}, epsilon=1)
plan.preview()
release = plan.release(frame)
release.number(sex="F") / release.number()
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from starling.engine.spark import DUCKDB
from starling.errors import SHOWN, ParameterError
from starling.ledger.opening import Ledger
from starling.privacy.budget import Exact, positive
from starling.release.described import Generated
from starling.release.domain import Validated
from starling.release.in_session import released, session_payment
from starling.release.payment import CUSTODIAN
from starling.tables.analysis import TablesRelease
from starling.tables.generate import generate
from starling.tables.generate.files import Format
from starling.tables.plan import Plan as PlanChoices
from starling.tables.plan import known_regions, read_regions, solve_at
from starling.tables.plan.first_plan import columns_of_tables
from starling.tables.preview import SIZES, Preview, preview
from starling.tables.publish import release
from starling.tables.source import InMemory, open_records, validate

Values: TypeAlias = range | Sequence[str] | Sequence[int] | Sequence[bool] | Mapping[str, str]
"""The public values of a column: whole numbers, codes, True and False, or codes with their names."""

TITLE = "Counts"
"""Of a plan that is given none."""


class Plan(PlanChoices):
    """A plan of tables, and what a session does with it.

    It is made by `tables.plan`, read by `Plan.load`, or stated by the keys of a plan file in `Plan.of`. `cost` is what a release costs.
    """

    def __eq__(self, other: object) -> bool:
        """Equal to whatever plan makes the same choices, be it that of a release."""
        if not isinstance(other, PlanChoices):
            return NotImplemented
        return all(getattr(self, each.name) == getattr(other, each.name) for each in fields(PlanChoices))

    __hash__ = PlanChoices.__hash__

    def preview(self, *, geography: str | Path | None = None, sizes: Sequence[int] = SIZES) -> Preview:
        """How far each kind of number will be off. Opens no records.

        Args:
            geography: The block file of the Census, for numbers of groups; other plans name their regions themselves.
            sizes: True sizes of groups to look at.

        Raises:
            PlanError, ParameterError: the regions cannot be read, or a size is no size.
        """
        return preview(self, known_regions(self, geography), sizes=sizes)

    def generate(
        self,
        out: str | Path,
        *,
        persons: int | None = None,
        seed: int = 1,
        states: Sequence[str] | None = None,
        land_for: int | None = None,
        format: Format = "text",
    ) -> Generated:
        """Invent records of the plan, to try everything with; of the Census a geography too. They describe nobody.

        Args:
            out: Folder to make; must not exist.
            persons: How many; by default so many that there are about as many records as the plan expects. The Census needs it.
            seed: Public: the same gives the same records.
            states: Of the Census: two-digit codes; those of the plan without them.
            land_for: Of the Census: make land for so many persons; for as many as there are without it.
            format: Of the files: "text" (CSV, of the Census with `|`) or "parquet".

        Raises:
            ParameterError: a number is out of range, a state is no code, or an option of the Census stands with another plan.
            OutputError: the folder exists or cannot be written.
        """
        into = Path(out).absolute()
        return generate(self, persons=persons, seed=seed, out=into, states=states, land_for=land_for, format=format)

    def validate(
        self, records: str | Path | InMemory, *, geography: str | Path | None = None, most: int = SHOWN
    ) -> Validated:
        """What breaks the rules of reading, for the custodian of the records alone: it is NOT PRIVATE.

        Args:
            records: A file, a folder of Parquet parts, or what the session holds.
            geography: The block file of the Census.
            most: How many faults are listed, and how many notes; all are counted.

        Raises:
            SourceError: they are no records, or are no longer what they were.
        """
        return validate(self, read_regions(self, geography), open_records(records, self), most=most).value

    def release(  # noqa: PLR0913 - what a session may say of a release, by name
        self,
        records: str | Path | InMemory,
        out: str | Path | None = None,
        *,
        ledger: Ledger | str | None = None,
        dataset: str = "",
        analyst: str = CUSTODIAN,
        request_id: str | None = None,
        unvalidated: bool | None = None,
        geography: str | Path | None = None,
        names: str | Path | None = None,
        top_up: str | Path | None = None,
        engine: str = DUCKDB,
    ) -> TablesRelease:
        """Charge the cost, read the records, draw the noise, publish, and open what was published.

        Args:
            records: A file, a folder of Parquet parts, an Arrow table, a frame of pandas, polars or Spark, or a relation of DuckDB.
            out: The folder to make. Without it and without a ledger, a temporary one that goes with the release.
            ledger: Pays, opened or as its URL. Without it nothing limits a further release of the same records.
            dataset: The name of the records in the ledger.
            analyst: Who has a grant there.
            request_id: The id under which the charge is found again; a fresh one without it.
            unvalidated: Whether records are read that nobody accepted in the ledger; by default only without a ledger.
            geography: The block file of the Census.
            names: Of the Census, names of regions to publish beside their ids.
            top_up: An earlier release that this one adds to.
            engine: Counts: duckdb, or spark://local, or the spark://HOST:PORT of a cluster.

        Raises:
            ParameterError, PlanError, SourceError, OutputError: by public checks, before anything is charged.
            BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
            RunFailed: after the charge, always with the same words.
        """
        payment = session_payment(ledger, dataset, analyst, request_id, unvalidated)
        publish = partial(release, self, records, geography, names=names, top_up=top_up, engine=engine)
        return released(payment, publish, TablesRelease, out)


def plan(
    by: Sequence[str],
    domains: Mapping[str, Values] | None = None,
    *,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    rho: Exact | None = None,
    margin: int | None = None,
    cross: int | None = None,
    title: str = TITLE,
) -> Plan:
    """A plan that counts the people with each combination of values of some columns.

    Args:
        by: The columns, at least one.
        domains: The public values of each of them. They are never taken from the records, since which values occur tells of people.
        epsilon: What a release costs, exact: 1, "0.5" or a fraction.
        delta: With epsilon: the plan gets the largest rho that keeps both.
        rho: What it costs under zero-concentrated differential privacy, instead.
        margin: Instead of either, how far each count may be off, in people, at 95 %; the plan gets the least budget that keeps it.
        cross: All tables of up to so many of the columns, in place of one.
        title: What the tables are.

    Raises:
        ParameterError: a column has no domain, or the price is not one of the three.
        PlanError: the values are none of a column.

    >>> plan(["sex"], {"sex": ["F", "M"]}, epsilon=1).cost
    epsilon 1
    """
    prices = {"epsilon": epsilon, "rho": rho, "margin": margin}
    stated = [name for name, value in prices.items() if value is not None]
    if delta is not None and stated != ["epsilon"]:
        raise ParameterError("delta", "stands without epsilon alone", 'state both, as in epsilon=1, delta="1e-10"')
    if len(stated) != 1:
        problem = f"is stated as {' and '.join(stated) or 'none of epsilon, rho and margin'}"
        raise ParameterError("price", problem, "state one of them, as in epsilon=1")
    if isinstance(by, str):
        raise ParameterError("by", "is a text", f"write a list, as in by=[{by!r}]")
    if not by:
        raise ParameterError("by", "names no column", 'name one or more, as in by=["sex"]')
    domains = {} if domains is None else domains
    if not isinstance(domains, Mapping):
        raise ParameterError("domains", "is no dict", 'write the values of each column, as in {"sex": ["F", "M"]}')
    if missing := [name for name in by if domains.get(name) is None]:
        fix = f'give its public values, as in domains={{"{missing[0]}": [...]}}; they are never taken from the records'
        raise ParameterError("domains", f"says nothing of {missing[0]}", fix)
    name = " by ".join(by)
    amount = (epsilon if rho is None else rho) if delta is None else 1
    number = {} if cross is not None else {"number": "total only"}
    price: dict[str, Any] = (
        {"margins": [{**number, "within": margin}]} if amount is None else {"budget": positive(amount, field=stated[0])}
    )
    columns = [_column(each, domains[each]) for each in by]
    if cross is None:
        groups = [{"name": name, "columns": list(by)}]
        measured: dict[str, Any] = {"groups": groups, "levels": [{"groups": name, **price}]}
    else:
        measured = {"tables": {**columns_of_tables(columns), "cross": cross, **price}}
    pure = rho is None and delta is None and (cross is None or epsilon is not None)
    chosen = Plan.of(
        {
            "title": title,
            "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon" if pure else "rho"},
            "records": {"of-a-person": 1},
            "publication": {"negative-counts": True},
            "columns": columns,
            **measured,
        }
    )
    if epsilon is None or delta is None:
        return chosen
    solved = solve_at(chosen, epsilon, delta).plan
    assert isinstance(solved, Plan)
    return solved


def _column(name: str, values: Values) -> dict[str, Any]:
    if isinstance(values, range):
        if values.step != 1 or len(values) < 2:
            raise ParameterError(name, "is no range of whole numbers that follow one another", "write range(0, 111)")
        return {"name": name, "from": values.start, "to": values.stop - 1}
    if isinstance(values, str):
        raise ParameterError(name, "has a text as its values", 'write a list, as in ["F", "M"]')
    if isinstance(values, Mapping):
        return {"name": name, "values": {str(code): text for code, text in values.items()}}
    return {"name": name, "values": [str(value) for value in values]}


def count(
    records: str | Path | InMemory,
    by: Sequence[str] = (),
    domains: Mapping[str, Values] | None = None,
    *,
    epsilon: Exact = Fraction(1),
) -> TablesRelease:
    """Count people once, by the values of some columns: `tables.plan(...).release(records)`.

    Nothing limits a further count of the same people; a `session` does, and so does a plan that a ledger pays for.

    Args:
        records: A file, a folder of Parquet parts, an Arrow table, a frame of pandas, polars or Spark, or a relation of DuckDB.
        by: The columns.
        domains: The public values of each of them.
        epsilon: What it costs.

    Raises:
        ParameterError, PlanError, SourceError: by public checks, before anything is charged.
        RunFailed: after the charge, always with the same words.
    """
    return plan(by, domains, epsilon=epsilon).release(records)
