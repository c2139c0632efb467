"""The parts of the report that speak of genomes: what was asked and charged, the answer, how far it may be off, what is in the folder.

Everything is computed from the plan, the question and released values.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Final

from starling.genome.artifact.files import DRAWN
from starling.genome.artifact.parameters import mechanisms
from starling.genome.artifact.scans import SCORES
from starling.genome.artifact.tables import Selected, schemas, selections
from starling.genome.inference.answers import SelectionError
from starling.genome.measurements import Number, SelectedSnps
from starling.genome.pictures.answers import answers
from starling.genome.pictures.gallery import KINDS, picture
from starling.genome.plan import Explore, ExploreEffects, LocSig, NumSig, Plan, Question, Scan, SnpCorr, SnpEffects
from starling.genome.plan.choices import UNPROTECTED
from starling.genome.plan.missing import counts_apart
from starling.genome.plan.quantitative import phenotype_in_words
from starling.genome.postprocess.effects import OF, effect_text
from starling.genome.postprocess.estimates import (
    Answer,
    Correlated,
    EffectsAnswer,
    EffectsExploration,
    EffectsExplorationError,
    Estimated,
    Exploration,
    ScanAnswer,
)
from starling.genome.postprocess.lacking import UNLIKE, percent, unlike
from starling.genome.postprocess.p_values import CONFIDENCE, PValue
from starling.genome.postprocess.wording import (
    MEASURES,
    PERCENT,
    TESTS,
    answer_text,
    error_text,
    p_text,
    snps_text,
    verdict,
)
from starling.pages.parts import Headline, Section, Table
from starling.privacy.budget import decimal_up
from starling.release.report.pages import files

MOST_ROWS: Final = 50
"""Rows of a table of the report; the whole is in data/."""
PICTURES: Final = ("manhattan", "ld", "effects", "scan", "scan-qq")
"""Pictures of a report, in order, where they have something to show."""
SURE: Final = (50, 95, 99)
"""Percent."""


def charged(plan: Plan, question: Question) -> Section:
    """How the cost of the question comes about."""
    guarantee = question.guaranteed(plan.relation)
    parts = [(part.name, part.cost.amount) for part in guarantee.parts or (guarantee,)]
    if isinstance(question, Scan) and question.median_epsilon is not None:
        parts = [("median", question.median_epsilon), ("one randomized response", question.response_epsilon)]
    rows = tuple(
        (name, decimal_up(amount), mechanism_text)
        for (name, amount), mechanism_text in zip(parts, mechanisms(plan, question), strict=True)
    )
    text = "One answer was drawn, by one mechanism."
    if isinstance(question, NumSig | LocSig | SnpEffects) and question.prevalence_epsilon is not None:
        text = "The number of cases, or the sum of squares, was drawn first; the rest of the answer follows from it."
    if isinstance(question, Explore | ExploreEffects):
        text = """
            An exploration asks one question after another; which ones depends on the public choices and on its noisy answers alone. All of
            its cost was charged before anything was read. What it left unspent, because it stopped early, is spent all the same.
        """
    total = f"{guarantee.cost} in all"
    if isinstance(question, Scan):
        text = """
            One response was drawn, by a coin for each person, and everything here is made of it. The custodian keeps it where a lasting
            ledger paid: further scans of it cost nothing. Another response is another draw, and the costs of both add up.
        """
        if question.median_epsilon is not None:
            text += "\n\nThe median was drawn before, and is kept with the response: intervals of the phenotype lie about it."
        if question.response is not None:
            total = f"{guarantee.cost}, charged as event {question.response}; nothing for this scan"
            text = f"""
                Nothing was drawn and no phenotype was read: this scan reads the response that event {question.response} of the ledger paid
                for. All scans of that response together cost {guarantee.cost}, once. A file of phenotypes that was changed since changes
                nothing here.
            """
    table = Table(("Part", guarantee.cost.symbol, "Mechanism"), rows, total, words=True)
    return Section("What was asked and charged", text, tables=(table,))


def sections(plan: Plan, question: Question, estimated: Estimated) -> tuple[Section, ...]:
    """Answer, error, what is public, files."""
    lines = answer_text(plan, question, estimated.answer)
    p_values = estimated.answer.p_values if isinstance(estimated.answer, Exploration) else ()
    p_values = (estimated.answer,) if isinstance(estimated.answer, PValue) else p_values
    tables: tuple[Table, ...] = (_p_values(plan, p_values), _effects(plan, p_values)) if p_values else ()
    tables += (_lacking(p_values),) if plan.missing is not None and p_values else ()
    effects = estimated.answer.effects if isinstance(estimated.answer, EffectsExploration) else estimated.answer
    if isinstance(effects, EffectsAnswer) and effects.effects:
        tables = (_effect_table(plan, effects),)
    if isinstance(estimated.answer, ScanAnswer) and estimated.answer.regions:
        tables = (_regions(plan, estimated.answer),)
    shown = answers(plan, estimated.answer, rows=estimated.rows)
    pictures = tuple(picture(name, shown) for name in PICTURES if KINDS[name].shown(shown))
    shown_first, title = headline(plan, estimated.answer), f"The answer: {question.subject}"
    return (
        Section(title, "\n\n".join(lines), pictures, tables, headline=shown_first),
        _error(plan, question, estimated, error_text(plan, question, estimated.error)),
        _public(plan, question.kind),
        _files(plan, question),
    )


def headline(plan: Plan, answer: Answer) -> Headline:
    """The answer in one number, or in the name of what was selected; with what is not protected where phenotypes alone are."""
    shown = _headline(plan, answer)
    return shown if plan.unit == "person" else replace(shown, note=f"{UNPROTECTED}.")


def _headline(plan: Plan, answer: Answer) -> Headline:
    if isinstance(answer, Exploration | EffectsExploration):
        answer = answer.number
    if isinstance(answer, Number):
        number = f"{answer.low:,}" if answer.low == answer.high else f"{answer.low:,} to {answer.high:,}"
        return Headline("Significant SNPs, an estimate", number, f"of {len(plan.snps):,} in the list")
    if isinstance(answer, PValue):
        p, low, high = p_text(answer)
        return Headline(f"p-value of {answer.snp}", p, f"{PERCENT} interval: {low} to {high}")
    if isinstance(answer, Correlated):
        value = answer.value
        ends = f"{PERCENT} interval: {value.low:z.4g} to {value.high:z.4g}"
        pair = f"{MEASURES[answer.measure]} of {answer.first} and {answer.second}"
        return Headline(pair, f"{value.estimate:z.4g}", ends)
    if isinstance(answer, ScanAnswer | EffectsAnswer):
        return _of_scan(answer) if isinstance(answer, ScanAnswer) else _of_effects(answer)
    if isinstance(answer, SelectedSnps):
        return Headline("Selected as the most significant, an estimate", snps_text(answer))
    block = " to ".join(dict.fromkeys(end for end in (answer.first, answer.last) if end is not None))
    return Headline("Selected block of correlated SNPs, an estimate", block or "none is valid")


def _of_scan(answer: ScanAnswer) -> Headline:
    ends = "" if answer.inflation is None else f"; lambda {answer.inflation:z.3f}"
    return Headline("SNPs at or below the threshold", f"{answer.significant:,}", f"of {answer.tested:,}{ends}")


def _of_effects(answer: EffectsAnswer) -> Headline:
    strongest = min(answer.effects, key=lambda each: each.log10_p, default=None)
    if strongest is None:
        return Headline("Effects of SNPs", "none", "covariates explain all of them")
    ratio, name = strongest.odds_ratio, f"{strongest.snp}, the strongest of {len(answer.effects):,}"
    value, low, high = effect_text(strongest.slope if ratio is None else ratio)
    what = "Slope" if ratio is None else "Odds ratio"
    return Headline(f"{what} of {name}", value, f"{PERCENT} interval: {low} to {high}")


def _effect_table(plan: Plan, answer: EffectsAnswer) -> Table:
    snps, rows = plan.snps, []
    further: tuple[str, ...]
    for each in answer.effects[:MOST_ROWS]:
        at = snps.indices[each.snp]
        place = (snps.chromosomes[at], f"{int(snps.positions[at]):,}", snps.carried[at])
        further = ("", "", "") if each.odds_ratio is None else effect_text(each.odds_ratio)
        if plan.by_moments:
            further = (f"{each.frequency:z.3g}", f"{each.people:,}")
        rows.append((each.snp, *place, *effect_text(each.slope), *further, f"{each.z:z.3g}", f"{-each.log10_p:z.2f}"))
    further = ("Its frequency", "People") if plan.by_moments else ("Odds ratio", "From", "To")
    header = ("SNP", "Chromosome", "Position", "Carried allele", "Slope", "From", "To", *further, "z", "−log₁₀ p")
    caption = f"Intervals hold sampling and noise together, each with a chance of about {PERCENT}; all SNPs are in data/effects.csv"
    return Table(header, tuple(rows), caption)


def _p_values(plan: Plan, p_values: tuple[PValue, ...]) -> Table:
    snps, rows = plan.snps, []
    for each in p_values[:MOST_ROWS]:
        at = snps.indices[each.snp]
        place = (snps.chromosomes[at], f"{int(snps.positions[at]):,}", snps.carried[at])
        rows.append((each.snp, *place, TESTS[each.test], *p_text(each), verdict(plan, each)))
    below = f"At or below {_threshold(plan)}"
    header = ("SNP", "Chromosome", "Position", "Carried allele", "Test", "p", "From", "To", below)
    caption = f"p-values of noisy counts, with the {PERCENT} interval of each; the counts are in data/snps.csv"
    return Table(header, tuple(rows), caption)


def _regions(plan: Plan, answer: ScanAnswer) -> Table:
    rows = []
    for each in sorted(answer.regions, key=lambda each: each.log10_p)[:MOST_ROWS]:
        ends = f"{each.first:,} to {each.last:,}" if each.last > each.first else f"{each.first:,}"
        shown = each.odds_ratio if each.beta is None else each.beta
        ratio = "" if shown is None else f"{shown:z.3g}" if each.beta is not None else f"{shown:z.3f}"
        form = "{:.3f} ({:.3f} to {:.3f})" if each.beta is None else "{:.3g} ({:.3g} to {:.3g})"
        without = "" if each.corrected is None else form.format(*each.corrected)
        rows.append((each.chromosome, ends, f"{each.snps:,}", each.lead, f"{-each.log10_p:z.2f}", ratio, without))
    effect = f"Odds ratio {OF[plan.model]}" if plan.between is None else "BETA"
    header = ("Chromosome", "Position", "SNPs", "Strongest SNP", "−log₁₀ p", effect, "Corrected, with interval")
    of, off = ("Odds ratios", "are too far from 1") if plan.between is None else ("BETA", "is too far from 0")
    caption = (
        f"Regions of SNPs at or below the threshold, the strongest first; all SNPs are in data/scan.csv. {of} of SNPs that were named for"
        f" their p-value {off}; the corrected one is too large as often as too small"
    )
    return Table(header, tuple(rows), caption)


def _effects(plan: Plan, p_values: tuple[PValue, ...]) -> Table:
    rows = []
    for each in p_values[:MOST_ROWS]:
        cells = [effect_text(one) for one in (each.effect.odds_ratio, each.effect.cases, each.effect.controls)]
        rows.append((each.snp, *(text for value, low, high in cells for text in (value, f"{low} to {high}"))))
    of = OF[plan.model]
    header = ("SNP", f"Odds ratio {of}", "Range", f"Share {of}, cases", "Range", f"Share {of}, controls", "Range")
    caption = (
        f"Of the same noisy counts. The three ranges of a SNP hold the exact values together with a probability of {PERCENT}; what the"
        " sample leaves open is not in them"
    )
    return Table(header, tuple(rows), caption)


def _lacking(p_values: tuple[PValue, ...]) -> Table:
    """Who lacks a call of each SNP."""
    rows = []
    for each in p_values[:MOST_ROWS]:
        if each.missing is not None:
            shares = [percent(share) for share in (each.missing.cases, each.missing.controls)]
            cells = [text for share in shares for text in (f"{share[0]:z.3g}", f"{share[1]:z.3g} to {share[2]:z.3g}")]
            lacks = each.missing
            rows.append((each.snp, *cells, f"{lacks.p:z.3g}", f"{lacks.low:z.3g}", f"{lacks.high:z.3g}", unlike(lacks)))
    below = f"At or below {float(UNLIKE):g}"
    header = ("SNP", "% of cases", "Range", "% of controls", "Range", "p", "From", "To", below)
    caption = "Who lacks a call, of the same noisy counts: unlike shares make false hits. p is by Fisher's test"
    return Table(header, tuple(rows), caption)


def _error(plan: Plan, question: Question, estimated: Estimated, parts: list[str]) -> Section:
    """How far each answer may be off."""
    tables: tuple[Table, ...] = ()
    if isinstance(estimated.answer, ScanAnswer | EffectsAnswer):
        # Its intervals are of sampling and coins, or noise, as its lines say: what follows is of noisy counts.
        parts.append("Errors of genotyping, and who was recruited, are not in them.")
        return Section("How far the answers may be off", "\n\n".join(parts))
    if isinstance(estimated.error, Selected):
        parts.append(_SELECTED if plan.unit == "person" else f"{_SELECTED}{_OF_PHENOTYPES}")
        tables = (_selected(estimated.error),)
    if not isinstance(estimated.error, SelectionError | EffectsExplorationError):
        what, missing = "p-value", f"{float(100 * (1 - CONFIDENCE)):g}"
        if isinstance(question, SnpCorr):
            what = MEASURES[question.correlation]
        parts.append(f"""
            The interval of a {what} holds that of the exact counts with a probability of at least {PERCENT}, whatever the data are: it
            is that of every table from which the noise may have led here. The {PERCENT} is that of each interval on its own. Of several
            intervals each may miss, so that all of k of them hold with a probability of at least 1 − k × {missing} %. That a SNP was
            selected changes nothing in this: the noise of its counts was drawn afterwards.
        """)
    of = "The intervals and chances speak of the noise alone"
    if isinstance(estimated.error, EffectsExplorationError):
        of = "Chances of selections speak of the noise alone, intervals of effects of the sample too"
    parts.append(f"{of}: not of who was recruited, nor of errors of genotyping.")
    return Section("How far the answers may be off", "\n\n".join(parts), tables=tables)


_SELECTED: Final = """
    In formulas: a selected answer is drawn with odds that fall with its score, and scores count persons. The score of a number or of a
    block is how many persons would have to be replaced before another answer became the true one, below 0 how many before it became true
    itself; that of a SNP how many before it stopped being significant, below 0 how many before it became so. The chance that a round's
    answer scores more than t persons below the best one that was left is at most (M − 1) w / (1 + (M − 1) w) with
    w = exp(−ε (t + 1) / (2 k)), M candidates and k rounds. The chance holds for every study alike.
"""


_OF_PHENOTYPES: Final = "Here a person is replaced by the same one with another phenotype."


def _selected(error: Selected) -> Table:
    rows = []
    for name, each in selections(error):
        within = (f"{each.within(1 - Fraction(sure, 100)):,}" for sure in SURE)
        rows.append((name, f"{each.candidates:,}", f"{each.rounds:,}", decimal_up(each.epsilon), *within))
    header = ("Answer", "Candidates (M)", "Rounds (k)", "ε", *(f"t, {sure} % sure" for sure in SURE))
    caption = "Persons (t) that no round's score falls short by, all rounds of an answer together"
    return Table(header, tuple(rows), caption)


def _public(plan: Plan, kind: str) -> Section:
    build = f"positions on {plan.build}" if plan.build else "the genome build of their positions is not stated"
    others = "everybody who is not marked as a case is a control"
    missing = f"a missing call is a person without the allele, and {others}"
    taken = "Nothing was\n        taken from the genotypes without noise, no allele frequency and no filter."
    covariates = "There are no covariates"
    if plan.by_moments:
        missing = f"who lacks a call is left out of that SNP; {phenotype_in_words(plan)}"
    if plan.unit == "phenotype":
        phenotypes = others if plan.between is None else phenotype_in_words(plan)
        missing = f"a missing call, or covariate, is the mean of the others, and {phenotypes}"
        taken = f"{UNPROTECTED}: the answer was drawn given them. No filter looked at a phenotype."
        covariates = f"The score test is adjusted for {plan.adjusted}"
    if counts_apart(plan, kind):
        missing = f"who lacks a call is counted in a cell of their own, and tests compare the others; {others}"
    text = f"""
        Public, and used as such: that the study has {plan.people:,} people, the list of {len(plan.snps):,} SNPs ({build})
        with the allele of each that is counted, the {plan.model} model, the tests, the regions and the question. A SNP is called
        significant when its p-value is at or below {_threshold(plan)}, which is {plan.alpha} divided by the number of SNPs. {taken}

        Records that say nothing are counted by one rule: {missing}. {covariates}, and men have two copies or none of what
        is on chromosome X, as PLINK writes it.
    """
    return Section("What is public, and how people are counted", text, folded=True)


_CONTENT: Final = {
    "number": "the number of significant SNPs, as a range",
    "cases": "the number of cases with noise, from which the threshold follows",
    "median": "the noisy median of the phenotype, with its possible error in people",
    "variance": "how much phenotypes vary, with noise, from which the threshold follows",
    "snps": "the SNPs, with noisy counts and p-values where they were asked for; columns as PLINK names them",
    "blocks": "the blocks, as in PLINK's .blocks.det",
    "pairs": "the correlation with its noisy counts, as in PLINK's .ld",
    "selections": "how far the selected answers may be off",
    "effects": "each SNP: slope and odds ratio with their intervals, z and p-value",
    "scan": "every SNP: allele frequency, odds ratio with its interval, z and p-value; columns as PLINK 2 names them",
    "regions": "regions of significant SNPs",
}


def _content(plan: Plan, name: str) -> str:
    """What is in a table."""
    if plan.by_moments and name == "effects":
        return "each SNP: slope with its interval, z and p-value, frequency of the allele and number of people"
    return _CONTENT[name] if plan.between is None else _CONTENT[name].replace("odds ratio with its", "BETA with its")


def _files(plan: Plan, question: Question) -> Section:
    rows = (
        *((f"data/{name}.parquet, .csv", _content(plan, name)) for name in schemas(plan, question)),
        (DRAWN, "the noisy answer as it was drawn; the tables are a function of it"),
        *([(SCORES, "the scores of the response, which is in no file")] if isinstance(question, Scan) else []),
        (
            "plan/",
            "the public plan, its SNP list and the question, enough to make the tables from the noisy answer again",
        ),
        ("privacy.json", "what is promised and was charged, with exact amounts"),
    )
    return files(rows)


def _threshold(plan: Plan) -> str:
    return f"{float(plan.p_threshold):z.3g}"
