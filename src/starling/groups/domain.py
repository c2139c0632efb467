"""The domain of group sizes, as the registry of domains gives it to the frame."""

from typing import Final

from starling.groups.analysis import GroupsRelease
from starling.groups.artifact import read_plan
from starling.groups.publication import CHECKS, GroupsPublication
from starling.release.domain import Domain

GROUPS: Final = Domain("groups", CHECKS, lambda folder: GroupsPublication(read_plan(folder)), GroupsRelease)
