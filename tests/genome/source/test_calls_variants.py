"""What a record is called, and which of its alleles is carried."""

from starling.genome.source.calls import NO_ALLELE, Variant


def test_a_record_without_an_id_is_called_by_its_place() -> None:
    assert Variant("chr09", 5, "rs1", ("A", "C"), None).name == "rs1"
    assert Variant("chr09", 5, "", ("A", "C"), None).name == "9:5:A:C"
    assert Variant("NC_000023.11", 5, "", ("A", "C", "G"), None).name == "X:5:A:C,G"
    assert Variant("1", 5, "", ("A",), None).name == "1:5:A:"


def test_the_carried_allele_in_any_letters() -> None:
    variant = Variant("1", 5, "", ("A", "c", "<DEL>"), None)
    assert [variant.allele_index(allele) for allele in ("a", "C", "<DEL>", "T")] == [0, 1, 2, NO_ALLELE]
