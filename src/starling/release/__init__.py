"""The released artifact: a folder that is there as a whole or not at all, what it states, and its report. Knows no domain."""
