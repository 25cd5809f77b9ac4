"""The log: table `controls`, its indexes and the view `overrides`.

`controls` changes by ADD COLUMN only: a rebuilt table would lose its triggers and its unnamed
constraints. The triggers are not here; `app.store.guards` asserts them after every migration.
"""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None

OBSERVED = ("tool", "prompt", "turn", "compaction", "session", "usage", "artifact")
IN_FORCE = ("mode", "policy", "compact", "model", "notice", "configuration")


def among(column: str, *values: str) -> str:
    """`column IN (values)` as comparisons: of a list SQLite makes a table, anew for every row."""
    return " OR ".join(f"{column} = '{value}'" for value in values)


# fmt: off
SETS = {
    "known_kind": among("kind",
        "observed", "decided", "applied", "proposed", "approved", "dismissed", "reverted",
        "ended", "refused", "configured", "gap"),
    "known_action": among("action", *OBSERVED, *IN_FORCE),
    "observed_action": among("action", *OBSERVED),
    "applied_action": among("action", *IN_FORCE),
    "known_direction": among("direction", "neutral", "tighten", "loosen"),
    "needs_ref": among("kind", "approved", "dismissed", "reverted", "ended"),
    "by_machine": among("kind", "decided", "ended", "refused", "gap"),
    "by_human": among("kind", "approved", "dismissed", "reverted", "configured"),
}
# fmt: on

CONTROLS = """
CREATE TABLE controls (
    seq       {integer} NOT NULL PRIMARY KEY,
    at        TEXT NOT NULL,
    kind      TEXT NOT NULL,
    scope     TEXT NOT NULL,
    action    TEXT NOT NULL,
    direction TEXT NOT NULL,
    ref       {integer},
    actor     TEXT NOT NULL,
    dedup_key TEXT,
    body      TEXT NOT NULL,
    hash      TEXT NOT NULL,
    CONSTRAINT controls_seq_from_1 CHECK (seq > 0),
    CONSTRAINT controls_at_utc_ms CHECK (at LIKE '____-__-__T__:__:__.___Z'),
    CONSTRAINT controls_kind CHECK ({known_kind}),
    CONSTRAINT controls_scope_not_empty CHECK (scope <> ''),
    CONSTRAINT controls_action CHECK ({known_action}),
    CONSTRAINT controls_observed_action CHECK (
        kind NOT IN ('observed', 'decided') OR {observed_action}),
    CONSTRAINT controls_applied_action CHECK (
        kind NOT IN ('applied', 'proposed') OR {applied_action}),
    CONSTRAINT controls_direction CHECK ({known_direction}),
    CONSTRAINT controls_ref_is_earlier CHECK (ref > 0 AND ref < seq),
    CONSTRAINT controls_ref_needed CHECK (NOT ({needs_ref}) OR ref IS NOT NULL),
    CONSTRAINT controls_actor CHECK (actor = 'machine'
        OR (substr(actor, 1, 6) = 'human:' AND length(actor) > 6)
        OR (substr(actor, 1, 8) = 'harness:' AND length(actor) > 8)),
    CONSTRAINT controls_by_harness CHECK (
        kind <> 'observed' OR substr(actor, 1, 8) = 'harness:'),
    CONSTRAINT controls_by_machine CHECK (NOT ({by_machine}) OR actor = 'machine'),
    CONSTRAINT controls_by_human CHECK (NOT ({by_human}) OR substr(actor, 1, 6) = 'human:'),
    CONSTRAINT controls_not_applied_by_harness CHECK (
        kind <> 'applied' OR substr(actor, 1, 8) <> 'harness:'),
    CONSTRAINT controls_machine_never_loosens CHECK (
        kind NOT IN ('applied', 'ended') OR direction <> 'loosen'
        OR substr(actor, 1, 6) = 'human:'),
    CONSTRAINT controls_body_is_json CHECK ({is_json}),
    CONSTRAINT controls_hash_sha256 CHECK (length(hash) = 64)
){strict}"""

# The body's CHECK and the strictness are the only words the two engines do not share.
WORDS = {
    "sqlite": {"integer": "INTEGER", "is_json": "json_valid(body)", "strict": " STRICT"},
    "postgresql": {"integer": "BIGINT", "is_json": "body IS JSON", "strict": ""},
}

INDEXES = (
    "CREATE UNIQUE INDEX controls_dedup_key ON controls (dedup_key) WHERE dedup_key IS NOT NULL",
    "CREATE UNIQUE INDEX controls_reverted_once ON controls (ref) WHERE kind = 'reverted'",
    "CREATE INDEX controls_scope ON controls (scope)",
    "CREATE INDEX controls_ref ON controls (ref) WHERE ref IS NOT NULL",
    "CREATE INDEX controls_applied ON controls (scope, action) WHERE kind = 'applied'",
)

# Newest is the place of the applied entry, not of the proposal it came from.
OVERRIDES = """
CREATE VIEW overrides AS
SELECT seq, at, scope, action, actor, direction, body FROM controls
WHERE seq IN (
    SELECT max(seq) FROM controls AS applied
    WHERE kind = 'applied' AND NOT EXISTS (
        SELECT 1 FROM controls AS later
        WHERE later.ref = applied.seq AND later.kind IN ('reverted', 'ended'))
    GROUP BY scope, action)"""


def upgrade() -> None:
    words = WORDS[op.get_bind().dialect.name]
    for statement in (CONTROLS.format(**SETS, **words), *INDEXES, OVERRIDES):
        op.execute(statement)
