"""The plan file of a release of group sizes: TOML that names the public files beside it.

title = "Households by size"
group = "household"            # what is counted
member = "person"              # what a group consists of

[regions]
file = "regions.csv"           # public: region,parent and perhaps groups, the public number of each leaf
levels = ["nation", "state", "county"]

[sizes]
largest = 7                    # N: larger groups count as of this size
quantity = 1                   # optional; the most that one member or event adds to a size

[totals]
public = "root"                # or "region": the number of groups of every region is public
groups = 117630445             # G; left out where a register or the regions say it

[input]
kind = "groups"                # region,size; "counts": region,size,groups; "persons": person,group; "events": group
register = "register.csv"      # persons and events: public, group,region

[format]                       # optional: how text says the records (text_format.py)
separator = ";"

[privacy]
unit = "member"                # whose data the guarantee hides: a member, or an event
neighbours = "add-remove"
epsilon = "1"                  # or rho, for zCDP
split = ["0.1", "0.3", "0.6"]  # optional: the amount of each level; "equal" where it is left out
method = "c_eb"                # optional

[[privacy.bands]]              # optional, in place of split: a budget of its own for the sizes from some size on
from = 0
split = ["0.2", "0.3", "0.5"]

In place of split and bands, `privacy` may name public shares of sizes, from which bands and their amounts follow (shares.py):

shares = "shares.csv"          # public: size,share; or shares = [{ size = 1, share = "0.3" }, ...]
importance = ["9", "4", "1"]   # optional: what an error in one group weighs at each level
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.errors import ParameterError, PlanError, Problem
from starling.groups.plan.budget import SplitBudget
from starling.groups.plan.choices import METHODS, MOST_CELLS, Kind, Register, Unit, default_method
from starling.groups.plan.regions import MOST_GROUPS, Regions, Row, leaf_totals, read_rows, regions_of
from starling.groups.plan.shares import COLUMNS, INLINE, PublicShares, read_shares, shares_of
from starling.planfile.formats import read_format
from starling.planfile.public_text import mark_of
from starling.planfile.spelling import did_you_mean, shown
from starling.planfile.toml import Section
from starling.privacy.budget import Measure, exact
from starling.text_format import PLAIN, TextFormat

if TYPE_CHECKING:
    from starling.groups.plan.model import Plan

_TOP: Final = ("title", "group", "member", "regions", "sizes", "totals", "input", "format", "privacy")
_WORDS: Final = {"group": "household", "member": "person"}
_LEVEL: Final = 40
"""Characters of the name of a level, which is that of a file too."""
MOST_LEVELS: Final = 16
REGISTER: Final = ("group", "region")
_HEADER: Final = 1 << 16
"""Bytes of the first line of a register."""


def read_plan(top: Section, folder: Path, rows: Sequence[Row] | None = None) -> dict[str, Any]:
    """The fields of the plan that the top of a file states, with the public files that it names.

    Args:
        top: The top of the plan.
        folder: Where the files lie that it names by relative paths.
        rows: The regions, in place of their file.

    Raises:
        PlanError: with every problem found.
    """
    top.only(_TOP)
    choices: dict[str, Any] = {"title": top.text("title", "say what is published")}
    choices |= {name: top.text(name, f'say it in a word, as in {name} = "{word}"') for name, word in _WORDS.items()}
    choices["format"] = read_format(top)
    regions = _regions(top.table("regions"), folder, rows, choices["format"])
    sizes = top.table("sizes")
    sizes.only(("largest", "quantity"))
    choices["largest"] = sizes.whole("largest", 1, MOST_CELLS)
    choices["quantity"] = sizes.whole("quantity", 1, choices["largest"]) if "quantity" in sizes.values else 1
    records = top.table("input")
    records.only(("kind", "register"))
    choices["kind"] = records.choice("kind", get_args(Kind), f"write one of {', '.join(get_args(Kind))}")
    register = _register(records, folder)
    totals = top.table("totals")
    totals.only(("public", "groups"))
    choices["totals"] = totals.choice("public", ("root", "region"), 'write "root" or "region"')
    privacy = top.table("privacy")
    choices |= _privacy(privacy, 0 if regions is None else len(regions[0].levels), choices, folder)
    stated = totals.whole("groups", 0, MOST_GROUPS) if "groups" in totals.values else None
    if top.problems or regions is None:
        raise PlanError(problems=top.problems)
    choices["register"], counted = (
        (None, regions[1]) if register is None else _counted(register, regions[0], choices["format"])
    )
    if choices["totals"] == "region":
        regions = (replace(regions[0], totals=leaf_totals(regions[0], counted)), counted)
    known = None if any(each is None for each in counted.values()) else sum(each or 0 for each in counted.values())
    if stated is None and known is None:
        totals.refuse("groups", "is missing", "give the public number of all groups")
    elif stated is not None and known is not None and stated != known:
        totals.refuse("groups", f"is not {known:,}, as the public files say", "correct it, or leave it out")
    if top.problems:
        raise PlanError(problems=top.problems)
    choices |= {"regions": regions[0], "groups": known if stated is None else stated}
    if choices["shares"] is not None:
        choices["budget"] = _derived(privacy, choices)
    return choices


def _derived(section: Section, choices: dict[str, Any]) -> SplitBudget:
    """The budget that follows from the public shares of the plan.

    Raises:
        PlanError: there are too many levels for it.
    """
    shares: PublicShares = choices["shares"]
    counts = tuple(map(len, choices["regions"].ids))
    try:
        return shares.budget(
            choices["budget"].whole,
            choices["measure"],
            choices["largest"],
            choices["quantity"],
            choices["groups"],
            counts,
        )
    except ParameterError as error:
        section.refuse(
            "shares", f"give no budget: {error.problems[0].field} {error.problems[0].problem}", "write bands"
        )
    raise PlanError(problems=section.problems)


def _regions(
    section: Section, folder: Path, rows: Sequence[Row] | None, form: TextFormat
) -> tuple[Regions, dict[str, int | None]] | None:
    """The regions, and the public number of groups of each leaf where they state it; None after a refusal."""
    section.only(("file", "levels") if rows is None else ("levels",))
    before = len(section.problems)
    path = folder / (section.text("file", "name a public CSV file: region,parent") if rows is None else "regions")
    levels = section.texts("levels", 'name the levels, the root\'s first, like ["nation", "state", "county"]')
    if "levels" in section.values and not 1 <= len(levels) <= MOST_LEVELS:
        section.refuse("levels", f"are {len(levels)}", f"name 1 to {MOST_LEVELS} levels, the root's first")
    plain = [level.replace("-", "").replace("_", "") for level in levels]
    if not all(each.isascii() and each.isalnum() and len(each) <= _LEVEL for each in plain):
        section.refuse("levels", "are not all words of letters, digits, - and _", "files are named after them")
    if len({level.lower() for level in levels} | {"regions"}) <= len(levels):
        section.refuse("levels", "name a level twice, or one regions", "give each a name of its own")
    if len(section.problems) > before:
        return None
    rows = read_rows(path, form) if rows is None else rows
    regions = regions_of(rows, levels, path.name)
    groups = {row.region: row.groups for row in rows}
    return regions, {leaf: groups[leaf] for leaf in regions.leaves}


def _register(section: Section, folder: Path) -> Path | None:
    if "register" not in section.values:
        return None
    return folder / section.text("register", "name the public list of groups: group,region")


def _counted(path: Path, regions: Regions, form: TextFormat) -> tuple[Register, dict[str, int | None]]:
    """A register, and how many groups of it are in each leaf.

    Raises:
        PlanError: it cannot be read, or lists a group twice, in two regions, or in a region that is no leaf.
    """
    table, sha256 = read_register(path, form)
    problems: list[Problem] = []
    fix = "list each group once, with the leaf that it lies in"
    if len(table) != pc.count_distinct(table["group"], mode="all").as_py():
        once = table.group_by("group").aggregate([("region", "count_distinct"), ("region", "count")])
        places = int(pc.sum(pc.greater(once["region_count_distinct"], 1)).as_py())
        repeated = int(pc.sum(pc.greater(once["region_count"], 1)).as_py()) - places
        problems += [Problem("group", f"lies in two regions, {places:,} times", fix, path.name)] if places else []
        problems += [Problem("group", f"is listed twice, {repeated:,} times", fix, path.name)] if repeated else []
    place = pc.index_in(table["region"], pa.array(regions.leaves, pa.string()))
    if place.null_count:
        unknown = shown(table["region"].filter(pc.is_null(place))[0].as_py() or "")
        problem = f"is no leaf of the plan, in {place.null_count:,} rows, as in {unknown or 'an empty one'}"
        problems.append(Problem("region", problem, fix, path.name))
    if table["group"].null_count or pc.any(pc.equal(table["group"], "")).as_py():
        problems.append(Problem("group", "has no name in some row", fix, path.name))
    if problems:
        raise PlanError(problems=problems)
    totals = dict.fromkeys(regions.leaves, 0)
    for each in pc.value_counts(table["region"]).to_pylist():
        totals[each["values"]] = each["counts"]
    return Register(sha256, path), dict(totals)


def read_register(path: Path, form: TextFormat) -> tuple[pa.Table, str]:
    """The columns group and region of a public register, CSV (plain, or as `form` says) or Parquet, as text; and the SHA-256 of the file.

    Raises:
        PlanError: it cannot be read so.
    """
    text = {name: pa.string() for name in REGISTER}
    try:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if path.suffix == ".parquet":
            table = pq.read_table(path, columns=list(REGISTER))
        else:
            try:
                table = _register_text(path, PLAIN.encoding, form)
            except (pa.ArrowException, KeyError):
                table = _register_text(path, form.encoding, form)
        return table.cast(pa.schema(text.items())), sha256
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "no CSV or Parquet with these columns"
        problem = Problem("register", f"cannot be read ({reason})", f"write {','.join(REGISTER)}", path.name)
    raise PlanError(problems=[problem])


def _register_text(path: Path, encoding: str, form: TextFormat) -> pa.Table:
    """A register in an encoding; it may be too large to be held as Python's text."""
    with path.open("rb") as file:
        mark = mark_of(file.readline(_HEADER).decode(encoding, "ignore"), form)
    options = pacsv.ConvertOptions(
        column_types={name: pa.string() for name in REGISTER}, include_columns=list(REGISTER)
    )
    return pacsv.read_csv(path, pacsv.ReadOptions(encoding=encoding), pacsv.ParseOptions(delimiter=mark), options)


def register_totals(plan: "Plan") -> tuple[int, ...] | None:
    """How many groups the register of a plan lists in each leaf; None where it has none.

    Raises:
        PlanError: the register cannot be read.
    """
    if plan.register is None or plan.register.path is None:
        return None
    listed = Counter(read_register(plan.register.path, plan.format)[0]["region"].to_pylist())
    return tuple(listed[leaf] for leaf in plan.regions.leaves)


def _privacy(section: Section, levels: int, choices: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Unit, method, measure, budget, and the shares that it is yet to follow from, if there are any."""
    section.only(("unit", "neighbours", "epsilon", "rho", "split", "method", "bands", "shares", "importance"))
    unit = section.choice("unit", get_args(Unit), 'write "member" or "event": whose data the guarantee hides')
    section.choice("neighbours", ("add-remove",), 'write neighbours = "add-remove": which groups there are is public')
    if ("epsilon" in section.values) == ("rho" in section.values):
        section.refuse("epsilon", "and rho are both there, or none", 'write epsilon = "1", or rho for zCDP')
        return {}
    measure: Measure = "epsilon" if "epsilon" in section.values else "rho"
    whole = section.number(measure, 'write it like "1"')
    if whole is not None and whole <= 0:
        section.refuse(measure, "is not above 0", "give a budget")
    method = default_method(choices["quantity"], measure)
    if "method" in section.values:
        stated = section.choice("method", tuple(METHODS), did_you_mean(str(section.values["method"]), METHODS))
        method = next(name for name in METHODS if name == stated)
    shares = _shares(section, folder, choices["largest"], levels, choices["format"])
    bands = section.tables("bands") if "bands" in section.values else [section]
    if "bands" in section.values and "split" in section.values:
        section.refuse("split", "stands beside bands, which have their own", "remove one of them")
    if "bands" in section.values:
        for band in bands:
            band.only(("from", "split"))
    firsts = [band.whole("from", 0, choices["largest"]) for band in bands] if "bands" in section.values else [0]
    splits = [_split(band, whole or Fraction(1), levels) for band in bands]
    if section.problems or not levels or whole is None:
        return {}
    try:
        budget = SplitBudget(tuple(firsts), tuple(splits))
    except ParameterError as error:
        section.refuse("bands", error.problems[0].problem, error.problems[0].fix)
        return {}
    return {"unit": unit, "method": method, "measure": measure, "budget": budget, "shares": shares}


def _shares(section: Section, folder: Path, largest: int, levels: int, form: TextFormat) -> PublicShares | None:
    """The public shares, of a file or stated; None where there are none, or after a refusal."""
    if "shares" not in section.values:
        if "importance" in section.values:
            section.refuse("importance", "stands without shares, for which it is", "name public shares, or remove it")
        return None
    for other in ("split", "bands"):
        if other in section.values:
            section.refuse(other, "stands beside shares, from which the budget follows", "remove one of them")
    if isinstance(section.values["shares"], str):
        try:
            shares = read_shares(folder / section.text("shares", INLINE), largest, form)
        except PlanError as error:
            section.problems.extend(error.problems)
            return None
    else:
        rows = section.inline("shares", f'shares = "FILE", or {INLINE}')
        for row in rows:
            row.only(COLUMNS)
        inline = shares_of(rows, replace(section, name="privacy.shares", lines=()), largest) if rows else None
        if inline is None:
            return None
        shares = inline
    return replace(shares, importance=_importance(section, levels)) if "importance" in section.values else shares


def _importance(section: Section, levels: int) -> tuple[Fraction, ...] | None:
    """What an error weighs at each level; None after a refusal."""
    stated, fix = section.values["importance"], f'write {levels} numbers above 0, the root\'s first, like ["9", "1"]'
    try:
        weights = tuple(exact(each, field="importance") for each in _texts(stated)) if isinstance(stated, list) else ()
    except ParameterError as error:
        section.refuse("importance", error.problems[0].problem, fix)
        return None
    if len(weights) != levels or min(weights, default=0) <= 0:
        section.refuse("importance", f"is not a number above 0 for each of {levels} levels", fix)
        return None
    return weights


def _split(section: Section, whole: Fraction, levels: int) -> tuple[Fraction, ...]:
    """The amount of each level; they add up to the whole."""
    stated = section.values.get("split", "equal")
    if stated == "equal":
        return (whole / max(levels, 1),) * levels
    fix = f'write "equal", or {levels} amounts that add up to {whole}, like ["1/2", "1/2"]'
    if not isinstance(stated, list) or len(stated) != levels:
        section.refuse("split", f"is not an amount for each of {levels} levels", fix)
        return ()
    try:
        amounts = tuple(exact(each, field="split") for each in _texts(stated))
    except ParameterError as error:
        section.refuse("split", error.problems[0].problem, fix)
        return ()
    if min(amounts) <= 0:
        section.refuse("split", "has an amount that is not above 0", fix)
    elif sum(amounts) != whole:
        section.refuse("split", f"adds up to {sum(amounts)}, not to {whole}", fix)
    return amounts


def _texts(values: Iterable[Any]) -> Iterable[Any]:
    """A float of the file as a float, which is refused as such."""
    return (each if isinstance(each, int | str) else 0.5 for each in values)
