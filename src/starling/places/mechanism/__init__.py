"""How noise is drawn: every method under one signature."""
