"""Write the tables of the pages of evidence from the result files: `python -m bench.pages`. A test compares them.

A table stands between `<!-- NAME -->` and `<!-- end -->`, where NAME is a key of `TABLES`, made by one of the modules here; the words
around are written by hand.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.pages import (
    core,
    fuzz,
    genome,
    genome_figures,
    groups,
    groups_accuracy,
    groups_rivals,
    house,
    ledger,
    places,
    places_advice,
    places_hotspots,
    places_scales,
    places_sure,
    places_trips,
    places_typical,
    server,
    tables,
    whole,
)
from bench.pages.origin import Results
from bench.peers import ROOT
from bench.record import RESULTS, load

FIVE_LIBRARIES: Final = ROOT / "docs" / "explanation" / "five-libraries.md"
PAGE: Final = RESULTS / "benchmarks.md"
PAGES: Final = (
    PAGE,
    *(path for path in sorted(RESULTS.glob("*.md")) if path != PAGE),
    ROOT / "docs" / "evidence.md",
    FIVE_LIBRARIES,
)
NAMES: Final = (
    "noise",
    "noise_fit",
    "audit",
    "reconstruction",
    "selection",
    "tables_state",
    "tables_tmlt",
    "tables_national",
    "tables_scale",
    "tables_better",
    "tables_own",
    "cross_tables",
    "cross_scale",
    "cross_rivals",
    "tables_rivals",
    "verify",
    "five_libraries",
    "fuzz",
    "ledger",
    "genome_distance",
    "genome_figure1",
    "genome_figure2",
    "genome_figure3",
    "genome_figure4",
    "genome_hapsample",
    "genome_kernels",
    "genome_scale",
    "genome_scan",
    "genome_scan_scale",
    "homer",
    "genome_audit",
    "groups_accuracy",
    "groups_audit",
    "groups_chain",
    "groups_histogram",
    "groups_inf_tda",
    "groups_national",
    "groups_paper",
    "places_accuracy",
    "places_advice",
    "places_areas",
    "places_scales",
    "places_answers",
    "places_flows",
    "places_held_out",
    "places_hotspots",
    "places_paper",
    "places_scale",
    "places_sure",
    "places_trips",
    "places_typical",
    "server_load",
    "server_pages",
    "server_questions",
    "startup",
    "table_pages",
    "thresholds",
    "house",
)
BLOCK: Final = re.compile(r"(<!-- ([a-z0-9_]+) -->\n).*?(<!-- end -->)", re.DOTALL)
TABLES: Final = {
    **whole.TABLES,
    **house.TABLES,
    **core.TABLES,
    **fuzz.TABLES,
    **tables.TABLES,
    **ledger.TABLES,
    **genome.TABLES,
    **genome_figures.TABLES,
    **groups.TABLES,
    **groups_accuracy.TABLES,
    **groups_rivals.TABLES,
    **places.TABLES,
    **places_advice.TABLES,
    **places_scales.TABLES,
    **places_hotspots.TABLES,
    **places_sure.TABLES,
    **places_trips.TABLES,
    **places_typical.TABLES,
    **server.TABLES,
}


def render(text: str, results: Mapping[str, Results]) -> str:
    """The page with every table made anew from `results`; raises KeyError for a table that is not known."""
    return BLOCK.sub(lambda block: f"{block[1]}\n{TABLES[block[2]](results)}\n\n{block[3]}", text)


def main(folder: Path = RESULTS) -> None:
    """Write the pages."""
    results = {name: load(name, folder) for name in NAMES}
    for page in PAGES:
        page.write_text(render(page.read_text(), results))
