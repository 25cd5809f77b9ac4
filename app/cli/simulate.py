"""`floorboss simulate storm | replay`: soft rules tried where nothing can be harmed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from app.cli.exits import MISUSED, fail
from app.cli.layout import COLUMNS, wrapped
from app.cli.progress import Progress

if TYPE_CHECKING:
    from app.replay.soft_rules import Softly
    from app.replay.tally import Tally
    from app.simulation.parameters import Parameters
    from app.simulation.sweep import Point

simulate = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Try soft rules: on simulated agents, or on your own sessions.",
)
SEED: Final = "storm"


@simulate.command()
def storm(
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    runs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Runs of each point, an even number, 60 or more."),
    ] = None,
    seed: Annotated[str, typer.Option(help="Any word; another one draws other lots.")] = SEED,
    plots: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Draw charts there, as SVG and PNG.")
    ] = None,
) -> None:
    """Run agents that retry what a soft rule stopped, under every strength of its backoff."""
    from app.cli.plots import plots_in
    from app.domain.inert import inert
    from app.simulation.report import as_json, lines
    from app.simulation.storm import FEWEST, size
    from app.simulation.storm import storm as simulated
    from app.simulation.storm_charts import charts

    if runs is not None and (runs < FEWEST or runs % 2):
        fail(MISUSED, f"--runs takes an even number, {FEWEST} or more: half of them judge")
    draw = None if plots is None else plots_in(plots)
    parameters = given()
    progress = Progress(size(parameters), "points", counting="")

    def watching(points: Iterator[Point]) -> Iterator[Point]:
        for point in progress.watching(points):
            progress.done += 1
            yield point

    found = simulated(parameters, seed, runs, watching)
    progress.clear()
    if json_:
        print(json.dumps(as_json(found), indent=2))
    else:
        for line in lines(found):
            print("\n".join(wrapped(inert(line)) if len(line) > COLUMNS else [inert(line)]))
    if draw is not None:
        for name, chart in charts(found).items():
            draw(name, chart)


@simulate.command("replay")
def replayed(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Session files, or folders of them.", show_default=False),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON, at the end.")] = False,
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="TOML", help="A soft rule, NAME = {...}; else those of the settings."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME.FIELD=N", help="One number of a rule, or threshold."),
    ] = None,
    state_dir: Annotated[Path | None, typer.Option(help="Folder of the settings.")] = None,
    config: Annotated[Path | None, typer.Option(help="The file of settings.")] = None,
) -> None:
    """Run your sessions under soft rules: what would have been stopped, freed, escalated."""
    from app.cli import places
    from app.cli.replay import NO_SESSION, session_files
    from app.replay.choice import Unknown
    from app.replay.run import Core
    from app.replay.soft_choice import softened
    from app.replay.soft_rules import Softly, as_json, lines

    settings = places.settings(state_dir=state_dir, config=config)
    under = softened(settings, rule or [], set_ or [])
    if isinstance(under, Unknown):
        fail(MISUSED, under.detail)
    softly = Softly(core=Core(under, own=settings.own))
    tally = _read(session_files(paths or []), softly)
    if json_:
        print(json.dumps(as_json(softly), indent=2))
    else:
        for line in lines(softly):
            print("\n".join(wrapped(line)) if len(line) > COLUMNS else line)
    if tally.nothing_readable:
        fail(MISUSED, NO_SESSION.format(lines=tally.totals.lines))


def _read(files: list[Path], softly: Softly) -> Tally:
    """Every file, each call judged before it runs."""
    from app.replay.run import replay
    from app.replay.tally import Tally

    tally, progress = Tally(), Progress(len(files), "files")
    try:
        for _ in replay(
            files, lambda lines: progress.watching(softly.feed(lines)), tally, attempts=True
        ):
            progress.step()
    except OSError as fault:
        fail(MISUSED, f"{fault.filename}: {fault.strerror}")
    finally:
        progress.clear()
    return tally


def given() -> Parameters:
    """The parameters that are shipped."""
    from app.simulation.parameters import FILE, parameters

    return parameters(resources.files("app.simulation").joinpath(FILE).read_text("utf-8"))
