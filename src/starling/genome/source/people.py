"""Phenotypes: the people of a genotype file in its order, and who is a case, from it or from a file of their own.

The number of people is public, so it is checked before the charge. What a line says is confidential and is looked at after it, by one
rule for every line: a person is a case when the phenotype is, letter by letter, the plan's word for a case; of a quantitative phenotype,
when it is a decimal number above the plan's. Everybody else is a control: another word, -9 or NA, too few fields on the line, no line at
all. Where the plan has a range of phenotypes, a decimal number but -9 is its step (plan/quantitative.py), and everything else the middle
one. The first line of a person counts. Who has a line is confidential, too, unless the plan declares the ids public.

Files: .fam; .psam and phenotype files with a header (`#FID IID ...`, `#IID ...`, the `#` optional in a phenotype file); phenotype files
without one (family, person, phenotype). Of Oxford's .sample (https://www.cog-genomics.org/plink/2.0/formats#sample) ids and sexes alone are
read: names of columns (`ID_1 ID_2 missing ...` or `ID missing ...`), their types, people; an ID_1 that is 0 of everybody is no family.
Phenotypes are found by family and person where both files have families, else by person, or by FAMILY_PERSON, as PLINK names the people of
a VCF.
"""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from starling.errors import Problem, SourceError
from starling.genome.arrays import Flags, Int64
from starling.genome.plan import Plan
from starling.genome.plan.quantitative import step_of
from starling.genome.source.input_checks import read_all, refuse, size_of
from starling.planfile.spelling import shown

IDS: Final = (b"FID", b"IID", b"SID", b"PAT", b"MAT", b"SEX")
"""Columns of a .psam that are no phenotypes or covariates."""
_PLAIN: Final = (b"FID", b"IID")
_FAM: Final = (b"FID", b"IID", b"PAT", b"MAT", b"SEX", b"PHENOTYPE")
_NUMBER: Final = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_SAMPLE: Final = {(b"ID_1", b"ID_2"): (b"FID", b"IID"), (b"ID", b"MISSING"): (b"IID", b"missing")}
"""How a .sample begins, and what that is."""
_TYPES: Final = frozenset((b"0", b"D", b"C", b"P", b"B"))
"""What a .sample says of its columns."""
MISSING: Final = b"-9"
"""What PLINK writes where a quantitative phenotype is missing."""
LONGEST: Final = 4 << 30
"""Bytes of a file of people."""
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class PeopleFile:
    """A file with a line for each of some people. Holds nothing of any line but its header.

    Attributes:
        size: Bytes: a file that has another size when it is read is not the one that was checked.
        columns: Names of the first fields of a line; the last is the phenotype's, if it has one.
        phenotype: Which field is the phenotype; -1 for none.
    """

    path: Path
    size: int
    columns: tuple[bytes, ...]
    skip: int
    phenotype: int

    def repeated(self) -> list[str]:
        """Who has several lines, as messages name people."""
        return [named(key) for key in repeated(self.key(fields, family=self.has_families) for fields in self.lines())]

    def numbered(self) -> list[tuple[int, list[bytes]]]:
        """Number and fields of each line after the header that is not blank."""
        lines = read_all(self.path, self.size).removeprefix(BOM_UTF8).split(b"\n")
        return [
            (number, fields)
            for number, line in enumerate(lines[self.skip :], start=self.skip + 1)
            if (fields := line.split())
        ]

    def lines(self) -> list[list[bytes]]:
        """The fields of each."""
        return [fields for _, fields in self.numbered()]

    @property
    def has_families(self) -> bool:
        """Whether a person is known by family and person."""
        return b"FID" in self.columns

    def key(self, fields: list[bytes], *, family: bool) -> tuple[bytes, ...]:
        """What a person is known by; fields that a line lacks are empty."""
        names = (b"FID", b"IID") if family else (b"IID",)
        return tuple(field_of(fields, self.columns.index(name)) for name in names)


@dataclass(frozen=True, slots=True)
class People:
    """The people of a study. Holds nothing confidential but the ids of a VCF header.

    Attributes:
        file: .fam, .psam or .sample in the order of the genotypes; None where the genotype file names them.
        samples: Ids from the header of a VCF or BCF.
        phenotypes: File of phenotypes; None when `file` has them.
    """

    file: PeopleFile | None
    samples: tuple[bytes, ...] = field(repr=False)
    phenotypes: PeopleFile | None
    case: str
    above: float | None
    between: tuple[Fraction, Fraction] | None = None
    steps: int = 1

    def keys(self, *, family: bool) -> list[tuple[bytes, ...]]:
        """What each person is known by, in order."""
        if self.file is None:
            return [(name,) for name in self.samples]
        return [self.file.key(fields, family=family) for fields in self.file.lines()]

    @property
    def by_family(self) -> bool:
        """Whether phenotypes are found by family and person."""
        return self.phenotypes is not None and self.joined_by_family(self.phenotypes)

    def joined_by_family(self, listed: PeopleFile) -> bool:
        """Whether the lines of another file are found by family and person."""
        return self.file is not None and self.file.has_families and listed.has_families

    @property
    def phenotype_column(self) -> str | None:
        """What the header of their file calls the phenotypes; None without a header."""
        listed = self.phenotypes or self.file
        if listed is None or listed.skip == 0 or listed.phenotype < 0:
            return None
        return listed.columns[listed.phenotype].decode(errors="replace")

    def phenotype_words(self) -> list[bytes]:
        """The phenotype of each person, in order; empty where there is none."""
        listed, own = self.phenotypes, self.file
        if listed is None:
            return [] if own is None else [field_of(fields, own.phenotype) for fields in own.lines()]
        return [word or b"" for word in self.joined(listed, lambda fields: field_of(fields, listed.phenotype))]

    def unlisted(self) -> list[int]:
        """Which people, by their places in the genotypes, have no line in a phenotype file of its own."""
        if self.phenotypes is None:
            return []
        return [row for row, line in enumerate(self.joined(self.phenotypes, lambda _: True)) if line is None]

    def names(self) -> list[str]:
        """Each person in a message: family and person where the genotypes have families, else person."""
        family = self.file is not None and self.file.has_families
        return [named(key) for key in self.keys(family=family)]

    def is_case(self, phenotype: bytes) -> bool:
        """Whether that is the phenotype of a case; where the plan has a range of phenotypes, whether it is in the upper half."""
        if self.between is not None:
            return 2 * self.level(phenotype) > self.steps
        if self.above is None:
            return phenotype == self.case.encode()
        return _NUMBER.fullmatch(phenotype) is not None and float(phenotype) > self.above

    def joined(self, listed: PeopleFile, value: Callable[[list[bytes]], _Value]) -> list[_Value | None]:
        """A value of the first line of each person in another file, in order of the genotypes; None where a person has no line."""
        family = self.joined_by_family(listed)
        by_key: dict[tuple[bytes, ...], _Value] = {}
        for fields in listed.lines():
            by_key.setdefault(listed.key(fields, family=family), value(fields))
        if self.file is None and listed.has_families:
            for fields in listed.lines():
                by_key.setdefault((b"_".join(listed.key(fields, family=True)),), value(fields))
        return [by_key.get(key) for key in self.keys(family=family)]

    def cases(self, people: int) -> Flags:
        """Who is a case, bool (n,), in the order of the genotypes. Raises SourceError when a file is no longer the one that was checked."""
        cases = [self.is_case(phenotype) for phenotype in self.phenotype_words()][:people]
        return np.array(cases + [False] * (people - len(cases)), dtype=np.bool_)

    def level(self, phenotype: bytes) -> int:
        """The whole number that a phenotype is: 1 for a case and 0 for a control, or a step of the plan's range."""
        if self.between is None:
            return int(self.is_case(phenotype))
        return self.steps // 2 if not _is_number(phenotype) else step_of(float(phenotype), self.between, self.steps)

    def levels(self, people: int) -> Int64:
        """The phenotype of everybody as a whole number, int64 (n,), in the order of the genotypes; raises as `cases` does."""
        levels = [self.level(phenotype) for phenotype in self.phenotype_words()][:people]
        return np.array(levels + [self.level(b"")] * (people - len(levels)), dtype=np.int64)

    def known(self, people: int) -> Flags:
        """Who has a quantitative phenotype, bool (n,), in the order of the genotypes; raises as `cases` does."""
        known = [_is_number(phenotype) for phenotype in self.phenotype_words()][:people]
        return np.array(known + [False] * (people - len(known)), dtype=np.bool_)


def _is_number(phenotype: bytes) -> bool:
    """Whether a quantitative phenotype is there."""
    return phenotype != MISSING and _NUMBER.fullmatch(phenotype) is not None


def repeated(values: Iterable[_Value]) -> list[_Value]:
    """What is there several times, each once, in order."""
    return [value for value, number in Counter(values).items() if number > 1]


def named(key: tuple[bytes, ...]) -> str:
    """What a person is known by, in a message.

    >>> named((b"f", b"p1"))
    'f p1'
    """
    return shown(b" ".join(key).decode("utf-8", "backslashreplace"))


def field_of(fields: list[bytes], index: int) -> bytes:
    """A field of a line, empty where the line has too few."""
    return fields[index] if 0 <= index < len(fields) else b""


def open_people(
    plan: Plan,
    phenotype: Path | None,
    *,
    file: Path | None = None,
    samples: tuple[bytes, ...] = (),
    genotyped: int | None = None,
) -> People:
    """Check the public shape of a study's people.

    Args:
        plan: Says how many there are and which phenotype is meant.
        phenotype: File of phenotypes, if there is one of its own.
        file: .fam, .psam or .sample.
        samples: Instead, the ids in the header of a VCF, BCF or BGEN.
        genotyped: How many people the genotypes of a .sample have.

    Raises:
        SourceError: when a file cannot be read, has not as many people as the plan or the genotypes, or no such phenotype; where the plan
            declares ids public, when they do not join.
    """
    phenotypes = None if phenotype is None else _open_phenotypes(phenotype, plan)
    own = None
    if file is not None and file.suffix == ".psam":
        own = _open_psam(file, plan, phenotypes)
    elif file is not None and file.suffix == ".sample":
        own = _open_sample(file)
    elif file is not None:
        own = _open_fam(file, plan, phenotypes)
    number = len(samples) if own is None else len(own.lines())
    if file is not None and genotyped not in (None, number):
        fix = "give the .sample that was written with them"
        refuse(file, "does not name as many people as the genotypes have", fix, field="people")
    if number != plan.people:
        problem, fix = f"does not name {plan.people} people, as the plan has", "give the study that the plan is for"
        refuse(file or Path("header"), problem, f"{fix}, or correct people in the plan", field="people")
    above = None if plan.above is None else float(plan.above)
    people = People(own, samples, phenotypes, plan.case, above, plan.between, plan.largest)
    if plan.ids == "public":
        _check_ids(people, file.name if file is not None else "header")
    return people


def _check_ids(people: People, where: str) -> None:
    """Refuse ids that are there twice, or that the file of phenotypes lacks; of a plan that declares ids public."""
    problems = [
        Problem("people", f"have the id {shown(name)} twice", "give every person an id of its own", where)
        for name in repeated(people.names())
    ]
    file = people.phenotypes
    if file is not None:
        names, unlisted = people.names(), people.unlisted()
        if len(unlisted) == len(names):
            problem = f"names nobody of the genotypes, where {names[0]} is the first"
            fix = "give the phenotypes of this study, with its ids"
            problems.append(Problem("person", problem, fix, file.path.name))
        else:
            fix = "write a line for everybody, with NA where there is no phenotype"
            problems += [Problem("person", f"{names[row]} has no line", fix, file.path.name) for row in unlisted]
        several = file.repeated()
        problems += [Problem("person", f"{name} has several lines", "keep one", file.path.name) for name in several]
    SourceError.check(problems)


def _open_fam(path: Path, plan: Plan, phenotypes: PeopleFile | None) -> PeopleFile:
    if phenotypes is None and plan.phenotype is not None:
        fix = "give a phenotype file with a header, or leave phenotype out of the plan"
        refuse(path, "does not name its phenotype, and the plan asks for one by name", fix, field="phenotype")
    return PeopleFile(path, _size(path), _FAM, 0, len(_FAM) - 1)


def _open_psam(path: Path, plan: Plan, phenotypes: PeopleFile | None) -> PeopleFile:
    size, lines = _size(path), _start(path)
    skip = next((at for at, line in enumerate(lines) if not line.startswith(b"##")), 0)
    if not lines[skip].upper().startswith((b"#FID", b"#IID")):
        return _open_fam(path, plan, phenotypes)
    columns = _header(path, lines[skip])
    return PeopleFile(path, size, columns, skip + 1, -1 if phenotypes else _phenotype_column(path, plan, columns))


def _open_sample(path: Path) -> PeopleFile:
    size, lines = _size(path), _start(path)
    names, types = lines[0].split(), b"".join(lines[1:2]).split()
    begins = _begins_as_sample(lines[0])
    if begins is None:
        fix = "write ID_1 ID_2 missing, and what further columns are, on it"
        refuse(path, "has a first line that is not a .sample's", fix, field="header", line=1)
    if len(types) != len(names) or not _TYPES.issuperset(types) or types[:2] != [b"0", b"0"]:
        problem, fix = "does not have the type of each column", "write a line such as 0 0 0 D below the names"
        refuse(path, problem, fix, field="header", line=2)
    # Of no further column is the name that of an id.
    others = (b"SEX" if name.lower() == b"sex" else name.lower() for name in names[2:])
    opened = PeopleFile(path, size, (*begins, *others), 2, -1)
    if opened.has_families and all(fields[0] == b"0" for fields in opened.lines()):
        return replace(opened, columns=(b"none", *opened.columns[1:]))
    return opened


def _begins_as_sample(line: bytes) -> tuple[bytes, bytes] | None:
    """The first two columns of a .sample by the first line; None where it is not a .sample's."""
    first = line.upper().split()[:2]
    return _SAMPLE.get((first[0], first[1])) if len(first) == 2 else None


def _open_phenotypes(path: Path, plan: Plan) -> PeopleFile:
    listed = open_listed(path, field="phenotype")
    if listed is not None:
        return replace(listed, phenotype=_phenotype_column(path, plan, listed.columns))
    if plan.phenotype is not None:
        fix = "give it a header such as #FID IID and the names, or leave phenotype out of the plan"
        refuse(path, "has no header, and the plan asks for a phenotype by name", fix, field="phenotype")
    return PeopleFile(path, _size(path, field="phenotype"), (*_PLAIN, b"PHENOTYPE"), 0, 2)


def open_listed(path: Path, *, field: str, ids: tuple[bytes, ...] = IDS) -> PeopleFile | None:
    """A file with a header that names people and columns; None where it has no header. Raises SourceError where it cannot be read.

    The names of `ids` are read in small letters too.
    """
    size, lines = _size(path, field=field), _start(path)
    if _begins_as_sample(lines[0]) is not None:
        fix = "write #FID IID in place of ID_1 ID_2, or #IID in place of ID, and take out the line of types"
        refuse(path, "begins as an Oxford .sample does", fix, field=field, line=1)
    if not lines[0].removeprefix(b"#").upper().startswith(_PLAIN):
        return None
    return PeopleFile(path, size, _header(path, lines[0], ids), 1, -1)


def _phenotype_column(path: Path, plan: Plan, columns: tuple[bytes, ...]) -> int:
    names = [name for name in columns if name not in IDS]
    wanted = None if plan.phenotype is None else plan.phenotype.encode()
    if wanted is not None and wanted not in names:
        problem = f"has no phenotype {shown(plan.phenotype or '')}"
        refuse(path, problem, "correct phenotype in the plan", field="phenotype", line=1)
    if not names:
        refuse(path, "has no phenotype", "add a column with one, or give a phenotype file", field="phenotype", line=1)
    return columns.index(wanted or names[0])


def _header(path: Path, line: bytes, ids: tuple[bytes, ...] = IDS) -> tuple[bytes, ...]:
    names = line.removeprefix(b"#").replace(b'"', b"").split()
    columns = tuple(name.upper() if name.upper() in ids else name for name in names)
    if len(columns) == 1 and line.count(b",") + line.count(b";"):
        problem = "has columns that are apart by commas or semicolons"
        refuse(path, problem, "write spaces or tabs between them", field="header", line=1)
    if len(set(columns)) < len(columns) or b"IID" not in columns:
        problem = "has a header that names a column twice, or no IID"
        refuse(path, problem, "write #FID IID and names", field="header", line=1)
    return columns


def _size(path: Path, field: str = "people") -> int:
    size = size_of(path, field=field)
    if size > LONGEST:
        refuse(path, f"is longer than {LONGEST} bytes", "check what it is", field=field)
    return size


def _start(path: Path) -> list[bytes]:
    """The lines up to the header, at least one."""
    with path.open("rb") as file:
        start = file.read(1 << 20)
    if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        refuse(path, "is UTF-16", "save it as UTF-8", field="people", line=1)
    if b"\r" in start and b"\n" not in start:
        fix = "save it with the line ends of Linux or Windows"
        refuse(path, "ends its lines by a carriage return alone", fix, field="people", line=1)
    return start.removeprefix(BOM_UTF8).split(b"\n")
