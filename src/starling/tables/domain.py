"""The domain of tables, as the registry of domains gives it to the frame."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from starling.release.checks import Check
from starling.release.domain import Domain
from starling.release.reading import Release


class _Tables:
    """Population tables of a plan; see `starling.release.domain.Domain`."""

    name: Final = "tables"

    def check(self, folder: Path, stated: Mapping[str, Any], hashes: Mapping[str, str]) -> tuple[Check, ...]:
        """The checks of a release of tables."""
        from starling.tables.verify import check

        return check(folder, stated, hashes)

    def opened(self, release: Release) -> Release:
        """A release of tables, as what analysts use."""
        from starling.tables.analysis import opened

        return opened(release)


TABLES: Final[Domain] = _Tables()
