"""The `dpbandits` command: parse, call a stage, print."""

import os
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # before NumPy loads: one job is one thread, and its bits depend on no more

import click

from dpbandits.commands import audits, certificates, stages, views
from dpbandits.experiments.config import SCALES, ConfigError, one_line
from dpbandits.storage import DamagedFile


class Group(click.Group):
    """Turns faults of the user's input and of stored files into one line and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ConfigError as fault:
            raise click.exceptions.Exit(_complain(one_line(fault))) from None
        except DamagedFile as fault:
            raise click.exceptions.Exit(_complain(str(fault))) from None
        except BrokenPipeError:
            raise
        except OSError as fault:
            text = f"{fault.filename}: {fault.strerror}" if fault.filename and fault.strerror else str(fault)
            raise click.exceptions.Exit(_complain(" ".join(text.split()))) from None


def _complain(text: str) -> int:
    click.echo(f"dpbandits: {text}", err=True)
    return 2


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--project",
    "root",
    type=click.Path(path_type=Path),  # that it is no folder is said by the command, in one line
    help="Folder with config/config.yaml; by default the working folder or the nearest one above that has it.",
)
@click.option("--scale", type=click.Choice(SCALES), help="Scale, in place of the one in config/config.yaml.")
@click.pass_context
def main(ctx: click.Context, root: Path | None, scale: str | None) -> None:
    """Replicates papers on differentially private bandits and judges their claims.

    The stages (calibrate, simulate, aggregate, audit-cells, audit-bind, judge, render, report, certificate) are what
    Snakemake calls; `run` computes one curve by itself; `audit` also looks at a mechanism of your own; `list`,
    `claims`, `audit` and `explain` show what there is and how it stands; `verify` holds results against a certificate.
    """
    ctx.obj = (root, scale)


for _command in (
    *(stages.calibrate, stages.simulate, stages.aggregate, stages.judge, stages.render, stages.report),
    *(audits.audit_cells, audits.audit_bind, certificates.certificate, certificates.verify),
    *(views.run, views.list_, views.claims, audits.audit, views.explain, views.digest),
):
    main.add_command(_command)
