"""The grammars of plan files, key by key: what is read is written and read as the same, and schema and reader refuse the same.

The keys are those that are declared, so that a new one without an example fails here.
"""

import re
import tomllib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from starling import genome, groups, places
from starling.domains import domain as registered
from starling.errors import PlanError
from starling.places.flows.plan.grammar import FLOWS
from starling.places.trips.plan.grammar import TRIPS
from starling.planfile.grammar import Key, Table, plan_schema
from tests.conftest import ROOT
from tests.planfile.examples import CHANGES, ELSEWHERE, WHOLE, changed, keys, place

PLANS: Final[dict[str, Any]] = {
    "groups": groups.Plan,
    "places": places.Plan,
    "genome": genome.Plan,
    "flows": places.FlowsPlan,
    "trips": places.TripsPlan,
}
GRAMMARS: Final[dict[str, Table]] = {
    name: value.grammars[name] for name in PLANS if (value := registered(name)) is not None
} | {"flows": FLOWS, "trips": TRIPS}
DECLARED: Final[dict[str, dict[str, Key]]] = {name: dict(keys(table)) for name, table in GRAMMARS.items()}
EVERY: Final = [(name, key) for name, each in DECLARED.items() for key in each if key in CHANGES[name]]
SCHEMAS: Final[dict[str, Any]] = {
    name: jsonschema.Draft202012Validator(plan_schema(name, table)) for name, table in GRAMMARS.items()
}
WRONG: Final[tuple[Any, ...]] = (
    0.5, -1, 10**30, True, "", "x", "0,5", [], [0.5], [1, 2], ["x"], {"x": 0.5}, [{"x": 0.5}], [[1]],
)  # fmt: skip
"""A value of every kind, of which each key takes a few."""
DOCS: Final = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MARKS: Final = {
    "groups": {"sizes"},
    "places": {"grid"},
    "genome": {"study"},
    "flows": {"areas", "flows"},
    "trips": {"grid", "flows"},
}
"""Tables of which plans of one domain have these, and no others that stand here."""
REFUSED: Final = {
    "groups": ["privacy.neighbours", "privacy.unit", "totals.groups"],
    "places": ["input.person", "input.weight", "input.weights", "input.x", "input.y"],
    "genome": ["privacy.neighbours", "privacy.unit", "snps.carriers"],
    "flows": ["privacy.epsilon"],
    "trips": [],
}
"""Keys of which the example is a refusal."""
NAMES: Final = count()


def load(domain: str, folder: Path, text: str) -> Any:
    """The plan of a text, with the public files of its domain."""
    file = folder / domain / f"plan-{next(NAMES)}.toml"
    file.write_text(text)
    return PLANS[domain].load(file)


def check_kept(domain: str, plan: Any, folder: Path) -> None:
    """A plan that is saved is read back as the same, and the file keeps the schema."""
    file = folder / domain / f"saved-{next(NAMES)}.toml"
    plan.save(file)
    again = PLANS[domain].load(file)
    assert again.digest == plan.digest
    (folder / domain / "again").mkdir(exist_ok=True)
    again.save(folder / domain / "again" / file.name)
    assert (folder / domain / "again" / file.name).read_text().replace("../", "") == file.read_text()
    assert [*SCHEMAS[domain].iter_errors(tomllib.loads(file.read_text()))] == []


@pytest.mark.parametrize("domain", GRAMMARS)
def test_every_key_has_an_example(domain: str) -> None:
    tables = {name.rpartition(".")[0] for name in DECLARED[domain]}
    assert DECLARED[domain].keys() - tables == (CHANGES[domain].keys() | ELSEWHERE[domain].keys()) - tables


@pytest.mark.parametrize("domain", GRAMMARS)
def test_the_schema_is_one_and_each_key_says_what_it_is(domain: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[domain].schema)
    assert [name for name, key in DECLARED[domain].items() if key.kind.words and not key.what.endswith(".")] == []


@pytest.mark.parametrize("domain", GRAMMARS)
def test_a_plan_with_a_key_is_saved_and_read_as_the_same(domain: str, folder: Path) -> None:
    refused = []
    for key, changes in CHANGES[domain].items():
        text = changed(domain, *changes)
        try:
            plan = load(domain, folder, text)
        except PlanError:
            refused.append(key)
            continue
        assert [*SCHEMAS[domain].iter_errors(tomllib.loads(text))] == []
        check_kept(domain, plan, folder)
    assert sorted(refused) == REFUSED[domain]


@pytest.mark.series(29)
@pytest.mark.parametrize(("domain", "key"), EVERY)
def test_a_value_of_a_wrong_kind_is_refused_by_its_key(domain: str, key: str, folder: Path) -> None:
    schema = jsonschema.Draft202012Validator(DECLARED[domain][key].kind.schema)
    path = place(domain, key).replace("*", next(iter(CHANGES[domain][key][1])).rpartition(".")[2])
    wrong = [value for value in WRONG if not schema.is_valid(value)]
    assert wrong
    for value in wrong:
        text = changed(domain, CHANGES[domain][key][0], {path: value})
        assert not SCHEMAS[domain].is_valid(tomllib.loads(text)), value
        with pytest.raises(PlanError) as refused:
            load(domain, folder, text)
        name = path.rpartition(".")[2]
        assert any(re.search(rf"\b{name}\b", problem.field) for problem in refused.value.problems), (
            value,
            refused.value,
        )


@pytest.mark.parametrize("domain", GRAMMARS)
def test_an_unknown_key_is_refused_by_both(domain: str, folder: Path) -> None:
    tables = {name: key.kind.inside for name, key in DECLARED[domain].items() if key.kind.inside is not None}
    for name, table in {"": GRAMMARS[domain], **tables}.items():
        example = next((key for key in CHANGES[domain] if key.rpartition(".")[0] == name), None)
        if example is None or table.free is not None:
            continue
        path = ".".join(filter(None, [place(domain, example).rpartition(".")[0], "unheard-of"]))
        before, change = CHANGES[domain][example]
        text = changed(domain, before, change if name == "format" else {}, {path: 1})
        assert not SCHEMAS[domain].is_valid(tomllib.loads(text)), name
        with pytest.raises(PlanError, match=r"unheard-of is an unknown key"):
            load(domain, folder, text)


@pytest.mark.examples(6)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
@pytest.mark.parametrize("domain", GRAMMARS)
def test_a_plan_of_several_changes_is_saved_and_read_as_the_same(
    domain: str, folder: Path, data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(sorted(CHANGES[domain])), min_size=1, max_size=4, unique=True))
    try:
        text = changed(domain, *(change for key in chosen for change in CHANGES[domain][key]))
        plan = load(domain, folder, text)
    except (PlanError, KeyError, IndexError, TypeError):
        return  # The changes do not go together.
    assert [*SCHEMAS[domain].iter_errors(tomllib.loads(text))] == []
    check_kept(domain, plan, folder)


@pytest.mark.parametrize("domain", GRAMMARS)
def test_the_plans_of_the_documentation_keep_the_schema(domain: str) -> None:
    blocks = [
        text
        for page in DOCS
        for text in re.findall(r"^```toml[^\n]*\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    ]
    every = set[str]().union(*MARKS.values())
    plans = [plan for text in blocks if (plan := tomllib.loads(text)).keys() & every == MARKS[domain]]
    assert plans
    assert [error for plan in plans for error in SCHEMAS[domain].iter_errors(plan)] == []


def spoilt(value: Any) -> Iterator[Any]:
    """A value once for each text in it, names of keys too, with a mark behind that text that turns the direction of letters."""
    if isinstance(value, str):
        yield f"{value}\u202e"
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from ([*value[:at], other, *value[at + 1 :]] for other in spoilt(each))
    elif isinstance(value, dict):
        for key, each in value.items():
            yield {f"{name}\u202e" if name == key else name: other for name, other in value.items()}
            yield from ({**value, key: other} for other in spoilt(each))


def priced(domain: str, folder: Path, text: str) -> None:
    """Load a plan as far as is done before anything is charged: of places the cost reads the parameters of the method."""
    plan = load(domain, folder, text)
    if domain == "places":
        assert plan.cost


@pytest.mark.parametrize("domain", GRAMMARS)
def test_no_text_that_cannot_be_shown_is_taken(domain: str, folder: Path) -> None:
    # A release states its plan, and one with such a text could not be opened after it was paid.
    whole: list[tuple[dict[str, Any], dict[str, Any]]] = [({}, {name: value}) for name, value in WHOLE[domain].items()]
    for before, change in [*CHANGES[domain].values(), *whole]:
        for path, value in change.items():
            for each in spoilt(value):
                with pytest.raises(PlanError):
                    priced(domain, folder, changed(domain, before, change, {path: each}))
