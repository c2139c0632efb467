"""The adaptive plan of an exploration: which question it asks after which answers.

The mechanism walks it with draws, post-processing with the answers that were released; both see the same questions, since each is a
function of public choices and earlier answers alone.

As published all k SNPs are located at once, and the blocks are those that contain any of them, one after the other. With `independent`
each SNP is located outside the blocks and SNPs found before, followed by a block that contains it.

An exploration of effects locates its SNPs at once, and asks for the scores of all of them together.

Source: Johnson and Shmatikov 2013, Section 4.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias, TypeVar

from starling.errors import ParameterError
from starling.genome.measurements import (
    Block,
    Cells,
    Drawn,
    Explored,
    ExploredEffects,
    NoisyScores,
    Number,
    SelectedSnps,
)
from starling.genome.plan import (
    Explore,
    ExploreEffects,
    LocBlock,
    LocSig,
    NumSig,
    Plan,
    Query,
    Question,
    SnpEffects,
    SnpPval,
)
from starling.genome.plan.exploring import SnpRanges

Ask: TypeAlias = Callable[[Query], Drawn]
"""Answers one question."""
AskGiven: TypeAlias = Callable[[Question, Number | None], Drawn]
"""Answers one question; from the number that was drawn before it follows what was paid for already."""
KindT = TypeVar("KindT", Number, SelectedSnps, Block, Cells, NoisyScores)


def follow(plan: Plan, explore: Explore, ask: Ask) -> Explored:
    """Ask every question of an exploration, in order; what was answered. Raises TypeError where an answer is of another kind than its
    question.
    """
    number = _is(ask(explore.number(plan)), Number)
    if number.high == 0:
        return Explored(number, 0, SelectedSnps(()), (), ())
    k = explore.clamped(plan, number.high)
    walk = _one_by_one if explore.independent else _at_once
    snps, blocks = walk(plan, explore, k, ask)
    tables = tuple(_is(ask(explore.table(snp, k)), Cells) for snp in snps)
    return Explored(number, k, SelectedSnps(snps), blocks, tables)


def replay(plan: Plan, explore: Explore, drawn: Explored) -> list[tuple[Question, Drawn]]:
    """Each question of an exploration with its answer, in the order in which they were asked. Raises ValueError where these are not the
    answers of one exploration: some are missing, or too many.
    """
    places = ((snp,) for snp in drawn.located.snps) if explore.independent else iter((drawn.located.snps,))
    left: dict[type[Question], Iterator[Drawn]] = {
        NumSig: iter((drawn.number,)),
        LocSig: (SelectedSnps(snps) for snps in places),
        LocBlock: iter(drawn.blocks),
        SnpPval: iter(drawn.tables),
    }
    return _replayed(partial(follow, plan, explore), left, drawn)


def _replayed(
    walk: Callable[[Any], Drawn], left: Mapping[type[Question], Iterator[Drawn]], drawn: Drawn
) -> list[tuple[Question, Drawn]]:
    """What a walk asks, each question with the next answer that is left of its kind; the walk has to come to what was drawn."""
    queries: list[tuple[Question, Drawn]] = []

    def ask(query: Question, _: Number | None = None) -> Drawn:
        answer = next(left[type(query)], None)
        if answer is None:
            raise ValueError
        queries.append((query, answer))
        return answer

    if walk(ask) != drawn:
        raise ValueError
    return queries


def follow_effects(plan: Plan, explore: ExploreEffects, ask: AskGiven) -> ExploredEffects:
    """Ask every question of an exploration of effects, in order; what was answered. Raises TypeError as `follow` does."""
    number = _is(ask(explore.number(plan), None), Number)
    if number.high == 0:
        return ExploredEffects(number, SelectedSnps(()), None)
    located = _is(ask(explore.locations(explore.clamped(plan, number.high)), number), SelectedSnps)
    return ExploredEffects(number, located, _is(ask(explore.effects(located.snps), number), NoisyScores))


def replay_effects(plan: Plan, explore: ExploreEffects, drawn: ExploredEffects) -> list[tuple[Question, Drawn]]:
    """Each question of an exploration of effects with its answer. Raises ValueError as `replay` does."""
    answers = ((NumSig, drawn.number), (LocSig, drawn.located), (SnpEffects, drawn.scores))
    left: dict[type[Question], Iterator[Drawn]] = {kind: iter([answer] if answer else []) for kind, answer in answers}
    return _replayed(partial(follow_effects, plan, explore), left, drawn)


def _at_once(plan: Plan, explore: Explore, k: int, ask: Ask) -> tuple[tuple[str, ...], tuple[Block, ...]]:
    snps = _is(ask(explore.locations(k, k)), SelectedSnps).snps
    blocks: list[Block] = []
    for _ in range(k):
        query = explore.block(snps, k, snp_ranges(blocks))
        if not _can_be_asked(plan, query):
            break
        blocks.append(_is(ask(query), Block))
    return snps, tuple(blocks)


def _one_by_one(plan: Plan, explore: Explore, k: int, ask: Ask) -> tuple[tuple[str, ...], tuple[Block, ...]]:
    snps: list[str] = []
    blocks: list[Block] = []
    for _ in range(k):
        place = explore.locations(1, k, (*snp_ranges(blocks), *((snp, snp) for snp in snps)))
        if not _can_be_asked(plan, place):
            break
        snp = _is(ask(place), SelectedSnps).snps[0]
        snps.append(snp)
        query = explore.block((snp,), k, snp_ranges(blocks))
        if _can_be_asked(plan, query):
            blocks.append(_is(ask(query), Block))
    return tuple(snps), tuple(blocks)


def _can_be_asked(plan: Plan, query: Query) -> bool:
    """Whether there is still something to choose from: told by the answers so far."""
    try:
        query.check(plan)
    except ParameterError:
        return False
    return True


def snp_ranges(blocks: Iterable[Block]) -> SnpRanges:
    """First and last SNP of each block, but of the answer that none is valid."""
    return tuple((block.first, block.last) for block in blocks if block.first is not None and block.last is not None)


def _is(answer: Drawn, kind: type[KindT]) -> KindT:
    if not isinstance(answer, kind):
        raise TypeError
    return answer
