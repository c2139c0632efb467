"""The domain of genomes, as the registry of domains gives it to the frame."""

from pathlib import Path
from typing import Final

from starling.genome.publication import CHECKS, GenomePublication
from starling.release.checks import Checks
from starling.release.domain import Domain
from starling.release.reading import Release


class _Genome:
    """Answers to questions about a case-control study; see `starling.release.domain.Domain`."""

    name: Final = "genome"

    @property
    def checks(self) -> Checks:
        """The noisy answer, and the tables that follow from it."""
        return CHECKS

    def reopen(self, folder: Path) -> GenomePublication:
        """The publication of a plan and a question."""
        from starling.genome.artifact.files import read_public

        return GenomePublication(*read_public(folder))

    def opened(self, release: Release) -> Release:
        """An answer, as what analysts use."""
        from starling.genome.analysis import opened

        return opened(release)


GENOME: Final[Domain] = _Genome()
