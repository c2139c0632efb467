"""Tables as one SDMX data set: a structure with code lists (SDMX-ML 3.0), and an observation for each number (SDMX-CSV 2.0).

All tables are parts of one data structure, whose first dimension is the table; of a column that a table does not have, its rows are the
total. Codes of SDMX are letters, digits and _: where a code of the release is something else, the code list states it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.distribution import install
from starling.errors import ParameterError, plain
from starling.release.table_files import Text, TextWriter
from starling.tables.export.described import (
    NOT_APPLICABLE,
    TOTAL,
    DescribedTable,
    Dimension,
    Front,
    identifiers,
)
from starling.tables.export.rules import SHOWN

DATA: Final = "data.csv"
DEFINITIONS: Final = "structure.xml"
TABLE: Final = "TABLE"
SPECIAL: Final = {TOTAL: "total", NOT_APPLICABLE: "not applicable"}
ATTRIBUTES: Final = {"lower": "CONF_LOWER", "upper": "CONF_UPPER"}
"""What numbers are called in SDMX whose names are others."""
OBSERVED: Final = {
    "E": "Estimate: it holds noise",
    "M": "Missing: it does not exist",
    "Q": "Missing: suppressed by a rule of the export",
}
"""The status of an observation, as in the cross-domain code list CL_OBS_STATUS."""
COLUMNS: Final = ("STRUCTURE", "STRUCTURE_ID", "ACTION")


@dataclass(frozen=True, slots=True)
class _Component:
    """A dimension of the data structure.

    Attributes:
        concept: What columns of tables it is made of.
        codes: By tables that have such a column, the code in SDMX of each code.
        items: Label and, where it is another, original code of each code in SDMX.
        absent: The code of the other tables.
    """

    identifier: str
    concept: str
    description: str
    codes: Mapping[str, Mapping[str, str]]
    items: Mapping[str, tuple[str, str]]
    absent: str


def write_data(tables: Sequence[DescribedTable], out: Path, structure: str) -> None:
    """Write an observation for each number."""
    components = _components(tables)
    attributes = _attributes(tables)
    columns = [*COLUMNS, *(each.identifier for each in components), "OBS_VALUE", "OBS_STATUS", *attributes.values()]
    with out.open("wb") as file:
        writer = TextWriter(file, Text("csv", {name: name for name in columns}))
        for table in tables:
            for piece in table.pieces():
                writer.write(_observations(table, piece, components, attributes, structure))


def _attributes(tables: Sequence[DescribedTable]) -> dict[str, str]:
    """What is said of the estimates in all tables, by its name: its attribute."""
    names = dict.fromkeys(
        each.name for table in tables for each in table.numbers if each.name not in (table.estimate, SHOWN)
    )
    return {name: ATTRIBUTES.get(name, name.upper()) for name in names}


def _observations(
    table: DescribedTable,
    piece: pa.Table,
    components: Sequence[_Component],
    attributes: Mapping[str, str],
    structure: str,
) -> pa.Table:
    def constant(text: str | None) -> pa.Array:
        return pa.array([text], pa.string()).dictionary_encode().take(pa.array(np.zeros(len(piece), dtype=np.int32)))

    columns: dict[str, Any] = dict(zip(COLUMNS, map(constant, ("datastructure", structure, "I")), strict=True))
    by_concept = {each.concept or each.name: each for each in table.dimensions}
    for component in components:
        dimension = by_concept.get(component.concept)
        if dimension is None:
            columns[component.identifier] = constant(component.absent)
        else:
            known = pa.array([component.codes[table.name][code] for code in dimension.codes], pa.string())
            chunks = [pa.DictionaryArray.from_arrays(chunk.indices, known) for chunk in piece[dimension.name].chunks]
            columns[component.identifier] = pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.string()))
    columns[TABLE] = constant(table.name)
    value = piece[table.estimate]
    columns["OBS_VALUE"] = value.cast(pa.float64())
    hidden = pc.invert(piece[SHOWN]) if SHOWN in piece.column_names else pa.array(np.zeros(len(piece), dtype=bool))
    columns["OBS_STATUS"] = pc.if_else(hidden, "Q", pc.if_else(pc.is_valid(value), "E", "M"))
    for name, identifier in attributes.items():
        columns[identifier] = piece[name] if name in piece.column_names else constant(None)
    return pa.table(columns)


def _components(tables: Sequence[DescribedTable]) -> list[_Component]:
    """The dimensions of the data structure: the table, and what the columns of all tables are."""
    by_concept: dict[str, list[tuple[str, Dimension]]] = {}
    for table in tables:
        for each in table.dimensions:
            by_concept.setdefault(each.concept or each.name, []).append((table.name, each))
    taken = (TABLE, *COLUMNS, "OBS_VALUE", "OBS_STATUS", *_attributes(tables).values())
    names = identifiers([concept.upper() for concept in by_concept], taken, first="COLUMN")
    # An identifier of SDMX begins with a letter.
    names = [name if name[0].isalpha() else f"C_{name}" for name in names]
    titles = {each.name: (each.title, "") for each in tables}
    first = _Component(TABLE, "", "The table that the number is of", {}, titles, TOTAL)
    named = zip(names, by_concept.items(), strict=True)
    return [first, *(_component(name, concept, columns) for name, (concept, columns) in named)]


def _component(identifier: str, concept: str, columns: Sequence[tuple[str, Dimension]]) -> _Component:
    """One dimension; columns of one concept whose names differ, as regions of two levels, have codes of their own."""
    labels: dict[tuple[str, str], str] = {}
    for _, each in columns:
        apart = each.name if each.concept else ""
        labels |= {(apart, code): label for code, label in each.codes.items() if code not in SPECIAL}
    chosen = dict(zip(labels, identifiers([code for _, code in labels], first="CODE"), strict=True))
    codes = {
        table: {
            code: code if code in SPECIAL else chosen[each.name if each.concept else "", code] for code in each.codes
        }
        for table, each in columns
    }
    absent = columns[0][1].absent
    special = {code: (SPECIAL[code], "") for code in (TOTAL, NOT_APPLICABLE)}
    items = special | {chosen[key]: (label, key[1] if chosen[key] != key[1] else "") for key, label in labels.items()}
    return _Component(identifier, concept, columns[0][1].description, codes, items, absent)


def write_data_set(tables: Sequence[DescribedTable], front: Front, folder: Path, structure: str) -> None:
    """Write an observation for each number, and the data structure with its concepts and code lists and a data flow as SDMX-ML 3.0.

    Raises:
        ParameterError: pysdmx is not installed.
    """
    try:
        from pysdmx.io import write_sdmx
        from pysdmx.io.format import Format
        from pysdmx.model import Organisation
        from pysdmx.model.message import Header
    except ImportError:
        raise ParameterError("format", "sdmx needs pysdmx, which is not installed", install("sdmx")) from None
    sender = Organisation(id=_parts(structure)["agency"])
    header = Header(id=front.request, prepared=datetime.combine(front.day, time(), UTC), sender=sender)
    text = write_sdmx(list(_artefacts(tables, front, structure)), Format.STRUCTURE_SDMX_ML_3_0, header=header)
    (folder / DEFINITIONS).write_text(str(text), encoding="utf-8")
    write_data(tables, folder / DATA, structure)


def _parts(structure: str) -> dict[str, str]:
    agency, _, rest = structure.partition(":")
    identifier, _, version = rest.partition("(")
    return {"agency": agency, "id": identifier, "version": version.rstrip("+)")}


def _artefacts(tables: Sequence[DescribedTable], front: Front, structure: str) -> Iterator[Any]:
    """Code lists, concepts, data structure and data flow."""
    from pysdmx.model import (
        Code,
        Codelist,
        Component,
        Components,
        Concept,
        ConceptScheme,
        Dataflow,
        DataStructureDefinition,
        DataType,
        ItemReference,
        Role,
    )

    own = _parts(structure)
    maintained: dict[str, Any] = {"agency": own["agency"], "version": own["version"]}
    components, attributes = _components(tables), _attributes(tables)
    descriptions = {each.name: each for table in tables for each in table.numbers}
    estimate = next(each for each in tables[0].numbers if each.name == tables[0].estimate)

    def listed(identifier: str, name: str, items: Mapping[str, tuple[str, str]]) -> Codelist:
        codes = [
            Code(id=code, name=plain(label) or code, description=plain(original) or None)
            for code, (label, original) in items.items()
        ]
        return Codelist(id=f"CL_{identifier}", name=plain(name), items=codes, **maintained)

    status = listed("OBS_STATUS", "Status of an observation", {code: (text, "") for code, text in OBSERVED.items()})
    lists = [listed(each.identifier, each.identifier, each.items) for each in components]
    texts = {each.identifier: each.description for each in components}
    texts |= {"OBS_VALUE": estimate.description, "OBS_STATUS": "Status of the observation"}
    texts |= {identifier: descriptions[name].description for name, identifier in attributes.items()}
    scheme = ConceptScheme(
        id=f"CS_{own['id']}",
        name="Concepts",
        items=[Concept(id=name, name=name, description=plain(text)) for name, text in texts.items()],
        **maintained,
    )

    def component(name: str, role: Role, **values: Any) -> Component:
        concept = ItemReference(sdmx_type="Concept", id=scheme.id, item_id=name, **maintained)
        return Component(id=name, required=role is Role.DIMENSION, role=role, concept=concept, **values)

    dimensions = [
        component(each.identifier, Role.DIMENSION, local_codes=codes)
        for each, codes in zip(components, lists, strict=True)
    ]
    measure = component("OBS_VALUE", Role.MEASURE, local_dtype=DataType.DOUBLE)
    attribute_list = [component("OBS_STATUS", Role.ATTRIBUTE, local_codes=status, attachment_level="O")]
    for name, identifier in attributes.items():
        kind = DataType.BOOLEAN if pa.types.is_boolean(descriptions[name].type) else DataType.DOUBLE
        attribute_list.append(component(identifier, Role.ATTRIBUTE, local_dtype=kind, attachment_level="O"))
    text = plain(front.text(note for each in tables for note in each.notes))
    definition = DataStructureDefinition(
        id=own["id"],
        name=plain(front.title),
        description=text,
        components=Components([*dimensions, measure, *attribute_list]),
        **maintained,
    )
    flow = Dataflow(id=own["id"], name=plain(front.title), description=text, structure=definition, **maintained)
    yield from (status, *lists, scheme, definition, flow)
