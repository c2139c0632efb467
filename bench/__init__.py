"""Benchmarks: each module is one command, `python -m bench.NAME`, whose results are kept in bench/results. See README.md."""
