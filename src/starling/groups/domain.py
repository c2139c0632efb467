"""The domain of group sizes, as the registry of domains gives it to the frame."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starling.groups.analysis import GroupsRelease
from starling.groups.artifact import read_plan
from starling.groups.plan.grammar import PLAN
from starling.groups.publication import CHECKS, GroupsPublication
from starling.release.domain import Delivering, Delivery, Domain, Invented
from starling.release.report.pages import PreviewPage


def _deliver(plan: str, files: Mapping[str, Path]) -> Delivery:
    from starling.groups.publish import deliver

    return deliver(plan, files)


def _preview(plan: str, _: Mapping[str, Path]) -> PreviewPage:
    from starling.groups.plan import Plan
    from starling.groups.preview import preview

    return preview(chosen := Plan.load(plan), chosen.shares)


def _invent(plan: str, _: Mapping[str, Path], folder: Path) -> Invented:
    from starling.groups.generate.standing_in import stand_in
    from starling.groups.plan import Plan
    from starling.groups.preview import known_shares

    chosen = Plan.load(plan)
    written, records = stand_in(Path(plan), chosen, known_shares(chosen, None)[0], folder)
    return Invented(str(written), {"records": records})


GROUPS: Final = Domain(
    "groups",
    CHECKS,
    lambda folder: GroupsPublication(read_plan(folder)),
    GroupsRelease,
    Delivering(("records",), _deliver, _preview, invent=_invent),
    {"groups": PLAN},
)
