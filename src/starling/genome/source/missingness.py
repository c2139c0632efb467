"""What validation calls a call or dosage that says too little, and what such a one counts as, in words.

Validation looks at dosages by the calls that they are near to (`dosages.nearest_calls`); a scan and its questions count them as they are.
"""

from typing import Final, NamedTuple

from starling.genome.plan import Plan


class MissingnessWords(NamedTuple):
    """Words for a plan.

    Attributes:
        share: What the share of all is.
        all_field: What SNPs are counted under that have nothing else; `all_have` and `all_fix` are problem and fix.
        field: What SNPs are counted under of which cases and controls lack unlike shares; `fix` is what to do.
    """

    share: str
    all_field: str
    all_have: str
    all_fix: str
    field: str
    fix: str


_LOOK: Final = "take it out of the plan's list, or look at the file"
_BATCHES: Final = "look at batches and calling"
_AS_THE_MEAN: Final = "missing counts as the mean of all calls"
_CALLS: Final = MissingnessWords(
    "calls missing",
    "all calls missing",
    "nothing but missing calls",
    f"nobody carries it then; {_LOOK}",
    "missing calls",
    f"{_BATCHES}: missing counts as no copy, so it looks as if the SNP went with the disease",
)
_CALLS_OF_PHENOTYPES: Final = _CALLS._replace(
    all_fix=f"it tells nothing then; {_LOOK}", fix=f"{_BATCHES}: {_AS_THE_MEAN}"
)
_CALLS_OF_MOMENTS: Final = _CALLS._replace(
    all_fix=f"it tells nothing then; {_LOOK}", fix=f"{_BATCHES}: who lacks a call is left out of that SNP"
)
_DOSAGES: Final = MissingnessWords(
    "dosages missing, or further than .1 from 0, 1 and 2",
    "all dosages uncertain or missing",
    "nothing but dosages that are missing, or further than .1 from 0, 1 and 2",
    f"those that are there count as they are; {_LOOK}",
    "uncertain or missing dosages",
    "look at batches and imputation: what is further than .1 from 0, 1 and 2 counts as it is, what is missing as the mean",
)


_APART: Final = _CALLS._replace(
    all_fix=f"nobody is compared then; {_LOOK}",
    fix=f"{_BATCHES}: missing calls are counted apart, and an answer tells of their difference",
)


def missingness_words(plan: Plan) -> MissingnessWords:
    """The words for what the plan counts, and by its unit."""
    if plan.missing is not None:
        return _APART
    if plan.genotypes == "dosages":
        return _DOSAGES
    if plan.by_moments:
        return _CALLS_OF_MOMENTS
    return _CALLS if plan.unit == "person" else _CALLS_OF_PHENOTYPES
