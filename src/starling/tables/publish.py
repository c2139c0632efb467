"""The road of a tables release, from person records to a folder that everybody may read.

Public checks come first, with full messages. Then the charge, then the read, then the draw, to which the charge is committed
before anybody can see it: `privacy.trust.publish` holds that order. What follows is post-processing of released values. Last,
the ledger keeps the manifest of the finished folder, and the folder is put into place; a run that dies on the way is taken up
by the next one of the same request.
"""

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq

from starling.engine.choice import DUCKDB, check_engine
from starling.ledger.opening import Ledger
from starling.privacy.trust import Confidential, Receipt, publish
from starling.release import pipeline
from starling.release.commitment import Commitment
from starling.release.payment import Payment, finish
from starling.release.pipeline import CUSTODIAN, Approve, Charged, Step, order
from starling.release.records import Records
from starling.release.session import html, public
from starling.release.text import facts
from starling.tables.artifact import keep_measurements, with_earlier, write_release
from starling.tables.artifact.measured import EARLIER, read_measurements
from starling.tables.counts import GroupCounts, cluster_for, count
from starling.tables.earlier.top_up import topping_up
from starling.tables.measurements import Measurements
from starling.tables.mechanism import MeasuredAgain, SafeTab
from starling.tables.plan import Geography, Plan, read_geography
from starling.tables.postprocess import tabulate
from starling.tables.request import request_body
from starling.tables.source import open_persons


@dataclass(frozen=True, slots=True, repr=False)
class Published(pipeline.Published):
    """What a release of tables ended in.

    Attributes:
        plan: As released: with what it adds to.
    """

    plan: Plan

    def rows(self, table: str) -> int:
        """Rows of "t1" or "t2"."""
        return int(pq.read_metadata(self.folder / "data" / f"{table}.parquet").num_rows)

    def __repr__(self) -> str:
        """For a session: what was published, its rows, what it cost, where it is."""
        return facts(self._facts())

    def _repr_html_(self) -> str:
        (_, title), *rest = self._facts()
        return html(title, rest)

    def _facts(self) -> list[tuple[str, str]]:
        charge = f"charged {self.plan.cost}" if self.receipt else "charged nothing: it was published before"
        return [
            ("release", f"tables: {self.plan.title}"),
            ("rows", ", ".join(f"{table} {self.rows(table):,}" for table in ("t1", "t2"))),
            ("cost", f"{charge} (request {self.request_id})"),
            ("published as", str(self.folder)),
        ]

    def __dir__(self) -> list[str]:
        return public(self)


def release(  # noqa: PLR0913 - one for each public choice
    plan: Plan,
    persons: str | Path,
    geography: str | Path,
    out: str | Path,
    *,
    names: str | Path | None = None,
    top_up: str | Path | None = None,
    ledger: Ledger | None = None,
    dataset: str = "",
    analyst: str = CUSTODIAN,
    request_id: str | None = None,
    unvalidated: bool = False,
    engine: str = DUCKDB,
    step: Step = lambda _: None,
    approve: Approve = lambda *_: None,
    charged: Charged = lambda _: None,
) -> Published:
    """Publish the tables of a plan as the folder `out`.

    Args:
        plan: Public choices.
        persons: Confidential person records, text or Parquet.
        geography: The public geographic reference file.
        out: Folder to make; must not exist, unless it is the answer of this very request.
        names: Optional table of names of regions, published beside their ids (`read_geography`).
        top_up: An earlier release of the same plan but for budgets: spend more on its groups, and combine both. Levels that the
            plan leaves out are measured no further.
        ledger: Pays, for `dataset`, in the name of `analyst`. Without one, a fresh ledger inside the folder grants the plan's
            cost once, and the report says that nothing then limits a second release.
        dataset: Registered in the ledger.
        analyst: Who has a grant there.
        request_id: Under which the charge is found again; a fresh one without it.
        unvalidated: Read files that nobody accepted in the ledger (`starling tables validate --accept`); the release then says so. Needed
            without a ledger, where nobody keeps that they were looked at.
        engine: Counts: duckdb, or spark://local, or the spark://HOST:PORT of a cluster. The counts are the same.
        step: Told of each public step.
        approve: Called last before the charge, with the order and how far earlier runs of it came; refuses by raising.
        charged: Told the request id as soon as the charge is durable.

    Raises:
        ParameterError, PlanError, SourceError, OutputError: by public checks, before anything is charged.
        BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
        RunFailed: after the charge, always with the same words.
    """
    check_engine(engine)
    step("reading the public geography")
    regions = read_geography(Path(geography), plan, names=None if names is None else Path(names))
    source = open_persons(Path(persons), plan)
    with ExitStack() as stack:
        earlier = None
        if top_up is not None:
            step("reading the earlier release")
            earlier = stack.enter_context(topping_up(plan, Path(top_up), regions, dataset))
            plan = earlier.plan
        asked = order(
            Path(out),
            request_body(plan, regions),
            plan.guarantee,
            ledger=ledger,
            dataset=dataset,
            analyst=analyst,
            request_id=request_id,
            read=Records(lambda: (*source.parts, Path(geography)), unvalidated, "starling tables validate"),
            together=plan.together,
        )
        stage = asked.stage()
        if stage == "answered":
            return Published(Path(out), asked.request_id, None, plan)
        accepted = asked.accepted()
        approve(asked, stage)
        cluster = stack.enter_context(cluster_for(engine, source))
        folder, payment = stack.enter_context(asked.writing(step, accepted=accepted))
        if earlier is not None:
            earlier.copy(folder)
        counts = count(plan, regions, source, cluster=cluster)
        receipt = _fill(folder, plan, regions, counts, payment, step, charged)
    return Published(Path(out), receipt.request_id, receipt, plan)


def _fill(
    folder: Path,
    plan: Plan,
    regions: Geography,
    counts: Confidential[GroupCounts],
    payment: Payment,
    step: Step,
    charged: Charged,
) -> Receipt:
    """Charge, count, draw, commit, tabulate, write, sign, seal; from the draw on, piece by piece."""
    drawn = partial(read_measurements, plan=plan, geography=regions)
    with payment.paying(folder, drawn, charged) as (account, commitment):
        step("charging, counting and drawing noise")
        measurements = publish(counts, _mechanism(folder, plan, regions, commitment), commitment)
        step("tabulating and writing the release")
        values = measurements.then(partial(with_earlier, folder, plan, regions))
        write_release(folder, plan, regions, values.then(partial(tabulate, plan, regions)))
        finish(account, payment, folder)
    return measurements.receipt


def _mechanism(
    folder: Path, plan: Plan, regions: Geography, commitment: Commitment[Measurements]
) -> SafeTab | MeasuredAgain:
    """What the plan asks for; measurements are kept encrypted until the charge is committed to them."""
    keep = partial(keep_measurements, folder, commitment.create, plan, regions)
    if plan.variants.top_up is None:
        return SafeTab(plan, regions, keep)
    return MeasuredAgain(plan, read_measurements(folder, plan, regions, EARLIER), keep)
