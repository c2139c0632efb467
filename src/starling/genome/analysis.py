"""A genome release for who analyses it: the question, the answer, and how far it may be off."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from starling.errors import ParameterError
from starling.genome.artifact.files import read_drawn, read_public
from starling.genome.artifact.pages import headline
from starling.genome.export import Format, export
from starling.genome.filtering import FilteredScan, filtered
from starling.genome.listing import FindSnps, find_snps
from starling.genome.pictures.answers import Answers, answers, combined
from starling.genome.pictures.gallery import Source, plots
from starling.genome.postprocess.estimates import Answer, Error, estimate
from starling.genome.postprocess.wording import answer_facts
from starling.pages.parts import Headline
from starling.privacy.budget import Exact
from starling.release.codec import Json
from starling.release.plots import Plots
from starling.release.reading import DomainRelease, Release, Rows


class GenomeRelease(DomainRelease):
    """An opened answer to a question.

    Attributes:
        plan: The public plan of the release, with the SNP list.
        question: What was asked.
        drawn: The noisy answer as it was drawn.
        estimated: What it tells, with how far it may be off.
        answer: What it tells.
        error: How far that may be off.
    """

    questions: ClassVar[Any] = Rows | FindSnps

    def __init__(self, release: Release) -> None:
        super().__init__(release)
        self.plan, self.question = read_public(self.folder)
        self.drawn = read_drawn(self.folder, self.question, moments=self.plan.by_moments)
        self.estimated = estimate(self.plan, self.question, self.drawn)
        self.answer: Answer = self.estimated.answer
        self.error: Error = self.estimated.error

    def plot(self, *kinds: str) -> Plots:
        """Its pictures, with their noise: "manhattan", "qq", "ld" and "effects", of a scan "scan" and "scan-qq".

        Args:
            kinds: Which; without any, those that have something to show.

        Raises:
            ParameterError: there is no such kind, or nothing to show.
        """
        return plots(self.pictured, kinds)

    @property
    def pictured(self) -> Answers:
        """What pictures show of it."""
        entry = self.statement["account"]["ledger"]
        data = "" if entry is None or entry["inside"] else entry["dataset"]
        return answers(self.plan, self.answer, data, self.estimated.rows)

    def export(self, path: str | Path, form: Format = "gwas-ssf") -> tuple[Path, ...]:
        """Write its p-values as a file of another format, and a file beside it that says what they are: noisy estimates.

        Args:
            path: File to make; neither it nor the one beside it may exist.
            form: "gwas-ssf" (GWAS-SSF 1.0.2, with PATH-meta.yaml beside it) or "plink-assoc" (PLINK's .assoc), or of a scan or
                of effects "plink-glm" (columns of PLINK 2's --glm), each with PATH.README.txt.

        Returns:
            The files.

        Raises:
            ParameterError: for another format, a release without p-values, or a SNP that the format has no chromosome for.
            OutputError: a file exists, or cannot be written.
        """
        day = str(self.statement["account"]["day"])
        return export(self.plan, self.question, self.drawn, Path(path).absolute(), form, day=day)

    def filter(
        self,
        *,
        regions: Iterable[str] = (),
        min_frequency: Exact = 0,
        min_calls: int = 0,
        threshold: Exact | None = None,
    ) -> FilteredScan:
        """Some SNPs of a scan, by another threshold if wanted, with regions, lambda and pictures anew; free, and nothing else is read.

        Args:
            regions: Names of regions of the plan, chromosomes, or stretches such as "6:25000000-34000000"; all SNPs without them.
            min_frequency: Of the rarer allele, 0 to 0.5: a text such as "0.01", or an exact number.
            min_calls: People with a call, at least.
            threshold: The largest p-value that is significant, such as "5e-8"; without it that of the whole scan.

        Raises:
            ParameterError: the release is no scan, a choice is out of range, or no SNP is left.
        """
        return filtered(self, regions, min_frequency, min_calls, threshold)

    def _answered(self, question: Any) -> Json:
        """Of SNPs, those of the list with what was released of each, as rows."""
        if isinstance(question, FindSnps):
            return find_snps(self.plan, self.pictured, question)
        return super()._answered(question)

    def headline(self) -> Headline:
        """The answer in one number, or in the name of what was selected."""
        return headline(self.plan, self.answer)

    def _facts(self) -> list[tuple[str, str]]:
        title, *rest = super()._facts()
        return [title, *answer_facts(self.plan, self.question, self.answer, self.error), *rest]


def plots_of(releases: Iterable[GenomeRelease], kinds: Sequence[str] = ()) -> Plots:
    """Pictures of the answers of several releases of one plan, with the numbers and what they are from.

    Args:
        releases: Each is looked at once, and only its answers are kept.
        kinds: Some of "manhattan", "qq" and "ld"; without any, those that have something to show.

    Raises:
        ParameterError: the releases are not of one plan, or there is no such kind or nothing to show.
    """
    sources: list[Source] = []

    def named() -> Iterator[tuple[str, Answers]]:
        for release in releases:
            name, question = release.path.name, release.question.subject
            sources.append((name, question, str(release.cost), release.request_id, release.signer.fingerprint))
            yield name, release.pictured

    return plots(combined(named()), kinds, sources)


def opened(release: Release) -> GenomeRelease:
    """A genome release, as what analysts use. Raises ParameterError where it is of another domain, and IntegrityError where its plan or its
    noisy answer is not as Starling writes it.
    """
    if release.statement["domain"] != "genome":
        raise ParameterError("release", "is no genome release", "name one")
    return GenomeRelease(release)
