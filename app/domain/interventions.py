"""Counting what was not allowed: denials by the harness or a person, and interventions of hooks.

    denied, allowed         the windows of R7
    blocked                 an intervention, ours or foreign
    escalated, let_through  what else a verdict of ours says about its step
    another_turn, answered  what becomes of an escalation
    row_of                  how many blocks of one step there would be in a row

A block is neither a failure nor a denial: nothing here that counts blocks feeds a counter that
tightens; a block of ours only casts its shadow (docs/detection.md 2.10).

Two blocks are of the same step if they hit the same call, or the same path under the same rule, and
neither a change of state nor nine other calls lie between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from app.domain.calls import Call, Reading
from app.domain.events import Json
from app.domain.observations import text_of
from app.domain.stream import NO_FAILURE, Block, Counting, Escalation, Slot, Stream

DENIAL_WINDOW = 20  # calls that were not blocked
BLOCK_WINDOW = 10  # calls
REFUSED = 0.5  # of a call that ran and was refused by the system it asked
SHADOW = 6  # calls after a block of ours in which repeats are advice
TERMINAL = 1  # the second block in a row of one step ends the run's hope (seed 002)


class Said(NamedTuple):
    """What a decided entry says beside its verdict and its rule."""

    verdict: str = "none"
    escalated: bool = False
    ends_turn: bool = False
    soft: Json = None  # what the soft rules that were asked came to; None: none was


def denied(step: Counting, call: Call) -> None:
    """R7 after a denial; a batch counts at most one."""
    if call.batch_id is not None and step.batch_denied:
        return
    reading = call.reading
    step.batch_denied = call.batch_id is not None
    slot = Slot(seq=call.seq, weight=1.0, key=reading.identity, marks=reading.marks)
    step.denials = (*step.denials, slot)[-DENIAL_WINDOW:]
    _unclean(step)
    marks = (f"mark:{mark}" for mark in reading.marks)
    for key in (f"same:{reading.identity}", *marks, "dense", "rate", "count"):
        step.touch("denials", key)


def allowed(step: Counting, empty: Slot, call: Call) -> None:
    """R7 after a call that ran: it takes a place in the window, and half a weight if refused."""
    slot = Slot(call.seq, REFUSED) if call.reading.refused else empty
    step.denials = (*step.denials, slot)[-DENIAL_WINDOW:]


def blocked(step: Counting, call: Call, rule: str | None, *, ours: bool) -> Block:
    """After an intervention; `ours` casts the shadow in which repeats are only advice."""
    block = _block(step, call, rule, ours=ours)
    again = block.row > 1
    step.interventions += 1
    step.blocked_then_blocked += int(again)
    step.terminal = step.terminal or step.blocked_then_blocked >= TERMINAL
    step.blocks = (*_recent(step, step.calls), block)[-BLOCK_WINDOW:]
    if ours:
        step.shadow_until = step.calls + SHADOW
    _unclean(step)
    step.touched = (("blocked_storm", f"same:{block.key}"), ("blocked_storm", "any"))
    return block


def escalated(step: Counting, call: Call, block: Block, said: Said) -> None:
    """After a denial of ours: it counts for an escalation that is open, or opens one."""
    opened = step.escalation
    if opened is not None:
        ended = opened.ended or said.ends_turn
        step.escalation = opened._replace(further=opened.further + 1, ended=ended)
    if said.ends_turn:
        step.touch("escalation", "further")
    if not said.escalated:
        return
    step.touch("escalation", f"step:{block.step}")
    before = [each for each in step.blocks[:-1] if each.step == block.step]
    if before and before[-1].escalated:
        step.blocks = (*step.blocks[:-1], block._replace(escalated=True))
        return
    step.escalations += 1
    step.blocks = (*step.blocks[:-1], block._replace(escalated=True))
    if opened is None:
        step.escalation = Escalation(call.seq, call.tool, block)


def let_through(step: Counting, call: Call) -> None:
    """After a verdict that blocked nothing: a step that may go on is blocked in a row no more.

    What another hook blocked, it will block again whatever we say.
    """
    if step.escalation is not None and _hits(step.escalation.block, call.reading):
        step.escalation = None
    steps = {block.step for block in step.blocks if block.ours and _hits(block, call.reading)}
    if steps:
        step.blocks = tuple(block for block in step.blocks if block.step not in steps)


def another_turn(opened: Escalation | None) -> Escalation | None:
    """An escalation after the turn it was in: what is blocked from now on is counted anew."""
    return None if opened is None else opened._replace(further=0, ended=False)


def answered(stream: Stream, about: str) -> tuple[tuple[Block, ...], Escalation | None]:
    """Blocks and escalation without those of one step: a person says that it is dealt with."""
    opened = stream.escalation
    kept = tuple(block for block in stream.blocks if block.step != about)
    return kept, None if opened is not None and opened.block.step == about else opened


def sampled(said: Json, *, again: bool) -> Iterator[tuple[str, bool]]:
    """The draws an entry tells of: the rule, and whether it stopped a step stopped just before."""
    for each in said if isinstance(said, list) else ():
        if isinstance(each, dict) and "draw" in each:
            yield text_of(each, "rule") or "", again and each.get("intervened") is True


def row_of(stream: Stream, reading: Reading, rule: str | None) -> int:
    """How many blocks of one step in a row there are if a call is blocked by `rule` now."""
    if not stream.blocks:
        return 1
    return 1 + _row_before(_recent(stream, stream.calls + 1), reading, _key(reading, rule))


def row(stream: Stream, step: str) -> tuple[Block, ...]:
    """The latest block of a step, with those before it that are remembered; none: it is over."""
    return tuple(block for block in _recent(stream, stream.calls) if block.step == step)


def same_step(block: Block, reading: Reading, key: str) -> bool:
    """Whether a call that `key` blocks is the step that a block was about."""
    if block.identity == reading.identity:
        return True
    return block.key == key and not set(block.targets).isdisjoint(targets_of(reading))


def targets_of(reading: Reading) -> tuple[str, ...]:
    """The paths a call is about; none where it names none."""
    if reading.targets:
        return tuple(dict.fromkeys(target.path for target in reading.targets))
    return (reading.path,) if reading.path else ()


def _block(step: Counting, call: Call, rule: str | None, *, ours: bool) -> Block:
    reading, recent = call.reading, _recent(step, step.calls)
    key, targets = _key(reading, rule), targets_of(reading)
    before = [block for block in recent if same_step(block, reading, key)]
    return Block(
        call=step.calls,
        seq=call.seq,
        key=key,
        identity=reading.identity,
        targets=targets,
        step=before[-1].step if before else f"{key}:{next(iter(targets), reading.identity)}",
        ours=ours,
        row=1 + (before[-1].row if before else 0),
    )


def _row_before(recent: tuple[Block, ...], reading: Reading, key: str) -> int:
    return next((b.row for b in reversed(recent) if same_step(b, reading, key)), 0)


def _recent(stream: Stream, calls: int) -> tuple[Block, ...]:
    """The blocks within the window that ends with call number `calls`."""
    return tuple(b for b in stream.blocks if calls - b.call < BLOCK_WINDOW)


def _key(reading: Reading, rule: str | None) -> str:
    """What blocked a call: the rule, else the message; where neither is known the call itself."""
    return rule or reading.digest or reading.identity


def _hits(block: Block, reading: Reading) -> bool:
    """Whether a block was about this call or one of its paths, whatever the rule."""
    shared = not set(block.targets).isdisjoint(targets_of(reading))
    return block.identity == reading.identity or shared


def _unclean(step: Counting) -> None:
    step.clean = NO_FAILURE
    step.clean_ids = ()
