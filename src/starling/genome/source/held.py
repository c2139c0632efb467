"""A study that a session holds as data frames, written as the files that the readers take.

Genotypes are a frame with a row for each person and a column for each SNP of the plan's list, which holds the copies of the carried allele:
0, 1 or 2, or of a plan that counts dosages any number from 0 to 2. Anything else, missing included, is a missing call, as in files; columns
of other SNPs are not looked at. People are named by a column IID, or by the index of a pandas frame. Phenotypes are a frame with IID and a
column of words or whole numbers; joining them and all that comes after is the business of the readers of files.

Privacy. What is refused here is public: the names and types of columns, and how many people there are. No value of a record changes which
bytes are written but its own, and none makes writing fail. The files lie in a folder of this process's account alone, for as long as the
block runs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias, cast

import numpy as np
import pyarrow as pa

from starling.engine.booleans import spelled
from starling.engine.held_records import InMemory, hold, no_table
from starling.errors import Problem, SourceError
from starling.genome.plan import Plan
from starling.genome.plan.snps import Row
from starling.genome.source.bed import BY_SNP, MAGIC
from starling.genome.source.calls import MISSING, packed
from starling.planfile.spelling import shown

Records: TypeAlias = str | Path | InMemory
"""Files by their path, or a frame."""

Files: TypeAlias = tuple[str | Path, str | Path | None, str | Path | None]
"""Genotypes, phenotypes and covariates."""
PERSON: Final = "IID"
VCF_COLUMNS: Final = ("POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT")
LISTED: Final = ("id", "chromosome", "position", "carried", "other")
"""The columns of a SNP list."""
MOST_LISTED: Final = 100
"""SNPs without a column that are named one by one."""
_BOTH: Final = pa.array([True, False])
_ENCODED: Final = re.compile(r"[\s%\x00-\x1f]")
"""What a person's name may not have in a file with fields apart by white space, and the sign that stands for it."""


@contextmanager
def as_files(
    plan: Plan, records: Records, phenotype: Records | None, covariates: Records | None = None
) -> Iterator[Files]:
    """Genotypes, phenotypes and covariates as paths that `open_genotypes` takes; what is a path is not touched.

    Raises:
        SourceError: a frame is none, or lacks a column, or a column of genotypes holds no numbers; or genotypes are one without phenotypes.
    """
    if isinstance(records, str | Path) and all(
        each is None or isinstance(each, str | Path) for each in (phenotype, covariates)
    ):
        yield cast("Files", (records, phenotype, covariates))
        return
    if phenotype is None and not isinstance(records, str | Path):
        fix = "give phenotype, a frame with IID and the phenotype, or a file"
        raise SourceError("phenotype", "is missing: a frame of genotypes has none", fix)
    if plan.x_model == 1 and not isinstance(records, str | Path):
        raise SourceError("records", "state no sex, and the plan counts a man's copy on X as one", "give files")
    with TemporaryDirectory(prefix="starling-") as scratch:
        folder = Path(scratch)
        for what, each in (("phenotype", phenotype), ("covariates", covariates)):
            if _by_place(each) and not _by_place(records):
                problem = f"is a frame without {PERSON}, and the genotypes name people"
                raise SourceError(what, problem, "add that column")
        genotypes = records if isinstance(records, str | Path) else _write_genotypes(plan, records, folder / "study")
        words, columns = phenotype, covariates
        if words is not None and not isinstance(words, str | Path):
            words = _write_phenotypes(plan, words, folder / "phenotypes.txt")
        if columns is not None and not isinstance(columns, str | Path):
            table = _table(columns, (PERSON, *plan.covariates), "covariates")
            columns = _write_columns(table, ("1", "0"), folder / "covariates.txt")
        yield genotypes, words, columns


def _write_genotypes(plan: Plan, data: InMemory, prefix: Path) -> Path:
    snps, names = plan.snps, _names(data, "records", (PERSON, *plan.snps.ids[:1]))
    known = set(names)
    lacking = [name for name in snps.ids if name not in known][:MOST_LISTED]
    fix = "name columns by the ids of the plan's list, or take these SNPs out of it"
    SourceError.check(Problem(name, "of the plan's list has no column in the records", fix) for name in lacking)
    table = _table(data, (PERSON, *snps.ids), "records")
    wrong = [
        Problem(name, f"is a column of {kind}", "give copies of the carried allele from 0 to 2, or missing")
        for name, kind in zip(snps.ids, table.schema.types[1:], strict=True)
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind))
    ]
    SourceError.check(wrong[:MOST_LISTED])
    if plan.genotypes == "dosages":
        return _write_dosages(plan, table, prefix.with_suffix(".vcf"))
    with prefix.with_suffix(".bed").open("wb") as bed:
        bed.write(MAGIC + BY_SNP)
        for name in snps.ids:
            values = table.column(name).cast(pa.float64(), safe=False).fill_null(MISSING).to_numpy()
            calls = np.where(np.isin(values, (0, 1, 2)), values, MISSING).astype(np.int8)
            bed.write(packed(calls[np.newaxis]).tobytes())
    sites = zip(snps.chromosomes, snps.ids, snps.positions.tolist(), snps.carried, snps.other, strict=True)
    lines = (f"{place}\t{each}\t0\t{at}\t{carried}\t{other}\n" for place, each, at, carried, other in sites)
    prefix.with_suffix(".bim").write_text("".join(lines), encoding="utf-8")
    people = "".join(f"0\t{_person(name)}\t0\t0\t0\t-9\n" for name in table.column(PERSON).to_pylist())
    prefix.with_suffix(".fam").write_text(people, encoding="utf-8", errors="backslashreplace")
    return prefix


def _write_dosages(plan: Plan, table: pa.Table, path: Path) -> Path:
    """As a VCF."""
    snps = plan.snps
    sites = zip(snps.chromosomes, snps.positions.tolist(), snps.ids, snps.other, snps.carried, strict=True)
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        names = map(_person, table.column(PERSON).to_pylist())
        file.write("\t".join(["##fileformat=VCFv4.2\n#CHROM", *VCF_COLUMNS, *names]) + "\n")
        for place, at, name, other, carried in sites:
            values = table.column(name).cast(pa.float64(), safe=False).fill_null(MISSING).to_pylist()
            cells = (repr(value) if 0 <= value <= 2 else "." for value in values)
            file.write("\t".join([place, str(at), name, other, carried, ".", ".", ".", "DS", *cells]) + "\n")
    return path


def _write_phenotypes(plan: Plan, data: InMemory, path: Path) -> Path:
    others = [name for name in _names(data, "phenotype", (PERSON, "phenotype")) if name not in (PERSON, "FID")]
    if plan.phenotype is None and not others:
        raise SourceError("phenotype", "has no column but that of people", "add a column with the phenotype")
    table = _table(data, (PERSON, plan.phenotype or others[0]), "phenotype")
    truths = (plan.case,) if (plan.above, plan.between) == (None, None) else ("1", "0")
    if pa.types.is_boolean(table.schema.types[1]) and not {*truths} <= {*spelled(_BOTH, truths).to_pylist()}:
        problem = f"is a column of booleans, and the word for a case is {shown(plan.case)}"
        raise SourceError("phenotype", problem, 'state case = "true" in the plan')
    return _write_columns(table, truths, path)


def _write_columns(table: pa.Table, truths: Sequence[str], path: Path) -> Path:
    """People with some columns, as a file with a header; booleans are as `truths` writes them."""
    columns = [spelled(column.combine_chunks(), truths).to_pylist() for column in table.columns]
    rows = ([_person(person), *map(_word, values)] for person, *values in zip(*columns, strict=True))
    text = "".join("\t".join(row) + "\n" for row in (["#IID", *map(_word, table.column_names[1:])], *rows))
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
    return path


def _by_place(data: object) -> bool:
    """Whether people are known by their places alone: by the numbers that pandas gives the rows of a frame."""
    return type(getattr(data, "index", None)).__name__ == "RangeIndex" and PERSON not in _names(data, "records", ())


def snp_rows(data: InMemory) -> Iterator[Row]:
    """The rows of a public SNP list in a frame with the columns id, chromosome, position, carried and other. Raises SourceError where it is
    no frame, or lacks a column.
    """
    for row in zip(*(column.to_pylist() for column in _table(data, LISTED, "snps").columns), strict=True):
        name, place, *rest = row
        yield (name, str(place), *rest)


def _names(data: Any, what: str, columns: Sequence[str]) -> list[str]:
    """The names of the columns, of a frame, an Arrow table, a relation or a dict; `columns` are some that are wanted, for messages."""
    names = getattr(data, "column_names", None) or getattr(data, "columns", data if isinstance(data, Mapping) else None)
    if names is None:
        raise no_table(data, what, columns)
    return [str(name) for name in names]


def _table(data: Any, columns: tuple[str, ...], what: str) -> pa.Table:
    """The columns of a frame; people may be the index of a pandas frame."""
    if PERSON in columns and PERSON not in _names(data, what, columns) and hasattr(data, "rename_axis"):
        data = data.rename_axis(index=PERSON).reset_index()
    held = hold(data, columns, what)
    return pa.concat_tables([held.schema.empty_table(), *held.tables()])


def _person(name: object) -> str:
    """A person's name as one field of a line: different names stay different.

    >>> _person("p 1"), _person(7), _person("")
    ('p%20;1', '7', '%')
    """
    return _ENCODED.sub(lambda sign: f"%{ord(sign[0]):x};", str(name)) or "%"


def _word(value: object) -> str:
    """A phenotype as one field of a line; missing is NA, and a number that is whole is written as one.

    >>> _word(2.0), _word("a case"), _word(None), _word(float("nan"))
    ('2', 'a_case', 'NA', 'NA')
    """
    if isinstance(value, float):
        value = int(value) if value.is_integer() else None if isnan(value) else value
    return "NA" if value is None else "_".join(str(value).split()) or "NA"
