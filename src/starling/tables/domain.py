"""The domain of tables, as the registry of domains gives it to the frame."""

from pathlib import Path
from typing import Final

from starling.release.checks import Checks
from starling.release.domain import Domain
from starling.release.reading import Release
from starling.tables.artifact.columns import CHECKS
from starling.tables.publication import TablesPublication


class _Tables:
    """Population tables of a plan; see `starling.release.domain.Domain`."""

    name: Final = "tables"

    @property
    def checks(self) -> Checks:
        """The desiderata of SafeTab."""
        return CHECKS

    def reopen(self, folder: Path) -> TablesPublication:
        """The publication of a plan and its regions."""
        from starling.tables.artifact.public_plan import read_plan

        return TablesPublication(*read_plan(folder))

    def opened(self, release: Release) -> Release:
        """A release of tables, as what analysts use."""
        from starling.tables.analysis import opened

        return opened(release)


TABLES: Final[Domain] = _Tables()
