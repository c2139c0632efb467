"""What releases of genome add: the answer with its pictures, the SNPs of the list with what was released of each, and files of others."""

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, get_args

import pyarrow as pa

from starling.errors import ParameterError
from starling.genome.analysis import GenomeRelease
from starling.pages.parts import Line, Table
from starling.pages.repeating import server_lines
from starling.release.codec import Json
from starling.release.text import cell
from starling.screens.domain_pages import FIRST_ROWS, DomainPages, ShownColumn
from starling.screens.frame import Frame
from starling.screens.replies import Query, Reply, attached

if TYPE_CHECKING:
    from starling.genome.pictures.answers import Answers

MOST: Final = 100
"""SNPs of a page."""
HEADS: Final = {
    "SNP": "SNP",
    "CHR": "Chromosome",
    "BP": "Position",
    "P": "p-value",
    "LOG10_P": "log10 of p",
    "OR": "Odds ratio",
    "F_A": "Share of cases",
    "F_U": "Share of controls",
    "BP1": "First position",
    "BP2": "Last position",
    "KB": "Length in kb",
    "NSNPS": "SNPs in it",
    "SNPS": "Its SNPs",
    "R2": "r²",
    "DP": "|D'|",
    "A1_FREQ": "Frequency of A1",
    "OBS_CT": "People with a call",
    "BETA": "Log odds ratio",
    "SE": "Standard error",
    "L95": "Odds ratio from",
    "U95": "Odds ratio to",
    "LEAD": "Strongest SNP",
    "LEAD_LOG10_P": "log10 of its p",
    "LEAD_OR": "Its odds ratio",
    "LEAD_OR_CORRECTED": "Corrected for selection",
    "LEAD_L95": "Corrected from",
    "LEAD_U95": "Corrected to",
    "FROM_BP": "First position",
    "TO_BP": "Last position",
    "SIGNIFICANT": "Significant SNPs",
}
"""Heads of columns."""
ENDS: Final = {"LOW": "from", "HIGH": "to"}
"""What the ends of an interval say behind its number."""
EXPORTS: Final = {"gwas-ssf": "GWAS-SSF", "plink-assoc": "PLINK .assoc", "plink-glm": "PLINK 2 .glm"}
"""What a page calls the formats of an export."""
FILTERS: Final = ("name", "chromosome", "low", "high", "answered", "first")
"""What the address of the page may say."""


class GenomePages(DomainPages[GenomeRelease]):
    """The pages of a release of genome."""

    links = (("Answer and SNPs", "/genome"),)

    def reply(self, path: Sequence[str], query: Query, frame: Frame) -> Reply | None:
        """See `DomainPages`."""
        match list(path):
            case ["genome"]:
                return self._page(query, frame)
            case ["genome", "data"]:
                return Reply(self._data, "application/octet-stream")
            case ["genome", form] if form in self._forms:
                return self._export(form)
        return None

    def summary(self) -> Table:
        """See `DomainPages`: the answer in sentences, with how far it may be off."""
        from starling.genome.postprocess.wording import answer_facts

        release = self.release
        _, *sentences = answer_facts(release.plan, release.question, release.answer, release.error)
        rows = tuple((name or "and", text) for name, text in sentences[:FIRST_ROWS])
        return Table(("What", "In words"), rows, "The answer, and how far it may be off", words=True)

    def labels(self, table: str, column: str) -> Mapping[str, str]:
        """See `DomainPages`."""
        from starling.genome.plan.choices import QUESTIONS
        from starling.genome.postprocess.wording import TEST_LABELS

        del table
        selected = {"number": QUESTIONS["num_sig"][0], "snps": QUESTIONS["loc_sig"][0]}
        return {"TEST": TEST_LABELS, "WHAT": selected}.get(column, {})

    def column(self, table: str, name: str, kind: pa.DataType) -> ShownColumn:
        """See `DomainPages`: by the terms of the field."""
        number, _, end = name.rpartition("_")
        of_end = ENDS.get(end) if number else None
        title = f"{HEADS.get(number, number)} {of_end}" if of_end else HEADS.get(name)
        shown = super().column(table, name, kind)
        return replace(shown, title=title or shown.title)

    @cached_property
    def _data(self) -> bytes:
        from starling.genome.pictures.canvas import encoded

        return encoded(self.release.pictured)

    @property
    def _forms(self) -> tuple[str, ...]:
        from starling.genome.export import Format

        other = "plink-glm" if self.release.pictured.scan is None else "plink-assoc"
        return tuple(form for form in get_args(Format) if form != other)

    def _page(self, query: Query, frame: Frame) -> Reply:
        from starling.genome.pictures.gallery import KINDS, picture
        from starling.genome.postprocess.wording import answer_facts

        release, pictured = self.release, self.release.pictured
        question = _question(query)
        rows: Any = release.tell({"kind": "find_snps", **question})
        first = int(query.whole("first"))
        columns = _columns(pictured)
        shown = [self.column("", name, pa.string()) for name in columns]
        listed = [dict(zip(rows["columns"], row, strict=True)) for row in rows["rows"]]
        drawn = [kind for kind in KINDS if KINDS[kind].shown(pictured)]
        with_p_values = bool(pictured.p_values) or pictured.scan is not None
        _, *sentences = answer_facts(release.plan, release.question, release.answer, release.error)
        return self.page(
            "genome.html",
            frame,
            headline=release.headline(),
            sentences=[text for _, text in sentences],
            pictures=[(KINDS[kind].title, picture(kind, pictured)) for kind in drawn],
            lines_of_pictures=self._lines(frame, drawn) if drawn else (),
            snps=f"{len(release.plan.snps):,}",
            chromosomes=tuple(release.plan.snps.chromosome_ranges),
            values={name: query.one(name) for name in FILTERS},
            header=columns,
            rows=[[(each.text(row), each.code(row)) for each in shown] for row in listed],
            first=first,
            steps=query.steps(first, MOST, "Previous SNPs", "Next SNPs", more=rows["more"]),
            # All SNPs of a scan are too many to move in; its picture has each.
            moves=bool(drawn) and pictured.scan is None,
            exports=[(form, EXPORTS[form]) for form in self._forms] if with_p_values else (),
            downloads=[name for name in release.names if "/" not in name],
            lines=frame.lines(
                {"kind": "find_snps", **question}, f"release.tell({ {'kind': 'find_snps', **question}!r})"
            ),
        )

    def _lines(self, frame: Frame, drawn: Sequence[str]) -> tuple[Line, ...]:
        """The lines that draw the pictures again, of the release as it is fetched."""
        kinds = ", ".join(map(repr, drawn))
        if not frame.number:
            python = f"import starling\n\nstarling.open_release({frame.path!r}).plot({kinds})"
            shell = f"starling genome plot {quote(frame.path)} --out pictures"
            return (Line("Python", python), Line("Shell", shell))
        file = f"{frame.number}.zip"
        return server_lines(
            frame.base,
            f"/v1/releases/{frame.number}/bundle --output {file}",
            f"release = starling.open_release(client.fetch({frame.number}, {file!r}))\nrelease.plot({kinds})",
            f"starling remote fetch {frame.number} --out {file}\nstarling genome plot {file} --out pictures",
        )

    def _export(self, form: Any) -> Reply:
        """P-values in the format of others, with the file that says what they are."""
        with TemporaryDirectory(prefix="starling-") as folder:
            content = BytesIO()
            files = self.release.export(Path(folder) / f"{form}.tsv", form)
            with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
                for file in files:
                    archive.write(file, file.name)
        return attached(content.getvalue(), f"{form}.zip", "application/zip")


def _question(query: Query) -> dict[str, Json]:
    """What the address chooses, as the question that it is; raises ParameterError for what is none."""
    for name in query.others(*FILTERS):
        raise ParameterError(name, "is nothing that this page is asked", f"take {', '.join(FILTERS)}")
    question: dict[str, Json] = {name: query.whole(name) for name in ("low", "high") if query.one(name)}
    question |= {name: query.one(name) for name in ("name", "chromosome") if query.one(name)}
    if (answered := query.one("answered")) not in ("", "yes"):
        raise ParameterError("answered", f"is {cell(answered[:20])}, not yes", "write yes, or leave it out")
    elsewhere = question.keys() & {"name", "chromosome", "low", "high"}
    question |= {"answered": bool(answered), "answers_first": not elsewhere}
    return question | {"first": query.whole("first"), "most": MOST}


def _columns(pictured: "Answers") -> list[str]:
    """The columns that some SNP of the list has something in."""
    from starling.genome.listing import ANSWER, COLUMNS, ENDS_OF_P, TESTED

    if pictured.scan is not None:
        return [name for name in COLUMNS if name not in ENDS_OF_P]
    spoken_of = pictured.p_values or pictured.located or pictured.blocks or pictured.pairs or pictured.effects
    without = () if pictured.p_values else ENDS_OF_P if pictured.effects else TESTED
    empty = {*(() if spoken_of else (ANSWER,)), *without}
    return [name for name in COLUMNS if name not in empty]
