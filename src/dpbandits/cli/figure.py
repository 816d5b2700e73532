"""The command that draws one figure of a paper to a file."""

from pathlib import Path

import click
from click.core import ParameterSource

from dpbandits.base.storage import replaceable
from dpbandits.cli.outputs import FORCE, demand_picture
from dpbandits.cli.project import PATH, PICTURES, Choice, check_ending, find_root
from dpbandits.config.letters import visible
from dpbandits.config.paper_files import known_keys
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import not_known


@click.command()
@click.argument("name")
@click.option("--calibration", help="Source of the constants; by default the figure's first calibration.")
@click.option(
    "--for",
    "for_",
    type=Choice(["paper", "slide"]),
    default="paper",
    show_default=True,
    help="A slide has larger fonts and lines.",
)
@click.option("--format", "kind", type=Choice(PICTURES), default="pdf", show_default=True)
@click.option("--out", type=PATH, metavar="FILE", help="The file, in place of NAME-CALIBRATION.FORMAT here.")
@FORCE
@click.pass_context
def figure(
    ctx: click.Context, name: str, calibration: str | None, for_: str, kind: str, out: Path | None, force: bool
) -> None:
    """Draw the figure NAME, paper/name or paper/number, such as hanna2022/2, from the committed results.

    With --scale quick or smoke, draw it from the results in results/.
    """
    root = find_root(ctx)
    if out and ctx.get_parameter_source("kind") is ParameterSource.COMMANDLINE:
        raise ConfigError("--format: not allowed with --out, whose name ends in the format. Leave one of them out.")
    key, _, rest = name.partition("/")
    if key not in (keys := known_keys(root)):
        raise ConfigError(f"figure: {not_known('paper', key, keys)}")
    if out:
        check_ending("--out", replaceable(out))
        demand_picture(out, force)
    from dpbandits.api import figures
    from dpbandits.config.loading import load_paper
    from dpbandits.figures import files
    from dpbandits.figures.captions import caption

    paper = load_paper(root, key)
    named = figures.named_figure(paper, rest)
    shown = calibration or paper.figures[named].calibrations[0]
    drawn = figures.figure(key, named, calibration=shown, for_=for_, scale=ctx.obj[1] or "full", project=root)
    place = out or Path(f"{named}-{shown}.{kind}")
    demand_picture(place, force)
    files.write(drawn, replaceable(place))
    said = "\n".join(map(visible, caption(drawn).split("\n")))
    click.echo(f"{place}: {said}")
