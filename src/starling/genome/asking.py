"""Asking a study: by a method for each question, in a session here or at a server; and by JSON, as a server is sent it.

Everything here follows from the public plan. Whoever asks by the methods says in `ask` what becomes of a question.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, Unpack

from starling.errors import ParameterError
from starling.genome.artifact.files import read_plan, write_plan
from starling.genome.plan import (
    ExploreEffects,
    LocBlock,
    LocSig,
    NumSig,
    Plan,
    Question,
    Scan,
    SnpCorr,
    SnpEffects,
    SnpPval,
)
from starling.genome.plan.choices import TITLES
from starling.genome.plan.exploring import DELTA_C, ExploreOptions, Texts, exploration, threshold
from starling.genome.plan.long_lists import at_delta
from starling.genome.plan.missing import kinds_of
from starling.genome.plan.queries import MOST_FOUND, Correlation, Noise, Selection
from starling.genome.plan.same_response import differences
from starling.genome.postprocess.wording import MEASURES, TEST_LABELS
from starling.genome.preview.expected import UNITS, epsilon_for, error_of, meaning_of, unit_of
from starling.genome.preview.page import ExpectedErrors, expected_errors
from starling.genome.preview.typical import RAREST, Assumed
from starling.genome.preview.work import previewing, understanding
from starling.genome.publication import GenomePublication
from starling.planfile.values import exact_text
from starling.privacy.budget import Exact, decimal_up, exact
from starling.privacy.neighbours import Relation
from starling.release import questions
from starling.release.codec import Json
from starling.release.domain import LABELS, MARGIN, Asking, Margin
from starling.release.work import Work

AnswerT = TypeVar("AnswerT")

CORRELATION: Final = "r2"
"""The measure of correlation unless another is asked for."""
COST: Final = "epsilon"
"""The field of a question that states its cost."""
MOST_SUGGESTED: Final = 100
"""Regions that a form lists."""


class Asks(ABC, Generic[AnswerT]):
    """The questions to a study, each a method, with its cost as `epsilon`.

    What all of them have in common:

    - `epsilon`: what the whole answer costs, above 0: a text such as "0.5", or an exact number.
    - `test`: one of the plan's tests, for a selection one that has a distance to significance; the first such of them without it.
    - `regions`: names of regions of the plan to look in, one or several; all of them without it.
    - `excluding`: ranges of SNPs to leave out, each by its first and its last SNP.
    - `correlation`: "r2" or "dprime".
    - `noise`: of counts: "lattice", or "laplace" as published.
    - `request_id`: under which the charge is found again; a fresh one without it.

    Each raises what `ask` raises.
    """

    __slots__ = ()

    plan: Plan

    @abstractmethod
    def ask(self, question: Question, *, request_id: str | None = None) -> AnswerT:
        """The answer to a question.

        Args:
            question: A `NumSig`, `LocSig`, `LocBlock`, `SnpPval`, `SnpCorr`, `Explore`, `Scan`, `SnpEffects` or `ExploreEffects` of
                `starling.genome`.
            request_id: Under which the charge is found again; a fresh one without it.
        """

    def preview(
        self, question: Question, *, cases: int | None = None, rarest: Exact = RAREST, followed: int | None = None
    ) -> ExpectedErrors:
        """What an answer will be worth at its cost, before anything is spent; nothing confidential is read.

        What holds for every study is told in patients; what that means in odds ratios is told for a typical study, which is supposed.

        Args:
            question: A `NumSig`, `LocSig`, `LocBlock`, `SnpPval`, `SnpCorr`, `Explore`, `Scan`, `SnpEffects` or `ExploreEffects` of
                `starling.genome`.
            cases: Suppose that so many people are cases; half of them without it.
            rarest: Suppose that alleles of the list are no rarer than this frequency.
            followed: How many SNPs an exploration is supposed to follow up; the most that it may without it.

        Raises:
            ParameterError: the plan has no such question, or nothing like what is supposed.
        """
        assumed = Assumed.of(self.plan, cases, rarest)
        return expected_errors(assumed, {question.kind: question}, [question.epsilon], followed=followed)

    def at_margin(self, question: Question, margin: Exact) -> Question:
        """A question at the least cost, in thousandths, that keeps a margin 95 times of 100.

        Args:
            question: A question of `starling.genome`, whose own epsilon does not matter.
            margin: In patients; of a `SnpPval` or a `SnpCorr` the width of the widest typical interval, of log10 p or of the correlation.

        Raises:
            ParameterError: the plan has no such question, or no epsilon keeps that margin.
        """
        least = epsilon_for(self.plan, question, exact(margin, field="margin"), field="margin")
        return replace(question, epsilon=least)

    def num_sig(
        self,
        test: str | None = None,
        *,
        epsilon: Exact,
        k: int = 1,
        selection: Selection = "permute-and-flip",
        prevalence_epsilon: Exact | None = None,
        request_id: str | None = None,
    ) -> AnswerT:
        """How many SNPs are significant, told one by one up to `k`, then as a range between powers of two.

        `selection` is "permute-and-flip", or "exponential" as published. `prevalence_epsilon` is the part of epsilon that pays a noisy
        number of cases, or variance, from which the threshold of the score test follows. The class says what the rest means and what is
        raised.
        """
        choices = {"k": k, "epsilon": epsilon, "selection": selection, "prevalence_epsilon": prevalence_epsilon}
        return self._ask(NumSig, request_id, test=self._test(test), **choices)

    def loc_sig(
        self,
        test: str | None = None,
        *,
        epsilon: Exact,
        k: int = 1,
        regions: Texts | None = None,
        excluding: Sequence[tuple[str, str]] = (),
        prevalence_epsilon: Exact | None = None,
        delta: Exact | None = None,
        request_id: str | None = None,
    ) -> AnswerT:
        """The `k` SNPs that are significant, or nearest to it, by the most patients.

        `prevalence_epsilon` is the part of epsilon that pays a noisy number of cases, or variance, from which the threshold of the score
        test follows. With a `delta` epsilon is what all `k` together keep at it, which allows long lists more for each SNP (`at_delta`).
        The class says what else is asked for.
        """
        choices: dict[str, Any] = {"k": k, "epsilon": epsilon, "regions": regions, "excluding": excluding}
        question = LocSig(self._test(test), **choices, prevalence_epsilon=prevalence_epsilon)  # type: ignore[arg-type]
        return self.ask(question if delta is None else at_delta(question, delta), request_id=request_id)

    def loc_block(
        self,
        snps: Texts,
        *,
        epsilon: Exact,
        correlation: Correlation = "r2",
        delta_c: Exact | None = None,
        regions: Texts | None = None,
        longest: int | None = None,
        excluding: Sequence[tuple[str, str]] = (),
        request_id: str | None = None,
    ) -> AnswerT:
        """The longest block of correlated SNPs that contains one of `snps`, an id or several.

        `delta_c` is what each correlation within the block must exceed, in (0, 1): 0.2 for r2 and 0.8 for dprime without it. `longest` is
        the most SNPs of a block; without it there is no bound, and the regions may hold up to 10,000 SNPs.
        """
        choices = {"snps": snps, "epsilon": epsilon, "regions": regions, "longest": longest, "excluding": excluding}
        above = threshold(correlation, delta_c)
        return self._ask(LocBlock, request_id, correlation=correlation, delta_c=above, **choices)

    def snp_pval(
        self,
        snp: str,
        test: str | None = None,
        *,
        epsilon: Exact,
        noise: Noise = "lattice",
        request_id: str | None = None,
    ) -> AnswerT:
        """The p-value of a SNP from noisy counts, with an interval; epsilon is at least 1/4096."""
        return self._ask(SnpPval, request_id, snp=snp, test=self._test(test), epsilon=epsilon, noise=noise)

    def snp_corr(
        self,
        first: str,
        second: str,
        *,
        epsilon: Exact,
        correlation: Correlation = "r2",
        noise: Noise = "lattice",
        request_id: str | None = None,
    ) -> AnswerT:
        """The correlation of two SNPs from noisy counts of who carries both, one or none; epsilon is at least 1/4096."""
        choices = {"correlation": correlation, "epsilon": epsilon, "noise": noise}
        return self._ask(SnpCorr, request_id, first=first, second=second, **choices)

    def explore(
        self,
        test: str | None = None,
        *,
        epsilon: Exact,
        request_id: str | None = None,
        **options: Unpack[ExploreOptions],
    ) -> AnswerT:
        """How many SNPs are significant, which, in which blocks, with which p-values, in one answer.

        All of epsilon is charged at the start, whatever its parts leave unspent. `starling.genome.ExploreOptions` lists the choices.
        """
        return self.ask(exploration(self.plan, test, epsilon, options), request_id=request_id)

    def scan(
        self,
        *,
        epsilon: Exact,
        response: int | None = None,
        intervals: int | None = None,
        median_epsilon: Exact | None = None,
        request_id: str | None = None,
    ) -> AnswerT:
        """A score test and an effect of every SNP, of a plan that protects phenotypes alone.

        It draws a response, which costs epsilon. `response` is the charge of an earlier scan at this epsilon, by its event in the ledger:
        its response is scanned again, by this plan, and costs nothing. A quantitative phenotype is divided into so many `intervals`, 2, 3,
        5 or 8: as many as suit epsilon without it. `median_epsilon` is the part of epsilon that pays its median, about which they lie.
        """
        question = Scan(epsilon, response, intervals, median_epsilon)  # type: ignore[arg-type]
        return self.ask(question.at_best(self.plan), request_id=request_id)

    def snp_effects(
        self,
        snps: Texts,
        *,
        epsilon: Exact,
        prevalence_epsilon: Exact | None = None,
        chosen: bool = False,
        request_id: str | None = None,
    ) -> AnswerT:
        """The effect and the p-value of some SNPs, of a plan that protects phenotypes alone, by noise on all their scores together.

        `prevalence_epsilon` is the part of epsilon that pays a noisy number of cases, from which odds ratios follow. `chosen` states that
        the same phenotypes named the SNPs, as by `loc_sig`: intervals are wider, and hold all the same. Of a
        quantitative phenotype also of a plan that protects whole persons, by noise on moments.
        """
        choices = {"snps": snps, "prevalence_epsilon": prevalence_epsilon, "chosen": chosen}
        return self._ask(SnpEffects, request_id, epsilon=epsilon, **choices)

    def explore_effects(
        self,
        test: str | None = None,
        *,
        epsilon: Exact,
        regions: Texts | None = None,
        most: int = MOST_FOUND,
        selection: Selection = "permute-and-flip",
        prevalence_epsilon: Exact | None = None,
        request_id: str | None = None,
    ) -> AnswerT:
        """How many SNPs are significant, which, and the effects of `most` of them at most, of a plan that protects phenotypes alone.

        All of epsilon is charged at the start, a third for each part. `prevalence_epsilon` is the part of it that pays a noisy number of
        cases, once for all.
        """
        choices = {"regions": regions, "most": most, "selection": selection, "prevalence_epsilon": prevalence_epsilon}
        return self._ask(ExploreEffects, request_id, test=self._test(test), epsilon=epsilon, **choices)

    def _ask(self, kind_of: Callable[..., Question], request_id: str | None, **choices: Any) -> AnswerT:
        """The answer to a question of that kind, which makes its amounts exact and its lists tuples."""
        return self.ask(kind_of(**choices), request_id=request_id)

    def _test(self, test: str | None) -> str:
        return test or self.plan.first_test


@dataclass(frozen=True, slots=True)
class QuestionPlan(Asking):
    """The public plan of a study, and the questions to it as JSON."""

    plan: Plan

    @property
    def title(self) -> str:
        """The plan's."""
        return self.plan.title

    @property
    def relation(self) -> Relation:
        """One person is replaced."""
        return self.plan.relation

    @property
    def digest(self) -> str:
        """Of every public choice but the title."""
        return self.plan.digest

    @property
    def schema(self) -> dict[str, Json]:
        """The JSON Schema of a question, by the classes of the questions, with what this plan has to choose from and to begin with;
        `x-margin` has the unit of a margin of each, and what it means.
        """
        details: dict[str, dict[str, Json]] = {name: {"title": title} for name, title in TITLES.items()}
        for name, text in questions.attributes_of(ExploreOptions).items():
            details[name]["description"] = text
        details["test"][LABELS] = {code: TEST_LABELS[code] for code in self.plan.tests}
        details["correlation"][LABELS] = {**MEASURES}
        first, *others = islice(self.plan.snps.ids, 2)
        details["test"] |= {"enum": list(self.plan.tests), "default": self.plan.first_test}
        details["k"]["default"], details["correlation"]["default"] = 1, CORRELATION
        details["regions"]["examples"] = [[name] for name in islice(self.plan.ranges, MOST_SUGGESTED)]
        details["epsilon"]["examples"] = ["1"]
        details["snp"]["examples"] = details["first"]["examples"] = [first]
        details["snps"]["examples"], details["second"]["examples"] = [[first]], list(others)
        schema: dict[str, Any] = questions.schema(Question, self._defaults(CORRELATION), details)
        margins = {
            kind: {"unit": unit_of(self.plan, kind), "meaning": meaning_of(self.plan, kind), "instead_of": COST}
            for kind in UNITS
        }
        kinds = [each | {MARGIN: margins[each["title"]]} for each in schema["oneOf"]]
        for each in kinds:
            if "response" in each["properties"]:
                each["properties"][COST]["title"] = "What its response costs (epsilon)"
                if self.plan.between is None:
                    del each["properties"]["intervals"], each["properties"]["median_epsilon"]
        for each in kinds:
            each["properties"].pop("prevalence_epsilon" if self.plan.unit == "person" else "noise", None)
        return {"oneOf": [each for each in kinds if each["title"] in kinds_of(self.plan)]}

    def work(self, question: Json, *, preview: bool) -> Work:
        """How much work a question is, which may state no cost in a preview; raises ParameterError where it is none."""
        if not preview:
            return understanding(self.plan, self._read(question))
        return previewing(self.plan, self._read(_priced(question, "1")))

    def ask(self, question: Json) -> GenomePublication:
        """The answer to a question as it would be published; raises ParameterError where the plan has no such question."""
        query = self._read(question)
        query.check(self.plan)
        return GenomePublication(self.plan, query)

    def preview(self, question: Json) -> ExpectedErrors:
        """What the answer to a question will be worth; raises ParameterError where the plan has no such question."""
        query = self._read(question)
        return expected_errors(Assumed.of(self.plan), {query.kind: query}, [query.epsilon])

    def margin(self, question: Json) -> Margin:
        """The error that `at_margin` keeps."""
        query = self._read(question)
        return Margin(decimal_up(Fraction(error_of(Assumed.of(self.plan), query))), unit_of(self.plan, query.kind))

    def at_margin(self, question: Json, margin: Exact) -> Json:
        """A question at the least cost, in thousandths, that keeps a margin; `starling genome preview --error` finds the same."""
        if isinstance(question, dict) and COST in question:
            raise ParameterError(f"question.{COST}", "stands beside a margin", "state one of the two")
        query = self._read(_priced(question, "1"))
        least = epsilon_for(Assumed.of(self.plan), query, exact(margin, field="margin"), field="margin")
        return _priced(question, exact_text(least))

    def check_further(self, question: Json, earlier: Asking, paid: Json) -> None:
        """Raises ParameterError for a scan of a response of other people, phenotypes or intervals, as far as plans say it."""
        now, then = self.ask(question).question, earlier.ask(paid)
        if isinstance(then, GenomePublication) and isinstance(now, Scan) and isinstance(then.question, Scan):
            ParameterError.check(differences((then.plan, then.question.draw), (self.plan, now.draw)))

    def write(self, folder: Path) -> None:
        """Write the plan below a folder, with its SNP list."""
        write_plan(folder, self.plan)

    def _read(self, query: Json) -> Question:
        stated = query.get("correlation") if isinstance(query, dict) else None
        known = stated if isinstance(stated, str) and stated in DELTA_C else CORRELATION
        question: Question = questions.read(Question, query, self._defaults(known))
        return question.at_best(self.plan) if isinstance(question, Scan) else question

    def _defaults(self, correlation: str) -> dict[str, Any]:
        """What the methods have where nothing is said, and the classes have not."""
        above = str(threshold(correlation, None))
        return {"test": self.plan.first_test, "k": 1, "correlation": CORRELATION, "delta_c": above}


def _priced(question: Json, cost: str) -> Json:
    """A question with this cost, unless it states one."""
    return {COST: cost, **question} if isinstance(question, dict) else question


def read_asked(folder: Path) -> QuestionPlan:
    """What `QuestionPlan.write` wrote; raises IntegrityError or PlanError where it did not."""
    return QuestionPlan(read_plan(folder))
