"""Where budget is kept and spent. For now an account in memory; the durable ledger stands here."""
