"""When an answer leaves: a function of the public plan, unless the run missed it.

How long a run takes may depend on the data (samplers, hash tables, spilling). So what leaves, an answer or an error, leaves at
a deadline that the plan gives; a run that misses it leaves at the next doubling, which tells one bit where a clock would tell
many. That one bit is a known limit.
"""


def departure(planned: float, took: float) -> float:
    """Seconds after the start at which what took `took` seconds leaves.

    >>> departure(8, 3), departure(8, 9), departure(8, 17)
    (8, 16, 32)
    """
    leaves = planned
    while leaves < took:
        leaves *= 2
    return leaves
