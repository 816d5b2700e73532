"""`dpbandits new`: write the starting files of an algorithm or a paper."""

from collections.abc import Mapping
from pathlib import Path

import click

from dpbandits.cli.project import find_root


@click.group()
def new() -> None:
    """Write the files of a new algorithm or paper. They run as they are. Existing files are never changed."""


@new.command()
@click.argument("name")
@click.option("--family", required=True, help="Package of src/dpbandits/algorithms that gets the module.")
@click.pass_context
def algorithm(ctx: click.Context, name: str, family: str) -> None:
    """Write the algorithm NAME and its test.

    In the family bernoulli, the algorithm is a UCB with Laplace noise. In other families, it is a copy of a private
    algorithm of the family.
    """
    from dpbandits.skeletons.algorithms import algorithm_files
    from dpbandits.skeletons.files import demand_checkout

    root = find_root(ctx)
    demand_checkout(root)
    _write(
        root,
        algorithm_files(name, family),
        (f"pytest tests/contracts tests/unit/test_{name}.py -k {name}", "all checks of the algorithm"),
        (f"dpbandits new paper KEY --algorithm {name}", "a paper that plays and audits it"),
        (f"python -m tests.golden.test_golden_digests --write {name}", "when it is final: pin its bits"),
    )


@new.command()
@click.argument("key")
@click.option(
    "--algorithm", "played", default="anytime_lazy_ucb", show_default=True, help="Algorithm that the paper plays."
)
@click.pass_context
def paper(ctx: click.Context, key: str, played: str) -> None:
    """Write the paper KEY (first author and year) with one experiment, figure, claim and audit."""
    from dpbandits.skeletons.files import demand_checkout
    from dpbandits.skeletons.papers import paper_files

    root = find_root(ctx)
    demand_checkout(root)
    _write(
        root,
        paper_files(root, key, played),
        (f"make smoke PAPER={key}", "run it; the report is results/smoke/report/index.html"),
        (f"pytest tests/unit/test_configuration_{key}.py", "its own test"),
        (f"pytest tests/contracts -k {played}", "the noise of its audit, and all else"),
    )


def _write(root: Path, texts: Mapping[str, str], *commands: tuple[str, str]) -> None:
    """Write the files; print their names and the next commands."""
    from dpbandits.skeletons.files import write_new

    write_new(root, texts)
    click.echo("\n".join(["Wrote", *(f"  {name}" for name in texts), "Next"]))
    wide = max(len(command) for command, _ in commands)
    for command, says in commands:
        click.echo(f"  {command:{wide}}  # {says}")
