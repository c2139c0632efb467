"""`registry.yaml`: a draft entry for OpenDP's registry of deployments of differential privacy, filled from what a release knows.

The registry takes one YAML file for each deployment (github.com/opendp/deployments-registry-data, schemas/deployments-schema.yaml).
Who publishes, and what for, is known to people alone: the entry is marked "Draft", which there means that its author completes it,
and names the holder of the key in the curator's place.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from starling.distribution import SOFTWARE
from starling.privacy.budget import decimal_up
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Receipt
from starling.release.claims import claim
from starling.release.statement import limits, signer

FILE: Final = "registry.yaml"
VARIANTS: Final = {"epsilon": "Pure DP", "rho": "Zero-concentrated DP"}

Yaml: TypeAlias = "str | int | Decimal | list[str] | dict[str, Yaml]"


@dataclass(frozen=True, slots=True)
class Decimal:
    """A number, as it is written: a float would not be the amount that was charged."""

    text: str


@dataclass(frozen=True, slots=True)
class Product:
    """What a domain says of its data product, in words.

    Attributes:
        bounds: What makes neighbours differ by no more than the sensitivities say.
        post_processing: What was done to the noisy numbers.
        composition: How the parts make up the cost.
    """

    description: str
    intended_use: str
    region: str
    domain: str
    bounds: str
    mechanisms: str
    post_processing: str
    composition: str
    unprotected: str


def entry(title: str, receipt: Receipt, product: Product, joint: Guarantee | None = None) -> str:
    """The file; `joint` is the guarantee of the release and of all that it adds to, without which it stands alone."""
    guarantee = receipt.guarantee
    whole = joint or guarantee
    unit = guarantee.relation.unit
    key = signer(receipt)
    curator = "Not named" if key is None else f"Holder of the key {key.fingerprint}"
    return dumped(
        {
            # As the registry makes it: name, curator and year in small letters, with dashes.
            "url_slug": re.sub(r"[\W_]+", "-", f"{title}-{curator}-{receipt.day[:4]}".lower()),
            "status": "Draft",
            "tier": 3,
            "deployment": {
                "basic": {
                    "name": title,
                    "data_curators": [curator],
                    "intended_use": product.intended_use,
                    "data_product_type": "Summary statistics",
                    "data_product_region": product.region,
                    "description": product.description,
                    "publication_date": receipt.day,
                },
                "dp_variant": {
                    "variant_name": VARIANTS[guarantee.cost.measure],
                    "data_domain": product.domain,
                    "unprotected_quantities": product.unprotected,
                },
                "privacy_loss": {
                    "privacy_unit": f"{unit.capitalize()}-level",
                    "privacy_unit_details": _neighbours(guarantee, product),
                    "privacy_parameters": {whole.cost.measure: Decimal(decimal_up(whole.cost.amount))},
                    "privacy_parameters_details": _details(guarantee, joint),
                },
                "deployment_model": {
                    "model_name": "Central",
                    "release_type": "One release",
                    "release_type_details": limits(receipt),
                    "data_source_type": "Static",
                    "access_type": "Non-interactive",
                },
                "accounting": {"post_processing": product.post_processing, "composition": product.composition},
                "implementation": {"mechanisms": product.mechanisms},
                "administrative": {
                    "notes": "The folder of the release holds the exact statement (privacy.json) and what verifies it.",
                    "registry_authors": [SOFTWARE],
                },
            },
        }
    )


def _neighbours(guarantee: Guarantee, product: Product) -> str:
    unit = guarantee.relation.unit
    differ = f"they differ in the data of one {unit}; how many there are is public"
    if guarantee.relation.change == "add-remove":
        differ = f"one is the other with the data of one {unit} added or removed"
    return f"Two datasets are adjacent when {differ}. {product.bounds}"


def _details(guarantee: Guarantee, joint: Guarantee | None) -> str:
    """The cost of all that is in the release; where it adds to others, that of the new charge beside it."""
    if joint is None:
        return claim(guarantee).sentences()
    return (
        f"Of this release and of the earlier ones that it adds to, together: {claim(joint).sentences()}"
        f" Charged for this release alone, and part of the above: {claim(guarantee).sentences()}"
    )


def dumped(value: dict[str, Yaml]) -> str:
    """YAML: keys and numbers plain, text in double quotes, which the registry asks for.

    >>> print(dumped({"a": {"b": Decimal("0.5"), "c": ["x", "y: z"]}}), end="")
    a:
      b: 0.5
      c:
        - "x"
        - "y: z"
    """
    return "".join(line + "\n" for line in _lines(value, ""))


def read(text: str) -> dict[str, Yaml]:
    r"""What `dumped` wrote; it has one text, so that no key is there twice and nothing is hidden in a comment.

    >>> read(dumped({"a": {"b": Decimal("0.5"), "c": ["x", "y: \x1b"]}, "d": 3}))
    {'a': {'b': Decimal(text='0.5'), 'c': ['x', 'y: \x1b']}, 'd': 3}

    Raises:
        ValueError: it wrote no such text.
    """
    values: dict[str, Any] = {}
    path = [values]
    for line in map(_LINE.fullmatch, text.splitlines()):
        depth = 0 if line is None else len(line[1]) // 2
        if line is None or depth >= len(path) or (line["item"] and not depth):
            raise ValueError
        del path[depth + 1 :]
        if line["item"]:
            holder = path[depth - 1]
            key = next(reversed(holder))
            holder[key] = [*holder[key], _unquoted(line["item"])]
        elif line["value"] is not None:
            path[depth][line["key"]] = _read_scalar(line["value"])
        else:
            path.append(path[depth].setdefault(line["key"], {}))
    if dumped(values) != text:
        raise ValueError
    return values


def amounts(text: str) -> dict[str, Yaml]:
    """What an entry states of the privacy loss: variant, unit, parameters and the same in words.

    Raises:
        ValueError, KeyError, TypeError: the text is no entry.
    """
    deployment: dict[str, Any] = dict(cast(Any, read(text)["deployment"]))
    loss = deployment["privacy_loss"]
    keys = ("privacy_unit", "privacy_parameters", "privacy_parameters_details")
    return {"variant_name": deployment["dp_variant"]["variant_name"], **{key: loss[key] for key in keys}}


_LINE: Final = re.compile(r"( *)(?:- (?P<item>\".*\")|(?P<key>\w+):(?: (?P<value>.+))?)")
_ESCAPED: Final = re.compile(r"\\(?:U([0-9a-f]{8})|(.))")


def _read_scalar(value: str) -> Yaml:
    if value.startswith('"'):
        return _unquoted(value)
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        raise ValueError
    return Decimal(value) if "." in value else int(value)


def _unquoted(text: str) -> str:
    """Raises ValueError for what is not quoted as `_quoted` does."""
    plain = _ESCAPED.sub(lambda match: json.dumps(chr(int(match[1], 16)))[1:-1] if match[1] else match[0], text)
    value = json.loads(plain)
    if not isinstance(value, str):
        raise ValueError  # noqa: TRY004 - one kind of error for every text that is none of ours
    return value


def _lines(value: dict[str, Yaml], indent: str) -> list[str]:
    lines: list[str] = []
    for key, item in value.items():
        if isinstance(item, dict):
            lines += [f"{indent}{key}:", *_lines(item, f"{indent}  ")]
        elif isinstance(item, list):
            lines += [f"{indent}{key}:", *(f"{indent}  - {_quoted(each)}" for each in item)]
        else:
            scalar = item.text if isinstance(item, Decimal) else _quoted(item) if isinstance(item, str) else str(item)
            lines.append(f"{indent}{key}: {scalar}")
    return lines


def _quoted(text: str) -> str:
    """JSON's quotes are YAML's too; what YAML does not take raw is escaped."""
    quoted = json.dumps(" ".join(text.split()), ensure_ascii=False)
    return "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in quoted)
