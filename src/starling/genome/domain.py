"""The domain of genomes, as the registry of domains gives it to the frame."""

from pathlib import Path
from typing import Final

from starling.genome.publication import CHECKS, GenomePublication
from starling.release.domain import Domain
from starling.release.reading import Release


def _reopen(folder: Path) -> GenomePublication:
    from starling.genome.artifact.files import read_public

    return GenomePublication(*read_public(folder))


def _opened(release: Release) -> Release:
    from starling.genome.analysis import opened

    return opened(release)


GENOME: Final = Domain("genome", CHECKS, _reopen, _opened)
