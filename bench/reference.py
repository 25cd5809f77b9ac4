"""The baseline: a stock FastAPI route with a body model and a response model; nothing is stored."""

from __future__ import annotations

import argparse
from typing import Any, Literal

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field


class Event(BaseModel):
    """The fields that the load generator sends."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    event_id: str = Field(min_length=1, max_length=64)
    session_id: str = Field(min_length=1, max_length=128)
    harness: str = Field(max_length=64)
    tool: str = Field(min_length=1, max_length=128)
    arguments: dict[str, Any]
    outcome: Literal["ok", "error", "denied", "blocked", "timeout"]
    result: str = ""
    duration_ms: int | None = None
    context_tokens: int | None = None
    cwd: str | None = None
    occurred_at: str


class Verdict(BaseModel):
    """What the baseline answers."""

    verdict: Literal["allow", "deny", "ask"]
    mode: str


app = FastAPI()


@app.post("/controller/events", status_code=201)
async def events(event: Event) -> Verdict:
    """Validate one event and answer."""
    return Verdict(verdict="allow", mode="implementation")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    uvicorn.run(
        app,
        port=parser.parse_args().port,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
    )
