"""The domain of group sizes, as the registry of domains gives it to the frame."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starling.groups.analysis import GroupsRelease
from starling.groups.artifact import read_plan
from starling.groups.publication import CHECKS, GroupsPublication
from starling.release.domain import Delivering, Delivery, Domain
from starling.release.report.pages import PreviewPage


def _deliver(plan: str, files: Mapping[str, Path]) -> Delivery:
    from starling.groups.publish import deliver

    return deliver(plan, files)


def _preview(plan: str, _: Mapping[str, Path]) -> PreviewPage:
    from starling.groups.plan import Plan
    from starling.groups.preview import preview

    return preview(chosen := Plan.load(plan), chosen.shares)


GROUPS: Final = Domain(
    "groups",
    CHECKS,
    lambda folder: GroupsPublication(read_plan(folder)),
    GroupsRelease,
    Delivering(("records",), _deliver, _preview),
)
