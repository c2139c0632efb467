"""The domain of tables, as the registry of domains gives it to the frame."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starling.release.domain import Delivering, Delivery, Domain, Invented
from starling.release.reading import Release
from starling.release.report.pages import PreviewPage
from starling.tables.artifact.columns import CHECKS
from starling.tables.plan.census_grammar import CENSUS
from starling.tables.plan.custom_grammar import CUSTOM
from starling.tables.publication import TablesPublication


def _reopen(folder: Path) -> TablesPublication:
    from starling.tables.artifact.public_plan import read_plan

    return TablesPublication(*read_plan(folder))


def _opened(release: Release) -> Release:
    from starling.tables.analysis import opened

    return opened(release)


def _deliver(plan: str, files: Mapping[str, Path]) -> Delivery:
    from starling.tables.publish import deliver

    return deliver(plan, files)


def _preview(plan: str, files: Mapping[str, Path]) -> PreviewPage:
    from starling.tables.plan import Plan
    from starling.tables.plan.regions import read_regions
    from starling.tables.preview import preview
    from starling.tables.preview.expected_detail import expect_detail
    from starling.tables.preview.page import TablesPage

    chosen = Plan.load(plan)
    return TablesPage(preview(chosen, read_regions(chosen, files.get("geography"))), expect_detail(chosen))


def _invent(plan: str, files: Mapping[str, Path], folder: Path) -> Invented:
    from starling.tables.generate.standing_in import stand_in

    written, all_files = stand_in(plan, files, folder)
    return Invented(str(written), all_files)


TABLES: Final = Domain(
    "tables",
    CHECKS,
    _reopen,
    _opened,
    Delivering(("persons",), _deliver, _preview, optional=("geography",), public=("geography",), invent=_invent),
    {"tables of the Census": CENSUS, "custom tables": CUSTOM},
)
