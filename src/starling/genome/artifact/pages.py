"""The parts of the report that speak of genomes: what was asked and charged, the answer, how far it may be off, what is in the folder.

Everything is computed from the plan, the question and released values.
"""

from fractions import Fraction
from typing import Final

from starling.genome.artifact.columns import schemas
from starling.genome.artifact.data import selections
from starling.genome.artifact.drawn import DRAWN
from starling.genome.artifact.parameters import ASKED, mechanisms
from starling.genome.inference.answers import SelectionError
from starling.genome.pictures.answers import answers
from starling.genome.pictures.gallery import KINDS, picture
from starling.genome.plan import Explore, Plan, Question, SnpCorr, kind
from starling.genome.postprocess import Estimated, Exploration, ExplorationError, PValue
from starling.genome.postprocess.estimates import CONFIDENCE
from starling.genome.postprocess.wording import (
    MEASURES,
    OF,
    TESTS,
    answer_text,
    effect_text,
    error_text,
    p_text,
    verdict,
)
from starling.privacy.budget import decimal_up
from starling.release.report.pages import Section, Table

MOST_ROWS: Final = 50
"""Of a table of the report; the whole is in data/."""
PICTURES: Final = ("manhattan", "ld")
"""Of a report, in order, where they have something to show."""
SURE: Final = (50, 95, 99)
"""Percent."""


def charged(question: Question) -> Section:
    """How the cost of the question comes about."""
    guarantee = question.guarantee
    parts = guarantee.parts or (guarantee,)
    rows = tuple(
        (part.name, decimal_up(part.cost.amount), said) for part, said in zip(parts, mechanisms(question), strict=True)
    )
    text = "One answer was drawn, by one mechanism."
    if isinstance(question, Explore):
        text = """
            An exploration asks one question after another; which ones depends on the public choices and on its noisy answers alone. All of
            its cost was charged before anything was read. What it left unspent, because it stopped early, is spent all the same.
        """
    table = Table(("Part", guarantee.cost.symbol, "Mechanism"), rows, f"{guarantee.cost} in all", words=True)
    return Section("What was asked and charged", text, tables=(table,))


def sections(plan: Plan, question: Question, told: Estimated) -> tuple[Section, ...]:
    """Answer, error, what is public, files."""
    return (_answer(plan, question, told), _error(plan, question, told), _public(plan), _files(plan, question))


def _answer(plan: Plan, question: Question, told: Estimated) -> Section:
    """What was found."""
    lines = answer_text(plan, question, told.answer)
    tables: tuple[Table, ...] = ()
    found = told.answer.p_values if isinstance(told.answer, Exploration) else ()
    found = (told.answer,) if isinstance(told.answer, PValue) else found
    if found:
        tables = (_p_values(plan, found), _effects(plan, found))
    shown = answers(plan, told.answer)
    pictures = tuple(picture(name, shown) for name in PICTURES if KINDS[name].shown(shown))
    return Section(f"The answer: {ASKED[kind(question)]}", "\n\n".join(lines), pictures, tables)


def _p_values(plan: Plan, found: tuple[PValue, ...]) -> Table:
    snps = plan.snps
    rows = tuple(
        (
            each.snp,
            snps.chromosomes[snps.indices[each.snp]],
            f"{int(snps.positions[snps.indices[each.snp]]):,}",
            snps.carried[snps.indices[each.snp]],
            TESTS[each.test],
            *p_text(each),
            verdict(plan, each),
        )
        for each in found[:MOST_ROWS]
    )
    header = (
        "SNP",
        "Chromosome",
        "Position",
        "Carried allele",
        "Test",
        "p",
        "From",
        "To",
        f"At or below {_threshold(plan)}",
    )
    return Table(
        header,
        rows,
        f"p-values of noisy counts, with the {_percent()} interval of each; the counts are in data/snps.csv",
    )


def _effects(plan: Plan, found: tuple[PValue, ...]) -> Table:
    rows = []
    for each in found[:MOST_ROWS]:
        words = [effect_text(one) for one in (each.effect.odds_ratio, each.effect.cases, each.effect.controls)]
        rows.append((each.snp, *(text for value, low, high in words for text in (value, f"{low} to {high}"))))
    of = OF[plan.model]
    header = ("SNP", f"Odds ratio {of}", "Range", f"Share {of}, cases", "Range", f"Share {of}, controls", "Range")
    caption = (
        f"Of the same noisy counts. The three ranges of a SNP hold the exact values together with a probability of {_percent()}; what the"
        " sample leaves open is not in them"
    )
    return Table(header, tuple(rows), caption)


def _error(plan: Plan, question: Question, told: Estimated) -> Section:
    """How far each answer may be off."""
    parts = error_text(plan, question, told.error)
    tables: tuple[Table, ...] = ()
    if isinstance(told.error, SelectionError | ExplorationError):
        parts.append(_SELECTED)
        tables = (_selected(told.error),)
    if not isinstance(told.error, SelectionError):
        what = f"{MEASURES[question.correlation]}" if isinstance(question, SnpCorr) else "p-value"
        parts.append(f"""
            The interval of a {what} holds that of the exact counts with a probability of at least {_percent()}, whatever the data are: it
            is that of every table from which the noise may have led here. The {_percent()} is that of each interval on its own. Of several
            intervals each may miss, so that all of k of them hold with a probability of at least 1 − k × {_missing()}. That a SNP was
            selected changes nothing in this: the noise of its counts was drawn afterwards.
        """)
    parts.append(
        "The intervals and chances speak of the noise alone: not of who was recruited, nor of errors of genotyping."
    )
    return Section("How far the answers may be off", "\n\n".join(parts), tables=tables)


_SELECTED: Final = """
    In formulas: a selected answer is drawn with odds that fall with its score, and scores count persons. The score of a number or of a
    block is how many persons would have to be replaced before another answer became the true one, below 0 how many before it became true
    itself; that of a SNP how many before it stopped being significant, below 0 how many before it became so. The chance that a round's
    answer scores more than t persons below the best one that was left is at most (M − 1) w / (1 + (M − 1) w) with
    w = exp(−ε (t + 1) / (2 k)), M candidates and k rounds. The chance holds for every study alike.
"""


def _selected(error: SelectionError | ExplorationError) -> Table:
    rows = tuple(
        (
            name,
            f"{each.candidates:,}",
            f"{each.rounds:,}",
            decimal_up(each.epsilon),
            *(f"{each.within(1 - Fraction(sure, 100)):,}" for sure in SURE),
        )
        for name, each in selections(error)
    )
    header = ("Answer", "Candidates (M)", "Rounds (k)", "ε", *(f"t, {sure} % sure" for sure in SURE))
    return Table(header, rows, "Persons (t) that no round's score falls short by, all rounds of an answer together")


def _public(plan: Plan) -> Section:
    missing = "a missing call is a person without the allele, and whoever is not marked as a case is a control"
    text = f"""
        Public, and used as such: that the study has {plan.people:,} people, the list of {len(plan.snps):,} SNPs ({_build(plan)})
        with the allele of each that is counted, the {plan.model} model, the tests, the regions and the question. A SNP is called
        significant when its p-value is at or below {_threshold(plan)}, which is {plan.alpha} divided by the number of SNPs. Nothing was
        taken from the genotypes without noise, no allele frequency and no filter.

        Records that say nothing are counted by one rule: {missing}. There are no covariates, and men have two copies or none of what
        is on chromosome X, as PLINK writes it.
    """
    return Section("What is public, and how people are counted", text)


_CONTENT: Final = {
    "number": "the number of significant SNPs, as a range",
    "snps": "the SNPs, with noisy counts and p-values where they were asked for; columns as PLINK names them",
    "blocks": "the blocks, as in PLINK's .blocks.det",
    "pairs": "the correlation with its noisy counts, as in PLINK's .ld",
    "selections": "how far the selected answers may be off",
}


def _files(plan: Plan, question: Question) -> Section:
    rows = (
        *((f"data/{name}.parquet, .csv", _CONTENT[name]) for name in schemas(plan, question)),
        (DRAWN, "the noisy answer as it was drawn; the tables are a function of it"),
        (
            "plan/",
            "the public plan, its SNP list and the question, enough to make the tables from the noisy answer again",
        ),
        ("privacy.json", "what is promised and was charged, with exact amounts"),
        ("datapackage.json", "every file with its SHA-256, every table with its columns"),
        ("registry.yaml", "draft of an entry in OpenDP's registry of deployments"),
        ("SIGNATURE", "over every other file of the folder"),
    )
    table = Table(("File", "Content"), rows, "Files of this release", words=True)
    return Section("What is in this folder", tables=(table,))


def _build(plan: Plan) -> str:
    return f"positions on {plan.build}" if plan.build else "the genome build of their positions is not stated"


def _threshold(plan: Plan) -> str:
    return f"{float(plan.p_threshold):.3g}"


def _percent() -> str:
    return f"{float(100 * CONFIDENCE):g} %"


def _missing() -> str:
    return f"{float(100 * (1 - CONFIDENCE)):g} %"
