"""What can be set: one field per setting, with its type, its default and one sentence.

The reference in docs/configuration.md and the list of known keys are both made from these fields.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from app.domain.configuration import Enforcement, Posture
from app.domain.modes import ProfileName

# JSON and a comparison with `>=` both need finite numbers; 0 turns a check off.
Threshold = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(strict=True, ge=0)]
Tokens = Annotated[int, Field(strict=True, gt=0)]
Rate = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(strict=True, gt=0, le=120, allow_inf_nan=False)]
Port = Annotated[int, Field(ge=0, le=65535)]


class Section(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Auth(Section):
    """Who may read, and how the daemon may be reached."""

    reads: Literal["open", "outline", "token"] = Field(
        default="outline",
        description="What a read without a token shows on loopback: everything, an entry's"
        " outline, or nothing. Any other bind is always `token`.",
    )
    published_on: str | None = Field(
        default=None,
        description="Where a container or a proxy publishes the port; a loopback address counts"
        " as a loopback bind. None: the daemon is reached where it binds.",
    )
    tls_cert: Path | None = Field(default=None, description="Certificate chain, PEM.")
    tls_key: Path | None = Field(default=None, description="Its private key, PEM.")
    hosts: tuple[str, ...] = Field(
        default=(), description="Names allowed in `Host`, beside loopback and the bind address."
    )


class Limits(Section):
    """How much one token may send to the own routes; hook routes have no limit."""

    rate: Rate = Field(default=50_000, description="Events a second, per token.")
    burst: Tokens = Field(default=100_000, description="Events at once, per token.")


class Uses(Section):
    """How often a standing approval may be used."""

    uses: Count = Field(description="Uses in one session. 0: never.")


class Proposer(Section):
    """A model that is asked in the background when a check trips; docs/proposer.md."""

    enabled: bool = Field(
        default=False,
        strict=True,
        description="Ask a model, in the background, when a check trips. Off: nothing of it is"
        " loaded. docs/proposer.md says what it is told and what it may do.",
    )
    provider: Literal["anthropic", "openai"] = Field(
        default="anthropic",
        description="`anthropic`: the Messages API. `openai`: Chat Completions, as many servers"
        " speak it.",
    )
    endpoint: str | None = Field(
        default=None,
        description="The whole URL to post to, https, or http on loopback. None: the provider's own"
        " (`https://api.anthropic.com/v1/messages`, `https://api.openai.com/v1/chat/completions`).",
    )
    private_hosts: tuple[str, ...] = Field(
        default=(),
        description="Loopback and private places that `endpoint` may lead to, each `host:port` as"
        " it stands there.",
    )
    model: str | None = Field(default=None, description="The model that is asked.")
    models: tuple[str, ...] = Field(
        default=(), description="Models that it may propose for the agent. Empty: none."
    )
    key_variable: str | None = Field(
        default=None,
        description="The environment variable that holds the key. None: none is sent.",
    )
    timeout: Seconds = Field(default=20.0, description="Seconds for one call, all of it.")
    calls_per_day: Count = Field(
        default=50, description="Calls a day (UTC), all sessions together. 0: none."
    )
    folder: Path | None = Field(
        default=None,
        description="Where texts for a person are written. None: `proposals` in the state folder.",
    )


class Schema(Section):
    """Every setting. `rules`, `standing` and `modes` are filled from the profile."""

    state_dir: Path = Field(description="Folder of the log and the harness's token.")
    host: str = Field(default="127.0.0.1", description="Address to bind.")
    port: Port = Field(default=8737, description="Port to bind. 0: any free one.")
    database_url: str = Field(description="The log's database.")
    profile: ProfileName = Field(
        default="default", description="The table of thresholds, modes and standing approvals."
    )
    enforcement: Enforcement = Field(
        default="enforce", description="`observe`: log what would be denied and deny nothing."
    )
    start_mode: str = Field(default="implementation", description="Mode of a new session.")
    ceiling: Posture = Field(
        default="yolo",
        description="Posture in which sessions start, and the loosest that is ever proposed to you."
        " `yolo` adds nothing. A session with a policy of its own keeps that.",
    )
    context_limit: Tokens = Field(
        default=200_000,
        description="Size of the context window in tokens, where the harness does not say.",
    )
    auth: Auth = Field(default=Auth())
    limits: Limits = Field(default=Limits())
    proposer: Proposer = Field(default=Proposer())
    rules: dict[str, dict[str, Threshold]]
    standing: dict[str, Uses]
    modes: dict[str, dict[str, JsonValue]] = {}  # whole definitions, by name
    soft: dict[str, dict[str, JsonValue]] = {}  # soft rules, by name
