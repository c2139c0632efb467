"""The table of bench/results/places-benchmark.md: the default and `for = "streets"` beside the rule of before 0.3 and uniform grids."""

from collections.abc import Mapping

from bench.markdown import number, table
from bench.pages.origin import Results, untimed

RATIOS = ("all / before", "streets / before", "all / best uniform grid", "streets / best uniform grid")


def scales(results: Mapping[str, Results]) -> str:
    """For each kind of squares, over data sets or of one: the ratios at each budget."""
    result = results["places_scales"]
    epsilons = list(dict.fromkeys(row["epsilon"] for row in result["rows"]))
    lines = []
    for data, squares in dict.fromkeys((row["data"], row["squares"]) for row in result["rows"]):
        rows = [row for row in result["rows"] if (row["data"], row["squares"]) == (data, squares)]
        lines.append([data, squares, *(" / ".join(number(row[ratio]) for row in rows) for ratio in RATIOS)])
    many = result["settings"]["runs"]
    under = f"At ε = {', '.join(epsilons)}; means of {many} runs, geometric means over 15 data sets, six of DPBench. {untimed(result)}"
    return f"{table(['data', 'squares', *RATIOS], lines)}\n\n{under}"


TABLES = {"places_scales": scales}
