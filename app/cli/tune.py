"""`floorboss tune`: every threshold swept over a person's own sessions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from app.cli.exits import CLOSED, MISUSED, fail
from app.cli.progress import Progress

if TYPE_CHECKING:
    from app.cli.plots import Draw
    from app.replay.comparison import Read
    from app.replay.fires import Fire
    from app.replay.labels import Labels
    from app.replay.tuning import Run, Tuned

SHOWN: Final = 3  # calls that a value adds or takes away, named in the text


def tune(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Session files, or folders of them.", show_default=False),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, at the end.")] = False,
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE[.THRESHOLD]", help="Sweep this one; else all."),
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="Thresholds and modes: default or strict.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="RULE.THRESHOLD=N", help="One threshold. 0: off."),
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="How many calls to name.")] = SHOWN,
    label: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Your verdicts on firings: precision per value."),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a fragment of settings with what --set says."),
    ] = None,
    plots: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Draw each rule there, as SVG and PNG."),
    ] = None,
    state_dir: Annotated[Path | None, typer.Option(help="Folder of the settings.")] = None,
    config: Annotated[Path | None, typer.Option(help="The file of settings.")] = None,
) -> None:
    """Try other thresholds on session files. Tell what fires how often, and at which calls."""
    from app.cli import places
    from app.cli.comparing import configuration
    from app.cli.plots import plots_in
    from app.cli.replay import NO_SESSION, session_files
    from app.replay.apart import Trial
    from app.replay.tuning import Tuned, folded, runs
    from app.replay.tuning_report import fragment, tuned_json

    settings, chosen = places.settings(state_dir=state_dir, config=config), set_ or []
    under = configuration(settings, profile, chosen)
    names, verdicts = _thresholds(rule or []), None if label is None else _labels(label)
    if write is not None and write.exists():
        fail(MISUSED, f"{write} is there already; a fragment overwrites nothing")
    files, draw = session_files(paths or []), None if plots is None else plots_in(plots)
    held = _held(files)

    def run(name: str, value: float) -> Sequence[Fire]:
        tried = configuration(settings, profile, [*chosen, f"{name}={value}"])
        found = trial.run(name, value, tried)
        progress.step()
        return found

    progress = Progress(1, "runs")
    tuned = Tuned(base=folded(held, under, progress.watching, settings.own), labels=verdicts)
    progress.step()
    trial = Trial(held, tuned.base, progress.watching, settings.own)
    progress.total += runs(tuned.base, names)
    _swept(tuned, names, run, draw, shown=None if json_ else show)
    if json_:
        print(json.dumps(tuned_json(tuned), indent=2))
    if write is not None:
        _written(write, fragment(tuned, [text.partition("=")[0].strip() for text in chosen]))
    if not json_:
        _where(plots, write)
    totals = tuned.base.tally
    if totals.nothing_readable:
        fail(MISUSED, NO_SESSION.format(lines=totals.totals.lines))


def _thresholds(wanted: list[str]) -> list[str]:
    """The thresholds to sweep, in the order of the reference."""
    from app.config.keys import nearest
    from app.replay.labels import RULES
    from app.replay.sweep import SWEEPS, rule_of

    for name in wanted:
        if name not in SWEEPS and name not in RULES:
            close = nearest(name, (*RULES, *SWEEPS))
            fail(MISUSED, f'no rule or threshold "{name}"; the nearest is "{close}"')
    return [name for name in SWEEPS if not wanted or {name, rule_of(name)} & {*wanted}]


def _labels(path: Path) -> Labels:
    from app.replay.labels import Malformed, labels

    try:
        found = labels(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as fault:
        fail(MISUSED, f"the verdicts cannot be read: {fault}")
    if isinstance(found, Malformed):
        fail(MISUSED, f"{path}, {found.detail}")
    return found


def _swept(
    tuned: Tuned, names: list[str], run: Run, draw: Draw | None, *, shown: int | None
) -> None:
    """Sweep, telling each as it comes and drawing each rule; `shown` None: nothing is told."""
    from app.replay.tuning import sweeps
    from app.replay.tuning_charts import chart
    from app.replay.tuning_report import closing_lines, sweep_lines

    for rule, found in groupby(sweeps(tuned.base, names, run), attrgetter("rule")):
        for sweep in found:
            tuned.sweeps.append(sweep)
            if shown is not None and not sweep.silent:
                print("\n".join(sweep_lines(sweep, tuned, shown)), flush=True)
        if draw is not None:
            draw(rule, chart(rule, tuned))
    if shown is not None:
        print("\n".join(closing_lines(tuned)), flush=True)


def _held(files: list[Path]) -> list[Read]:
    """The events of all files; they stay in memory, as each run goes through them."""
    from app.replay.run import groups

    held: list[Read] = []
    progress = Progress(len(files), "files")
    try:
        for counts, lines in groups(files):
            held.append((counts, list(progress.watching(lines))))
            progress.done += len(counts)
    except OSError as fault:
        fail(MISUSED, f"{fault.filename}: {fault.strerror}")
    finally:
        progress.clear()
    return held


def _where(plots: Path | None, write: Path | None) -> None:
    if plots is not None:
        print(f"Drawn in {plots}")
    if write is not None:
        print(
            f"Written to {write}. Nothing of it is in force yet: put its lines into floorboss.toml"
        )
        print("and start the daemon again")


def _written(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as fault:
        fail(CLOSED, f"{path}: {fault.strerror}")
