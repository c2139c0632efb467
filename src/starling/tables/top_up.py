"""More budget for an earlier release: whether a plan may add to it, and its measurements, from its folder alone. Before any charge.

A release is topped up by the same plan with budgets of its own, over the same regions; its ledger, where it names one, must have paid
for the same data. What is drawn stands in mechanism/top_up.py, how both are combined in inference/combined.py.
"""

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from starling.errors import PlanError
from starling.release.manifest import digest, manifest
from starling.release.reading import open_release
from starling.tables.artifact.measured import EARLIER, measurements_path, read_measurements
from starling.tables.earlier import Earlier, earlier_of
from starling.tables.plan import Geography, Plan, TopUp


@dataclass(frozen=True, slots=True)
class ToppedUp:
    """A plan that adds to an open earlier release.

    Attributes:
        plan: It, with its `top_up`.
        folder: Of the earlier release.
    """

    plan: Plan
    folder: Path

    def copy(self, out: Path) -> None:
        """Put the earlier measurements into the folder of the new release, file by file as they are."""
        (out / EARLIER).mkdir(parents=True)
        for level in self.plan.levels:
            shutil.copyfile(self.folder / measurements_path(level), out / measurements_path(level, EARLIER))


@contextmanager
def topping_up(plan: Plan, path: Path, geography: Geography | None = None, dataset: str = "") -> Iterator[ToppedUp]:
    """Open an earlier release, folder or zip, to add to it.

    Args:
        plan: Of the earlier release, but for its title and budgets.
        path: The earlier release.
        geography: The public regions, to be compared with those of the earlier release.
        dataset: What the ledger calls the data that are read now; compared where the earlier release names its own.

    Raises:
        IntegrityError: it is not what was signed.
        ParameterError: it is of another domain.
        PlanError: the plan cannot add to it.
    """
    with open_release(path) as release:
        earlier = earlier_of(release, path)
        _check(plan, earlier, geography, dataset)
        # Every record is read once: after the charge, none of them can make the run fail.
        for _ in read_measurements(release.folder, earlier.plan, earlier.geography):
            pass
        top_up = TopUp(
            hashlib.sha256(manifest(release.folder).encode()).hexdigest(),
            earlier.request_id,
            tuple(level.budget for level in earlier.plan.levels),
            tuple(digest(release.folder / measurements_path(level)) for level in earlier.plan.levels),
        )
        # A promise is of a release that stands alone.
        levels = tuple(replace(level, promises=()) for level in plan.levels)
        yield ToppedUp(replace(plan, levels=levels, top_up=top_up), release.folder)


def _check(plan: Plan, earlier: Earlier, geography: Geography | None, dataset: str) -> None:
    name = earlier.path.name
    if earlier.plan.top_up is not None:
        problem = f"{name} was topped up before, which is done once"
        raise PlanError(field="top-up", problem=problem, fix="release anew, or top up a release that stands alone")
    if _but_budgets(plan) != _but_budgets(earlier.plan):
        problem = f"is not the plan of {name}: more than titles and budgets differ"
        raise PlanError(field="plan", problem=problem, fix="take the plan of that release, with other budgets only")
    if geography is not None and geography.regions != earlier.geography.regions:
        problem = f"has other regions than {name} was released for"
        raise PlanError(field="geography", problem=problem, fix="give the block file of that release")
    if earlier.dataset is not None and dataset not in ("", earlier.dataset):
        problem = f"{name} is about {earlier.dataset}, of {earlier.lineage}, not about {dataset}"
        raise PlanError(field="dataset", problem=problem, fix="name the data that the earlier release was made from")


def _but_budgets(plan: Plan) -> Plan:
    levels = tuple(replace(level, budget=Fraction(1), promises=()) for level in plan.levels)
    return replace(plan, title="", levels=levels)
