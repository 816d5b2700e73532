"""The command that plays one or more curves, prints their regret, and saves or draws it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpbandits.base.registry import ALGORITHMS
from dpbandits.base.storage import write_text
from dpbandits.cli.outputs import FORCE, demand_means, demand_picture, demand_runs
from dpbandits.cli.project import PATH, check_ending, find_experiment, find_project
from dpbandits.config import letters
from dpbandits.config.curves import Curve
from dpbandits.config.entries import TABLE
from dpbandits.config.loading import Paper, Project
from dpbandits.config.plain_yaml import ConfigError, scalar
from dpbandits.planning import dependencies
from dpbandits.planning.single import named_curve, settings_of, with_settings

if TYPE_CHECKING:
    from dpbandits.api.plans import Plan
    from dpbandits.text.sweeps import Played


@click.command()
@click.argument("experiment")
@click.option(
    "--algorithm",
    "algorithms",
    required=True,
    metavar="NAME[,NAME...]",
    help="Algorithms or bounds, with a variant as name:variant; my_bandit.py:MyUCB is your own class.",
)
@click.option("--calibration", "calibrations", metavar="NAME[,NAME...]", default="printed", show_default=True)
@click.option("--variant", default="", help="Variant of one algorithm, where the experiment has several.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="NAME=VALUE[,VALUE...]",
    help="eps=0.1,1, T=1e6, arms=100, or a parameter; repeatable.",
)
@click.option("--seeds", type=click.IntRange(2, 1_000_000), default=100, show_default=True)
@click.option("--jobs", type=click.IntRange(1, 1024), default=1, show_default=True, help="Number of processes.")
@click.option("--table", type=PATH, metavar="FILE", help="Write the means and intervals to this CSV file.")
@click.option(
    "--plot",
    type=PATH,
    metavar="FILE",
    help="Draw them to this PDF, PNG or SVG file, with the committed results of the same curves in gray.",
)
@click.option("--out", type=PATH, metavar="FILE", help="Write the runs and a checksum to this parquet file.")
@FORCE
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def run(
    ctx: click.Context,
    experiment: str,
    algorithms: str,
    calibrations: str,
    variant: str,
    changes: tuple[str, ...],
    seeds: int,
    jobs: int,
    table: Path | None,
    plot: Path | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Play single curves of EXPERIMENT (paper/name) and print their final regret.

    All algorithms play the same instances. Each value of a setting makes a row.
    """
    for path, demand in ((out, demand_runs), (table, demand_means), (plot, demand_picture)):
        if path:
            demand(path, force)  # checked before anything is computed
    if plot:
        check_ending("--plot", plot)
    project = find_project(ctx, instances=True)
    paper, name = find_experiment(project, experiment)
    names = [f"{each}:{variant}" if variant else each for each in algorithms.split(",")]
    plans = plans_of(project, paper, name, names, calibrations.split(","), changes, seeds)
    from dpbandits.text import sweeps

    if plot:
        from dpbandits.figures import files
        from dpbandits.figures.kinds import sweep

        sweep.layout([each.curve for each in plans])  # refuses too many panels before anything is computed
    found = played(project, plans, seeds, jobs, out)

    if table:
        write_text(table, sweeps.table(found))
    if plot:
        files.write(sweep.draw(found, paper, name, project.root / "figures"), plot)
    if as_json:
        records = [{"curve": each.curve.identity(), "seeds": seeds, "points": each.rows} for each in found]
        click.echo(letters.as_json(records[0] if len(records) == 1 else records))
    else:
        click.echo("\n".join(line for each in found for line in sweeps.lines(each)))


def plans_of(
    project: Project,
    paper: Paper,
    experiment: str,
    names: Sequence[str],
    calibrations: Sequence[str],
    changes: Sequence[str],
    seeds: int,
) -> "list[Plan]":
    """Plans to play: every algorithm at every calibration, in this order.

    Raises
    ------
    ConfigError
        A name is unknown, or a value is out of range.
    """
    from dpbandits.api.places import Place
    from dpbandits.api.plans import Plan, plan

    cases = [(name, calibration) for name in names for calibration in calibrations]
    played = {entry.algorithm for entry in paper.experiments[experiment].entries}
    own = [case for case in cases if _is_own(case[0]) and case[0].partition(":")[0] not in played]
    listed = [case for case in cases if case not in own]
    curves = {case: named_curve(project, paper, experiment, *case, seeds) for case in listed}
    values: dict[str, list[Any]] = {}
    for change in changes:
        name, _, text = change.partition("=")
        values[name] = [scalar(each) for each in text.split(",")]
    around = paper.experiments[experiment].environment_of("printed")
    origin = (project, paper, experiment)
    place = Place(f"{paper.key}/{experiment}", around, project.root, project.root_seed, origin)
    known = {name for curve in curves.values() for name in settings_of(curve)}
    planned = {case: plan(case[0], place, case[1], values, others=known) for case in own}
    changed = dict(zip(curves, with_settings(list(curves.values()), changes, elsewhere=bool(own)), strict=True))
    return [planned.get(case) or Plan(changed[case], case[1], None, False) for case in cases]


def _is_own(name: str) -> bool:
    """Whether a name denotes the user's own code: a file, `file.py:Class`, or a name registered for such code."""
    called = name.partition(":")[0]
    return name.endswith(".py") or ALGORITHMS.own_code(name) is not None or (":" in name and called not in TABLE)


def played(project: Project, plans: "Sequence[Plan]", seeds: int, jobs: int, out: Path | None) -> "list[Played]":
    """Play all plans and return the results.

    Raises
    ------
    ConfigError
        `out` is given with more than one curve, a curve without runs of a registered algorithm, or several jobs.
    """
    from dpbandits.api.running import runs
    from dpbandits.stages import single
    from dpbandits.text.sweeps import Played

    if out:
        _check_out(plans, jobs)
    found = []
    for each in plans:
        curve = each.curve
        if curve.bound or out:
            source = "" if curve.bound else dependencies.digest(dependencies.simulate(curve))
            traces = single.played(curve, project.root_seed, out, source)
        else:
            traces = single.traces(curve, runs(each, project.root_seed, seeds, jobs, project.root))
        own = each.own is not None
        changed = own or is_changed(project, curve)
        rows, courses = single.rows_of(curve, traces), single.courses(traces)
        found.append(Played(curve, each.calibration, own, seeds, courses, rows, changed))
    return found


def is_changed(project: Project, curve: Curve) -> bool:
    """Whether a constant, the environment or the horizon of a curve differs from the scale full, or it is not there."""
    paper, name = project.papers[curve.paper], f"{curve.algorithm}:{curve.variant}".removesuffix(":")
    if curve.algorithm not in {entry.algorithm for entry in paper.experiments[curve.experiment].entries}:
        return True
    full = named_curve(replace(project, scale="full"), paper, curve.experiment, name, curve.calibration, 2)
    constants = [(each.environment, each.parameters, each.varying) for each in (curve, full)]
    names, horizons = (
        [{name for point in each.points for name in point} for each in (curve, full)],
        [{each.horizon_at(point) for point in each.points} for each in (curve, full)],
    )
    return constants[0] != constants[1] or not names[0] <= names[1] or not horizons[0] <= horizons[1]


def _check_out(plans: "Sequence[Plan]", jobs: int) -> None:
    first = plans[0]
    if len(plans) > 1:
        raise ConfigError("--out: takes the runs of one algorithm at one calibration. Use --table for several.")
    if first.curve.bound:
        raise ConfigError(f"--out: {first.curve.algorithm} is a bound and has no runs. Leave --out out.")
    if first.own:
        raise ConfigError("--out: takes the runs of algorithms of this project. Use `dpbandits.play` for your own.")
    if jobs > 1:
        raise ConfigError("--jobs: --out is written by one process. Leave one of the two out.")
