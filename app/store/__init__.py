"""The append-only log on SQLite: the table, its guards, its hash chain, writing and reading it."""
