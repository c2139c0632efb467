"""A search for inputs that make counting raise, hang or die: `python -m bench.fuzz`.

An input is a record whose fields were mutated, or a whole file whose bytes were. Records are tried many to a file; a file that is refused
before the charge counts as refused. Everything follows from a seed, so that a failure is made again by `--again`.
"""
