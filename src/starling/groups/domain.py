"""The domain of group sizes, as the registry of domains gives it to the frame."""

from pathlib import Path
from typing import Final

from starling.groups.artifact.public_plan import read_plan
from starling.groups.publication import CHECKS, GroupsPublication
from starling.release.checks import Checks
from starling.release.domain import Domain
from starling.release.reading import Release


class _Groups:
    """Numbers of groups by size over nested regions; see `starling.release.domain.Domain`."""

    name: Final = "groups"

    @property
    def checks(self) -> Checks:
        """The measurements are whole, the conditions hold, intervals are those of the noise."""
        return CHECKS

    def reopen(self, folder: Path) -> GroupsPublication:
        """The publication of a plan."""
        return GroupsPublication(read_plan(folder))

    def opened(self, release: Release) -> Release:
        """A release of group sizes, as what analysts use."""
        from starling.groups.analysis import opened

        return opened(release)


GROUPS: Final[Domain] = _Groups()
