"""Which SNPs share a triangle: a released pair or block joins them, nothing else."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from starling.genome.pictures.answers import Answers
from starling.genome.pictures.linkage import WITHIN, linked_snps
from starling.genome.postprocess.estimates import Correlated
from tests.genome.pictures.studies import correlated, p_value, plan, snps, three_chromosomes

ENDS = st.tuples(st.integers(1, 30), st.integers(1, 30)).map(lambda ends: (min(ends), max(ends)))


def pair(one: int, other: int, value: float = 0.5, width: float = 0.1, measure: str = "r2") -> Correlated:
    return correlated(f"rs{one}", f"rs{other}", measure, value, value - width, value + width)


@given(
    st.lists(ENDS.filter(lambda ends: ends[0] < ends[1]), max_size=8),
    st.lists(ENDS.filter(lambda ends: (ends[0] - 1) // 10 == (ends[1] - 1) // 10), max_size=4),
)
def test_groups_are_the_connected_parts(pairs: list[tuple[int, int]], blocks: list[tuple[int, int]]) -> None:
    answers = Answers(
        three_chromosomes(),
        blocks=tuple((f"rs{low}", f"rs{high}") for low, high in blocks),
        pairs=tuple(pair(*ends) for ends in pairs),
    )
    sets = [set(ends) for ends in pairs] + [set(range(low, high + 1)) for low, high in blocks]
    joined = True
    while joined:
        joined = False
        for one, other in combinations(sets, 2):
            if one & other:
                sets = [each for each in sets if each is not one and each is not other] + [one | other]
                joined = True
                break
    wanted = sorted(tuple(sorted(each)) for each in sets if len(each) > 1)
    found = linked_snps(answers)
    assert sorted(tuple(int(snp[2:]) for snp in linked.snps) for linked in found) == wanted
    released = {(linked.snps[one], linked.snps[other]) for linked in found for one, other in linked.pairs}
    assert released == {(f"rs{low}", f"rs{high}") for low, high in pairs}, "exactly what was released"


def test_the_shortest_interval_of_a_pair_and_each_measure_alone() -> None:
    answers = Answers(
        three_chromosomes(),
        pairs=(pair(1, 2, 0.5, 0.2), pair(2, 1, 0.6, 0.1), pair(1, 2, 0.7, 0.3), pair(1, 2, 0.9, 0.1, "dprime")),
    )
    prime, squared = linked_snps(answers)
    assert (prime.measure, squared.measure) == ("dprime", "r2")
    assert squared.pairs[0, 1].value.estimate == 0.6


def test_a_long_block_shows_its_ends_and_what_else_was_released() -> None:
    listed = plan(snps([("1", place) for place in range(1, 201)]))
    answers = Answers(listed, (p_value("rs50", 1),), ("rs60", "rs150"), (("rs10", "rs100"),), (pair(20, 30),))
    (linked,) = linked_snps(answers)
    assert linked.snps == ("rs10", "rs20", "rs30", "rs50", "rs60", "rs100")
    assert linked.blocks == ((0, 5),)
    (short,) = linked_snps(Answers(listed, blocks=(("rs1", f"rs{WITHIN}"),)))
    assert len(short.snps) == WITHIN


def test_a_block_of_one_snp_is_no_group() -> None:
    assert linked_snps(Answers(three_chromosomes(), blocks=(("rs4", "rs4"),))) == []
    assert linked_snps(Answers(three_chromosomes())) == []
