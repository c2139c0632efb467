"""The tests mirror the source: tests/x/test_y.py shows what src/starling/x/y.py promises."""
