"""Certificate commands: `certificate`, which Snakemake calls, and `verify`, which checks results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from dpbandits.base.project_folder import nearest
from dpbandits.cli.project import FOLDER, figures_folder, project_of_stage, results, with_verdicts
from dpbandits.config import letters
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.planning import dependencies
from dpbandits.planning.benchmarks import plan


@click.command()
@click.option("--out", type=FOLDER, required=True)
@click.pass_context
def certificate(ctx: click.Context, out: Path) -> None:
    """Certify the results of the last run: checksums of all files, and a copy of what made them."""
    from dpbandits.stages.certificate import certificate as stage

    project = with_verdicts(ctx, project_of_stage(ctx))
    benchmarks = [*plan(project), "report/report.tsv"]
    stage(project, results(project), figures_folder(project), dependencies.everything(), benchmarks, out)


@click.command()
@click.argument("folder", type=FOLDER, metavar="DIR")
@click.option("--certificate", "certificate_", type=FOLDER, help="By default DIR/certificate.")
@click.option("--judge", "again", is_flag=True, help="Also derive every verdict again from the certified tables.")
@click.option("--recompute", metavar="NAME", help="Compute a certified claim (paper/C7) or audit (paper/sums) again.")
@click.option("--seeds", type=click.IntRange(1), help="With --recompute: first seeds to play; default: about a minute.")
@click.option(
    "--own-code", is_flag=True, help="With --judge or --recompute: run own code that the certified configuration names."
)
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def verify(
    ctx: click.Context,
    folder: Path,
    certificate_: Path | None,
    again: bool,
    recompute: str | None,
    seeds: int | None,
    own_code: bool,
    as_json: bool,
) -> None:
    """Compare results with a certificate. DIR is a folder such as results/quick, or a certificate by itself.

    If files differ, the command also names other settings, software, machine, configuration and notebooks.
    Configuration and notebooks are those of the project that is given, or that DIR is in.

    Checksums detect accidents, not forgery. Compare the SHA-256 of the certificate with a published one. With --judge
    the command also judges every claim again from the tables of the certificate. With --recompute it plays the runs of
    a claim again instead, or reruns an audit, and compares the numbers.

    The exit code is 0 if everything is as certified, 1 if something is not, and 2 if the certificate is damaged.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder}: is not a folder. Name one with the results of a scale, such as results/quick.")
    if seeds and not recompute:
        raise ConfigError("--seeds: allowed with --recompute only. Leave it out.")
    if own_code and not (again or recompute):
        raise ConfigError("--own-code: allowed with --judge or --recompute only. Leave it out.")
    if again and recompute:
        raise ConfigError("--judge: not allowed with --recompute, which judges its own claim. Leave one of them out.")
    from dpbandits.certificate import contents, terminal
    from dpbandits.stages.verify import scale_of, verify_alone, whole
    from dpbandits.stages.verify import verify as stage

    alone = certificate_ is None and (folder / contents.METADATA).is_file()
    place = certificate_ or (folder if alone else folder / "certificate")
    if recompute:
        from dpbandits.stages.recompute import recompute as compute

        whole(place)
        found = compute(place, scale_of(place), recompute, seeds, own_code)
        if as_json:
            click.echo(letters.as_json(terminal.recomputed(found)))
        else:
            terminal.print_recomputed(found)
        ctx.exit(0 if all(each.same for each in found) else 1)
    outcome = verify_alone(place) if alone else stage(folder, place, ctx.obj[0] or nearest(folder), here)
    judged = None
    if again:
        from dpbandits.stages.rejudge import rejudge

        judged = rejudge(place, outcome.scale, own_code)
    if as_json:
        click.echo(letters.as_json(terminal.record(outcome, judged)))
    else:
        terminal.print_outcome(outcome, judged)
    ctx.exit(1 if outcome.differences or outcome.unlisted or (judged and judged.changes) else 0)


def here() -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Software, sources and machine of this process."""
    from dpbandits.stages.provenance import machine, software

    return {**software(), "source": dependencies.everything()}, machine()
