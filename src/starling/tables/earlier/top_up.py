"""More budget for an earlier release: whether a plan may add to it, and its measurements, from its folder alone. Before any charge.

A release is topped up by the same plan with budgets of its own, in all or some of its levels, over the same regions; its ledger, where it
names one, must have paid for the same data. What is drawn stands in mechanism/top_up.py, how both are combined in
inference/combined.py. Levels that the plan leaves out are measured no further, cost nothing, and are not in the new release: they stay
as the earlier one published them.
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
from starling.tables.artifact.measured import measurements_path, place_of, read_measurements, with_earlier
from starling.tables.earlier.releases import Earlier, earlier_of
from starling.tables.plan import Geography, Plan, TopUp


@dataclass(frozen=True, slots=True)
class ToppedUp:
    """A plan that adds to an open earlier release.

    Attributes:
        plan: The plan that adds to the earlier release, with its `top_up`.
        folder: The folder of the earlier release.
    """

    plan: Plan
    folder: Path

    def copy(self, out: Path) -> None:
        """Put the earlier measurements into the folder of the new release, file by file as they are."""
        for back in range(len(self.plan.variants.releases)):
            here, there = place_of(back), place_of(back + 1)
            (out / there).mkdir(parents=True)
            for level in self.plan.levels:
                shutil.copyfile(self.folder / measurements_path(level, here), out / measurements_path(level, there))


@contextmanager
def topping_up(plan: Plan, path: Path, geography: Geography | None = None, dataset: str = "") -> Iterator[ToppedUp]:
    """Open an earlier release, folder or zip, to add to it.

    Args:
        plan: The plan of the earlier release, but for its title and budgets, and perhaps without some of its levels.
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
        kept = earlier.plan.only([level.name for level in plan.levels])
        drawn = read_measurements(release.folder, kept, earlier.geography)
        # Every record is read once: after the charge, none of them can make the run fail.
        for _ in with_earlier(release.folder, kept, earlier.geography, drawn):
            pass
        top_up = TopUp(
            hashlib.sha256(manifest(release.folder).encode()).hexdigest(),
            earlier.request_id,
            earlier.ledger or "",
            earlier.plan.cost.amount,
            tuple(level.budget for level in kept.levels),
            tuple(digest(release.folder / measurements_path(level)) for level in kept.levels),
            kept.variants.top_up,
        )
        # An accuracy target is of a release that stands alone.
        levels = tuple(replace(level, targets=()) for level in plan.levels)
        yield ToppedUp(replace(plan, levels=levels, variants=replace(plan.variants, top_up=top_up)), release.folder)


def _check(plan: Plan, earlier: Earlier, geography: Geography | None, dataset: str) -> None:
    name = earlier.path.name
    names = {level.name for level in plan.levels}
    known = {level.name for level in earlier.plan.levels}
    if not names <= known or _but_budgets(plan) != _but_budgets(earlier.plan.only(names)):
        problem = f"is not the plan of {name}: more than title, budgets and levels left out differs"
        fix = "take the plan of that release, with other budgets, and without the levels that are good enough"
        raise PlanError(field="plan", problem=problem, fix=fix)
    if geography is not None and any(
        regions != earlier.geography.regions[level] for level, regions in geography.regions.items()
    ):
        problem = f"has other regions than {name} was released for"
        raise PlanError(field="geography", problem=problem, fix="give the block file of that release")
    if earlier.dataset is not None and dataset not in ("", earlier.dataset):
        problem = f"{name} is about {earlier.dataset}, of {earlier.population}, not about {dataset}"
        raise PlanError(field="dataset", problem=problem, fix="name the data that the earlier release was made from")


def _but_budgets(plan: Plan) -> Plan:
    levels = tuple(replace(level, budget=Fraction(1), targets=()) for level in plan.levels)
    return replace(plan, title="", levels=levels, variants=replace(plan.variants, top_up=None))
