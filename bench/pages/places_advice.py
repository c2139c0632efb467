"""The table of bench/results/places-benchmark.md: whether a preview names the method that is nearest on real points."""

from collections.abc import Mapping

from bench.markdown import number, table
from bench.pages.origin import Results, untimed
from bench.places_advice import CITIES, OTHERS, SIZES, part_near, times_of_best


def advice(results: Mapping[str, Results]) -> str:
    """For each data set and side: in how many times the least error the advised method is seen, over all worlds and for a city."""
    result = results["places_advice"]
    lines = []
    for name in (*CITIES, *OTHERS):
        cells = []
        for side in SIZES:
            rows = [row for row in result["rows"] if (row["data"], row["side_percent"]) == (name, side)]
            cells.append(" / ".join(number(times_of_best(rows, what)) for what in ("advised", "advised_city")))
        lines.append([name, *cells])
    near = f"The first is within 10 % of the best in {part_near(result['rows']):.0%} of all cases."
    return f"{table(['data', *(f'side {side:g} %' for side in SIZES)], lines)}\n\n{near} {untimed(result)}"


TABLES = {"places_advice": advice}
