"""What a release of any domain holds, written from released values alone.

    data/*.parquet, data/*.csv, ...   the published tables that the domain declares, and the same as text
    */measurements/*                  every noisy value before post-processing; written as it is drawn, before anything else
    plan/*                            the public choices, so that post-processing can be repeated from the folder alone
    privacy.json                      what is promised and what was charged, for machines
    report.html                       the same for a review board, with pictures
    registry.yaml                     the same for OpenDP's registry of deployments
    datapackage.json                  every file with its hash, every table with its columns

All of it comes from what is `Released`, so that nothing else can be written. The folder comes from `release.bundle`, so that it is there as
a whole or not at all. The signature is put in last, by whoever pays (release.payment).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from starling.pages.parts import Section
from starling.privacy.guarantee import Guarantee, joint
from starling.privacy.trust import Receipt, Released
from starling.release import datapackage, registry, report, statement
from starling.release.domain import Publication
from starling.release.table_files import write_tables

DrawnT = TypeVar("DrawnT")

PLAN: Final = "plan/plan.json"
"""The public choices of every domain."""
REPORT: Final = "report.html"
NOTES: Final = {
    statement.FILE: "What is promised and what was charged, with exact amounts and scales",
    registry.FILE: "Draft of an entry in OpenDP's registry of deployments",
    REPORT: "Privacy report for a review board",
}
"""What each file that holds no table is, of those that every release has."""


def write(folder: Path, publication: Publication[Any, DrawnT], drawn: Released[DrawnT]) -> None:
    """Write the files of a release, all but measurements and signature.

    Raises:
        OSError: the disk is full or fails; `release.bundle.writing` turns that into its one message.
    """
    contents = publication.contents(folder, drawn.value)
    write_tables(folder, publication.tables, contents.pieces())
    publication.write_plan(folder)
    stated = statement.statement(drawn.receipt, publication.particulars)
    texts = {statement.FILE: statement.text(stated), **pages(publication, drawn.receipt, contents.sections())}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    datapackage.write(folder, *described(publication))


def described(publication: Publication[Any, Any]) -> tuple[str, Sequence[datapackage.Sheet], Mapping[str, str]]:
    """What the data package says of a release: title, tables, and what its other files are."""
    sheets = [sheet for table in publication.tables for sheet in table.sheets()]
    return publication.title, [*sheets, *publication.sheets], {**publication.notes, **NOTES}


def joint_guarantee(publication: Publication[Any, Any]) -> Guarantee:
    """The guarantee of a release and of all that it adds to; its own for a release that stands alone."""
    return joint(publication.guarantee, [each.guarantee for each in publication.particulars.adds_to])


def pages(
    publication: Publication[Any, Any], receipt: Receipt, sections: Sequence[Section], whole: Guarantee | None = None
) -> dict[str, str]:
    """report.html and registry.yaml: a function of the public choices, the receipt, and what the domain's sections say.

    `whole` is the guarantee with all that the release adds to, where it is not that of `joint_guarantee`.
    """
    title = publication.title
    particulars = publication.particulars
    joint = (whole or joint_guarantee(publication)) if particulars.adds_to else None
    files = [table.path for table in publication.tables]
    return {
        REPORT: report.render(title, receipt, publication.charged, sections, joint, particulars.invariants, files),
        registry.FILE: registry.entry(title, receipt, publication.product, joint),
    }
