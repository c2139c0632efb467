"""`python -m bench.pages`."""

from bench.pages import main

main()
