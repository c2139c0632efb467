"""Sites of several alternate alleles, as SNPs of the list: one for each allele.

A record with several is a SNP for each, in the order of the record: the id is the record's, a colon and the allele in capitals (rs1 with
C and T gives rs1:C and rs1:T), and the two alleles are that one and the reference. From there on they are SNPs like others: a person has 0,
1 or 2 copies of each, and replacing one moves the table of each by one step. A record of a genotype file is every SNP that its id and one
of its own alleles name, whether it has all alleles of the site or was split.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from starling.genome.plan.sites import UNKNOWN, Site, Sites
from starling.planfile.spelling import LONGEST_NAME

MOST_ALTERNATES: Final = 254
"""Alternate alleles of a record, as PLINK 2 has them."""
Fault: TypeAlias = Callable[[int | None, str, str, str], None]
"""Takes note of what is wrong with a list: its line, the field, the problem and the fix."""


def allele_id(name: str, allele: str) -> str:
    """The id of the SNP that is an allele of a record, whose id may be several.

    >>> allele_id("rs1", "C"), allele_id("rs1;rs2", "c")
    ('rs1:C', 'rs1:C;rs2:C')
    """
    ending = f":{allele.upper()}"
    return name.replace(";", f"{ending};") + ending


def record_id(name: str, *alleles: str) -> str:
    """The id of the record of which a SNP with this id is an allele; empty if it is none."""
    for allele in alleles:
        record = ";".join(part.removesuffix(f":{allele.upper()}") for part in name.split(";"))
        if allele_id(record, allele) == name:
            return record
    return ""


def split(listed: Sites, fault: Fault) -> tuple[Sites, dict[str, tuple[str, ...]]]:
    """The sites with a row for each alternate allele, and the ids of the rows of each record that has several.

    A record that cannot be split stays, so that it is refused where the plan keeps it.
    """
    if not any("," in site.first for site in listed.sites):
        return listed, {}
    sites, lines, records = list[Site](), list[int](), dict[str, tuple[str, ...]]()
    for site, line in zip(listed.sites, listed.lines, strict=True):
        alleles = site.first.split(",")
        if len(alleles) == 1 or site.id in UNKNOWN or wrong_record(site) is not None:
            sites.append(site)
            lines.append(line)
            continue
        names = tuple(allele_id(site.id, allele) for allele in alleles)
        if site.id in records:
            fault(line, site.id, "is there twice", "give every SNP an id of its own")
        records[site.id] = names
        sites += [site._replace(id=name, first=allele) for name, allele in zip(names, alleles, strict=True)]
        lines += [line] * len(alleles)
    return Sites(listed.file, sites, lines), records


def wrong_record(site: Site) -> tuple[str, str] | None:
    """Problem and fix of a record of several alternate alleles that is no SNP for each; None if it is."""
    alleles = site.first.split(",")
    if {"", *UNKNOWN} & {*alleles}:
        return "has an unknown allele among several", "name each, apart by commas, or leave it out"
    if len({allele.upper() for allele in (site.second, *alleles)}) <= len(alleles):
        return "has one allele twice", "give every allele once"
    if len(alleles) > MOST_ALTERNATES:
        return f"has more than {MOST_ALTERNATES} alternate alleles", "leave it out"
    if max(len(allele_id(site.id, allele)) for allele in alleles) > LONGEST_NAME:
        return f"has an id and an allele of more than {LONGEST_NAME} characters together", "give it a shorter id"
    return None
