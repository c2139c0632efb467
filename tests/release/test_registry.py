"""registry.yaml is an entry that OpenDP's registry of deployments takes, as far as its schema says.

The rules below were written down from the registry's schema (opendp/deployments-registry-data, schemas/deployments-schema.yaml, as
of July 2026): the fields of each part, those that are required, and the words that a field may have.
"""

import re
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
import yaml

from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.guarantee import Guarantee, measurement
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON
from starling.privacy.trust import Entry, Receipt
from starling.release import registry
from starling.release.registry import Decimal, Product, amounts, dumped, entry, read
from starling.tables.artifact.public_plan import product
from tests.tables.small import small_plan

TOP = {"url_slug", "status", "tier", "deployment"}
BASIC = {
    "name",
    "data_curators",
    "description",
    "intended_use",
    "data_product_type",
    "data_product_region",
    "publication_date",
}
ALLOWED = {
    "basic": BASIC | {"data_product_sector"},
    "dp_variant": {"variant_name", "data_domain", "unprotected_quantities"},
    "privacy_loss": {"privacy_unit", "privacy_unit_details", "privacy_parameters", "privacy_parameters_details"},
    "deployment_model": {
        *("model_name", "model_name_details", "actors", "release_type", "release_type_details"),
        *("data_source_type", "data_source_type_details", "access_type", "access_type_details"),
    },
    "accounting": {"post_processing", "composition"},
    "implementation": {"preprocessing_and_hyperparameter_tuning", "mechanisms", "justification"},
    "administrative": {"sources", "notes", "registry_authors"},
}
WORDS = {
    "status": {"Converted", "Draft", "Pending", "Changes Required", "Approved"},
    "data_product_type": {
        "Summary statistics",
        "Machine learning model",
        "Dataset",
        "Synthetic data",
        "Interactive API",
        "SQL queries",
    },
    "variant_name": {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"},
    "model_name": {"Local", "Central", "Shuffle", "Federated", "Varies"},
    "release_type": {"One release", "Many releases"},
    "data_source_type": {"Static", "Dynamic"},
    "access_type": {"Interactive", "Non-interactive"},
}
PRODUCT = Product(*(f"{name}: with a colon, a 'quote' and a \"quote\"" for name in "abcdefghi"))
LAPLACE = measurement("count", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(3)))
GAUSSIAN = measurement("count", REPLACE_PERSON, DiscreteGaussian(Fraction(5)))
KEY = "0123456789abcdef" * 4


def receipt(guarantee: Guarantee) -> Receipt:
    return Receipt("id", guarantee, "ledger", Entry(5, "ab", "census", "people", KEY), day="2026-03-01")


def faults(record: dict[str, Any]) -> list[str]:
    """What the registry's own check would say of a record."""
    found = [f"{name} at the top" for name in record.keys() ^ TOP]
    deployment = record["deployment"]
    found += [f"part {name}" for name in deployment.keys() - ALLOWED.keys()]
    found += [
        f"{part}.{name}"
        for part in ALLOWED.keys() & deployment.keys()
        for name in deployment[part].keys() - ALLOWED[part]
    ]
    found += [f"basic.{name} is missing" for name in BASIC - deployment["basic"].keys()]
    fields = {name: value for part in deployment.values() for name, value in part.items()} | record
    found += [
        f"{name} is {fields[name]}" for name, words in WORDS.items() if name in fields and fields[name] not in words
    ]
    lists = {"data_curators", "registry_authors"}
    parameters = fields["privacy_parameters"]
    found += [
        f"{name} is no number" for name in ("epsilon", "rho") if type(parameters.get(name, 1.0)) not in (int, float)
    ]
    for name in fields.keys() - lists - {"tier", "deployment", "privacy_parameters"}:
        if not isinstance(fields[name], str):
            found.append(f"{name} is no text")
    for name in lists:
        if not fields[name] or not all(isinstance(each, str) for each in fields[name]):
            found.append(f"{name} is no list of texts")
    if record["tier"] not in (1, 2, 3):
        found.append("tier")
    date.fromisoformat(fields["publication_date"])
    return found


@pytest.mark.parametrize("guarantee", [LAPLACE, GAUSSIAN])
@pytest.mark.parametrize(
    "domain", [PRODUCT, product(small_plan("rho", suppression=Fraction(1, 2), allow_negative=False))]
)
def test_the_registry_takes_it(guarantee: Guarantee, domain: Product) -> None:
    record = yaml.safe_load(entry('Title: a "title"', receipt(guarantee), domain))
    assert not faults(record)
    assert record["status"] == "Draft"
    assert record["deployment"]["basic"]["publication_date"] == "2026-03-01"
    assert re.fullmatch(r"[\w-]+", record["url_slug"])


def test_the_amount_is_that_of_the_charge_rounded_up() -> None:
    loss = yaml.safe_load(entry("t", receipt(LAPLACE), PRODUCT))["deployment"]["privacy_loss"]
    assert loss["privacy_parameters"] == {"epsilon": 0.333334}
    assert "epsilon 0.666667 when one is replaced" in loss["privacy_parameters_details"]
    assert loss["privacy_unit"] == "Person-level"
    assert "added or removed" in loss["privacy_unit_details"]
    other = yaml.safe_load(entry("t", receipt(GAUSSIAN), PRODUCT))["deployment"]
    assert other["privacy_loss"]["privacy_parameters"] == {"rho": 0.1}
    assert "how many there are is public" in other["privacy_loss"]["privacy_unit_details"]
    assert other["dp_variant"]["variant_name"] == "Zero-concentrated DP"


def test_who_publishes_is_left_to_people() -> None:
    curators = yaml.safe_load(entry("t", receipt(LAPLACE), PRODUCT))["deployment"]["basic"]["data_curators"]
    assert re.fullmatch(r"Holder of the key [0-9a-f-]{39}", curators[0])
    unsigned = Receipt("id", LAPLACE, "x")
    assert yaml.safe_load(entry("t", unsigned, PRODUCT))["deployment"]["basic"]["data_curators"] == ["Not named"]


@pytest.mark.parametrize("guarantee", [LAPLACE, GAUSSIAN])
def test_what_an_entry_states_of_the_privacy_loss_is_read_back(guarantee: Guarantee) -> None:
    text = entry("t", receipt(guarantee), PRODUCT)
    assert dumped(read(text)) == text
    loss = yaml.safe_load(text)["deployment"]["privacy_loss"]
    said = amounts(text)
    assert said["privacy_unit"] == loss["privacy_unit"] == "Person-level"
    assert said["privacy_parameters_details"] == loss["privacy_parameters_details"]
    numbers = {key: Decimal(str(number)) for key, number in loss["privacy_parameters"].items()}
    assert dumped({"a": said["privacy_parameters"]}) == dumped({"a": dict(numbers)})


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + text,
        lambda text: text.replace(
            "    privacy_parameters:", "    privacy_parameters:\n      rho: 0\n    privacy_parameters:"
        ),
        lambda text: text + "# nothing is private\n",
        lambda text: text.replace("status: ", "status:  "),
        lambda text: text.replace("tier", '"tier"'),
        lambda text: text[:-1],
        lambda text: text.replace("tier: 3", "tier: 3 # not"),
        lambda text: text[:0],
    ],
)
def test_a_text_that_is_no_entry_of_ours_states_nothing(change: Callable[[str], str]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        amounts(change(entry("t", receipt(LAPLACE), PRODUCT)))


@pytest.mark.parametrize(
    "text", ["a: b", "#", "- x", "é ü", "\u2028x", "\x85\x7f", "\U0001f600", '"', "\\", "yes", "", "1.5", "\ufeff"]
)
def test_any_text_comes_back_as_text(text: str) -> None:
    read = yaml.safe_load(dumped({"a": {"b": text, "c": [text]}}))
    assert read == {"a": {"b": " ".join(text.split()), "c": [" ".join(text.split())]}}
    assert registry.read(dumped({"a": {"b": text, "c": [text]}})) == read


def test_no_style_is_used_that_the_registry_refuses() -> None:
    # Its check allows plain values and text in quotes.
    lines = entry("t", receipt(LAPLACE), PRODUCT).splitlines()
    assert all(re.fullmatch(r' *(- )?("(.*)"|[\w]+:( (".*"|[\d.]+))?)', line) for line in lines)
    assert dumped({"a": Decimal("0.5"), "b": 3}) == "a: 0.5\nb: 3\n"
