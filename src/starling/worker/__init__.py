"""The worker of a server: the one process that knows where records lie. It has no tokens, and nobody connects to it."""
