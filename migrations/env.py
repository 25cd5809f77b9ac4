"""Run the migrations on the connection that `app.store.migrate` opened, in its transaction."""

from __future__ import annotations

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=None,  # migrations are written by hand: `controls` only ever gains columns
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
