"""The budget ledger: what may be spent on whom, what was, and the answers it bought."""
