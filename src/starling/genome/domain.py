"""The domain of genomes, as the registry of domains gives it to the frame."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starling.genome.plan.grammar import PLAN
from starling.genome.publication import CHECKS, GenomePublication
from starling.release.domain import Asking, Delivering, Delivery, Domain, Invented
from starling.release.reading import Release


def _reopen(folder: Path) -> GenomePublication:
    from starling.genome.artifact.files import read_public

    return GenomePublication(*read_public(folder))


def _opened(release: Release) -> Release:
    from starling.genome.analysis import opened

    return opened(release)


def _deliver(plan: str, files: Mapping[str, Path]) -> Delivery:
    from starling.genome.publish import deliver

    return deliver(plan, files)


def _asking(folder: Path) -> Asking:
    from starling.genome.asking import read_asked

    return read_asked(folder)


def _invent(plan: str, _: Mapping[str, Path], folder: Path) -> Invented:
    from starling.genome.generate.standing_in import stand_in

    written, files = stand_in(plan, folder)
    return Invented(str(written), files)


GENOME: Final = Domain(
    "genome",
    CHECKS,
    _reopen,
    _opened,
    Delivering(("genotypes",), _deliver, asking=_asking, optional=("phenotype",), invent=_invent),
    {"genome": PLAN},
)
