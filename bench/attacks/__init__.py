"""Attacks on our own releases and on exact statistics, each beside the most that any attacker can reach on a release."""
