"""The `dpbandits` command: parse arguments, call a stage, print the outcome."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpbandits.base.threads import THREADS, numba_fault

for _variable, _number in THREADS.items():
    os.environ.setdefault(_variable, _number)  # set before NumPy loads

import click

from dpbandits.base import jit
from dpbandits.base.own_code import Fault
from dpbandits.base.storage import DamagedFile
from dpbandits.cli import allocations, audits, certificates, figure, new, run, stages, summary, views
from dpbandits.cli.project import Choice, keep_kernels
from dpbandits.config.letters import visible
from dpbandits.config.loading import SCALES
from dpbandits.config.models.experiments import PILOT
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import one_line, printed
from dpbandits.text.plain_letters import accept_all_text

COMPILING = ("calibrate", "simulate", "judge", "pilot", "run", "audit", "verify")
"""Commands that play algorithms or evaluate kernels. The others do not import numba, and start faster."""


class Group(click.Group):
    """Command group that reports faults in user input or stored files in one line, with exit code 2."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _usage():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _usage():
                return super().invoke(ctx)
        except ConfigError as fault:
            raise click.exceptions.Exit(_complain(*printed(fault.faults))) from None
        except Fault as fault:  # of an installed package, whose names all commands know
            raise click.exceptions.Exit(_complain(str(fault))) from None
        except DamagedFile as fault:
            raise click.exceptions.Exit(_complain(str(fault))) from None
        except BrokenPipeError:
            raise
        except OSError as fault:
            text = f"{fault.filename}: {fault.strerror}" if fault.filename and fault.strerror else str(fault)
            raise click.exceptions.Exit(_complain(" ".join(text.split()))) from None


@contextmanager
def _usage() -> Iterator[None]:
    """Print what was given in usage errors of click with printable characters only, shortened if long."""
    try:
        yield
    except (click.exceptions.NoArgsIsHelpError, click.MissingParameter):  # messages that quote no input
        raise
    except click.UsageError as fault:
        raise click.UsageError(one_line(fault.format_message()), fault.ctx) from None


def _complain(*lines: str) -> int:
    for line in lines:
        click.echo(f"dpbandits: {visible(line)}", err=True)
    return 2


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the version and end."""
    from dpbandits.stages.provenance import release

    if asked and not ctx.resilient_parsing:
        click.echo(f"dpbandits {release()}")
        ctx.exit()


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--project",
    "root",
    type=click.Path(path_type=Path),  # the command checks that it is a folder, and reports in one line
    help="Folder with config/config.yaml; by default the working folder or the nearest one above that has it.",
)
@click.option("--scale", type=Choice((*SCALES, PILOT)), help="Scale, in place of the one in config/config.yaml.")
@click.option("--papers", metavar="KEYS", help="Papers, in place of those in config/config.yaml: hu2021,chen2020.")
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
@click.pass_context
def main(ctx: click.Context, root: Path | None, scale: str | None, papers: str | None) -> None:
    """Replicate papers on differentially private bandits and test their claims.

    Snakemake calls the stages: calibrate, simulate, aggregate, audit --out, collect, judge, draw, render, report
    and certificate. `run` plays single curves, and `figure` draws one figure. `summary`, `claims`, `audit`, `explain`
    and `list` show results; `audit` also audits a mechanism of your own. `verify` compares results with a certificate.
    `new` writes the files of a new algorithm or paper. At the scale pilot, Snakemake calls the stage pilot instead of
    audits and verdicts; `allocate` turns its forecasts into numbers of seeds.
    """
    accept_all_text()
    if fault := numba_fault():
        raise ConfigError(fault)
    ctx.obj = (root, scale, papers)
    if ctx.invoked_subcommand not in COMPILING:
        jit.stay_plain()
    elif jit.COMPILE:
        keep_kernels(root)
        jit.demand_cache()


for _command in (
    *(stages.calibrate, stages.simulate, stages.aggregate, stages.judge, stages.pilot, stages.draw, stages.render),
    *(stages.report, stages.site),
    *(audits.collect, certificates.certificate, certificates.verify),
    *(
        run.run,
        figure.figure,
        views.list_,
        summary.summary,
        views.claims,
        audits.audit,
        views.explain,
        views.digest,
        new.new,
        allocations.allocate,
    ),
):
    main.add_command(_command)
