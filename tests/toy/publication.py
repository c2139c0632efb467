"""A histogram as the frame publishes and verifies it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pyarrow as pa

from starling.ledger.rules import canonical
from starling.pages.parts import Section
from starling.privacy.guarantee import Guarantee
from starling.privacy.sampling.noise import draw
from starling.privacy.trust import Mechanism
from starling.release import public_json
from starling.release.checks import TABLES, Checks, InvalidRelease
from starling.release.codec import decode, digest, encode, plain
from starling.release.commitment import Written
from starling.release.domain import Publication
from starling.release.encrypted import Create
from starling.release.registry import Product
from starling.release.statement import Particulars
from starling.release.table_files import Table, Text
from tests.toy.plan import Plan

PLAN, NOISY = "plan/plan.json", "measurements/noisy.json"
WORDS = {"category": "The category", "count": "Persons, with noise", "lower": "Lower end", "upper": "Upper end"}
SCHEMA = pa.schema([("category", pa.string()), *((name, pa.int64()) for name in ("count", "lower", "upper"))])
CSV = Text("csv", {name: name for name in WORDS})
HISTOGRAM = Table("histogram", "Persons by category", SCHEMA, WORDS, ("category",), texts=(CSV,))


@dataclass(frozen=True)
class Noisy:
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Mechanized:
    plan: Plan

    @property
    def guarantee(self) -> Guarantee:
        return self.plan.guarantee

    def draw(self, exact: tuple[int, ...], /) -> Noisy:
        return Noisy(tuple((np.array(exact) + draw(self.plan.noise, len(exact))).tolist()))


@dataclass(frozen=True)
class Histogram(Publication[tuple[int, ...], Noisy]):
    """A `release.domain.Publication`, and its `Contents` once it has counts."""

    plan: Plan
    noisy: Noisy = Noisy(())
    domain = "toy"
    tables = (HISTOGRAM,)
    notes = MappingProxyType({PLAN: "The public plan", NOISY: "The noisy counts"})

    @property
    def request(self) -> str:
        return canonical({"release": "toy", "plan": digest({"plan": self.plan})})

    @property
    def particulars(self) -> Particulars:
        return Particulars("toy", plain(self.plan), {"categories_of_a_person": 1})

    @property
    def product(self) -> Product:
        return Product(*(["Persons by category."] * 9))

    @property
    def charged(self) -> Section:
        return Section("What was charged", f"Each count has noise of scale {self.plan.noise.scale}.")

    def mechanism(self, _: Path, create: Create) -> Mechanism[tuple[int, ...], Noisy]:
        def write(noisy: Noisy) -> None:
            with create(NOISY) as file:
                file.write(public_json.form(encode(Noisy, noisy)).encode())

        return Written(Mechanized(self.plan), write)

    def read(self, folder: Path) -> Noisy:
        found: Noisy = public_json.read(folder, NOISY, partial(decode, Noisy), partial(encode, Noisy))
        return found

    def check(self, drawn: Noisy) -> None:
        if len(drawn.counts) != len(self.plan.categories):
            raise InvalidRelease(TABLES, NOISY, "has another number of counts than the plan has categories")

    def contents(self, _: Path, drawn: Noisy) -> "Histogram":
        return Histogram(self.plan, drawn)

    def write_plan(self, folder: Path) -> None:
        (folder / "plan").mkdir()
        public_json.write(folder, PLAN, encode(Plan, self.plan))

    def pieces(self) -> Iterator[Mapping[str, pa.Table]]:
        counts, off = np.array(self.noisy.counts, dtype=np.int64), self.plan.margin
        columns = [pa.array(self.plan.categories), counts, counts - off, counts + off]
        yield {"histogram": pa.table(columns, schema=SCHEMA)}

    def sections(self) -> tuple[Section, ...]:
        return (Section("Error", f"Each count is off by at most {self.plan.margin} persons, 19 times of 20."),)


def reopen(folder: Path) -> Histogram:
    plan: Any = public_json.read(folder, PLAN, partial(decode, Plan), partial(encode, Plan))
    return Histogram(plan)


CHECKS: Final = Checks({TABLES: "the histogram is what plan and noisy counts give"})
