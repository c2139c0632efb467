"""What is asked of the person records, whichever engine answers. It is part of a release's provenance: privacy.json shows it."""

from collections.abc import Mapping
from typing import Final

COUNTING_SQL: Final = """\
SELECT persons.unit, persons.races, persons.qspan, cells.cell, CAST(count(*) AS bigint) AS persons
FROM persons
JOIN cells ON cells.sex = persons.sex AND cells.age = persons.age
GROUP BY persons.unit, persons.races, persons.qspan, cells.cell"""
"""Every count of every group of every level is a sum of these counts."""

COUNTED: Final[Mapping[str, str]] = {
    "persons": "a row for each record that is not dropped, of all of them, or of a share at a time, whose counts are added: unit, the"
    " number of the finest region of its block; races, of its set of race codes; qspan, of its ethnicity code; sex; age",
    "cells": "public: for each sex (1, 2) and age (0 to 115) the number of its cell, sex by 23 bands of age",
}
"""The tables that it names."""
