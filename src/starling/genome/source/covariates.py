"""The covariates of a study: columns of numbers in a file of the custodian's, found by their names.

The file has a header (`#FID IID ...` or `#IID ...`, the `#` optional) and fields apart by white space, as PLINK's --covar takes it.
Its header and size are looked at before the charge. What a line says is read after it, by one rule: a field is a number, or it is
missing: NA, -9, a word, too few fields, no line at all. A missing value is the mean of its column over those who have one. The first
line of a person counts.

Privacy. Covariates are not protected (relation "replace one person's phenotype"), and no phenotype changes a value or a mean here. That the
file itself was not made from phenotypes, such as by choosing columns by their association, is the custodian's word.
"""

import re
from pathlib import Path
from typing import Final

import numpy as np

from starling.errors import Problem, SourceError
from starling.genome.arrays import Float64
from starling.genome.plan import Plan
from starling.genome.source.input_checks import refuse
from starling.genome.source.people import People, PeopleFile, field_of, open_listed
from starling.planfile.spelling import did_you_mean, shown

PEOPLE: Final = (b"FID", b"IID", b"SID")
"""Columns that are no covariates: all others may be, SEX among them."""
MISSING: Final = b"-9"
"""What PLINK writes where there is no covariate."""
LARGEST: Final = 1e100
"""A number beyond it is missing: squares of such numbers overflow."""
_NUMBER: Final = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def open_covariates(path: Path, plan: Plan) -> PeopleFile:
    """Check the public shape of a covariate file.

    Args:
        path: The file.
        plan: Says which columns are meant.

    Raises:
        SourceError: it cannot be read, has no header, or lacks a column of the plan; or the plan adjusts for none.
    """
    if not plan.covariates:
        fix = 'name columns in the plan, such as covariates = ["age"], or leave the file out'
        refuse(path, "is given, and the plan adjusts for none", fix, field="covariates")
    file = open_listed(path, field="covariates", ids=PEOPLE)
    if file is None:
        fix = "write #FID IID and the names of the covariates on the first line"
        refuse(path, "has no header", fix, field="covariates", line=1)
    known = [name.decode("utf-8", "backslashreplace") for name in file.columns if name not in PEOPLE]
    problems = []
    for name in (each for each in plan.covariates if each not in known):
        fix = did_you_mean(name, known).replace("remove it", "correct analysis.covariates in the plan")
        problems.append(Problem("covariates", f"have no column {shown(name)}", fix, path.name, 1))
    SourceError.check(problems)
    return file


def read_covariates(file: PeopleFile, people: People, names: tuple[str, ...], number: int) -> Float64:
    """The covariates of some names, in their order: float64 (number, len(names)), everybody in the order of the genotypes.

    Raises SourceError when a file is no longer the one that was checked; never because of what a line says.
    """
    values = raw_covariates(file, people, names, number)
    present = ~np.isnan(values)
    means = np.where(present, values, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    return np.where(present, values, means)


def raw_covariates(file: PeopleFile, people: People, names: tuple[str, ...], number: int) -> Float64:
    """The covariates as `read_covariates` has them, with NaN where a value is missing."""
    at = [file.columns.index(name.encode()) for name in names]
    values = np.full((number, len(names)), np.nan)
    for row, line in enumerate(people.joined(file, lambda fields: [_value(field_of(fields, index)) for index in at])):
        if row < number and line is not None:
            values[row] = line
    return values


def _value(text: bytes) -> float:
    """The number that a field is, NaN where it is none.

    >>> [_value(text) for text in (b"1.5", b"-2e1", b"NA", b"", b"-9", b"1e200", b"1,5")]
    [1.5, -20.0, nan, nan, nan, nan, nan]
    """
    if text == MISSING or not _NUMBER.fullmatch(text):
        return np.nan
    value = float(text)
    return value if abs(value) <= LARGEST else np.nan
