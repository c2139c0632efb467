"""The domain of genomes, as the registry of domains gives it to the frame."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from starling.release.checks import Check
from starling.release.domain import Domain
from starling.release.reading import Release


class _Genome:
    """Answers to questions about a case-control study; see `starling.release.domain.Domain`."""

    name: Final = "genome"

    def check(self, folder: Path, stated: Mapping[str, Any], hashes: Mapping[str, str]) -> tuple[Check, ...]:
        """The checks of an answer."""
        from starling.genome.verify import check

        return check(folder, stated, hashes)

    def opened(self, release: Release) -> Release:
        """An answer, as what analysts use."""
        from starling.genome.analysis import opened

        return opened(release)


GENOME: Final[Domain] = _Genome()
