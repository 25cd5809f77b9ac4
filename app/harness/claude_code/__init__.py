"""Claude Code's own hooks: its payloads in (reading.py), its answers out (answers.py)."""
