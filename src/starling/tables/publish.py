"""The road of a tables release, from person records to a folder that everybody may read.

Public checks come first, with full messages. Then the charge, then the read, then the draw: `privacy.trust.publish` holds
that order. What follows is post-processing of released values.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from starling.ledger.memory import OneCharge
from starling.privacy.entropy import fresh_id
from starling.privacy.trust import Account, Released, publish
from starling.release.bundle import writing
from starling.tables.artifact import write_release
from starling.tables.counts import count
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Geography, Plan, read_geography
from starling.tables.postprocess import Tables, tabulate
from starling.tables.source import open_persons

Step = Callable[[str], None]
"""Told the name of each public step of the road as it begins."""


def release(
    plan: Plan,
    persons: Path,
    geography: Path,
    out: Path,
    *,
    account: Account | None = None,
    request_id: str | None = None,
    step: Step = lambda _: None,
) -> Released[Tables]:
    """Publish the tables of a plan as the folder `out`.

    Args:
        plan: Public choices.
        persons: Confidential person records, text or Parquet.
        geography: The public geographic reference file.
        out: Folder to make; must not exist.
        account: Pays. Without one, an account in memory grants the plan's cost once, and the report says that nothing then
            limits a second release.
        request_id: Under which the charge is found again; a fresh one without it.
        step: Told of each public step.

    Raises:
        PlanError, SourceError, OutputError: by public checks, before anything is charged.
        BudgetRefused, PolicyRefused: by the account, before anything is read.
        RunFailed: after the charge, always with the same words.
    """
    step("reading the public geography")
    regions = read_geography(geography, plan)
    source = open_persons(persons, plan)
    with writing(out, step) as folder:
        payer = account or OneCharge(plan.cost, request_id or fresh_id())
        step("charging, counting and drawing noise")
        measurements = publish(count(plan, regions, source), SafeTab(plan, regions), payer)
        step("tabulating")
        tables = measurements.then(partial(tabulate, plan, regions))
        step("writing the release")
        write_release(folder, plan, regions, measurements, tables)
    return tables


__all__ = ["Geography", "release"]
