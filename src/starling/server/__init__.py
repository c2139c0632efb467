"""The server: one organisation's place to register data, ask under a budget, and check. The web process opens no records."""
