"""Audit a user's own mechanism: `dpbandits audit --mechanism my_module:draw --neighbors ...`."""

import contextlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from dpbandits.api.own_audit import ARGUMENTS
from dpbandits.base.own_code import Fault, folder_of, importable
from dpbandits.config import letters
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import got

OPTION = re.compile("-(-|[a-zA-Z])")  # options start like this, numbers do not
INTERRUPTED = 128 + 2  # exit code of a command that SIGINT ended, as in shells
Values = tuple[str, ...]


class AuditCommand(click.Command):
    """A command whose option --neighbors takes one or two values."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, repeated(args, "--neighbors"))


def repeated(args: list[str], option: str) -> list[str]:
    """Arguments with `option` repeated before its second value, as click expects."""
    found: list[str] = []
    waiting = 0  # values that may still follow
    for i, argument in enumerate(args):
        if argument == "--":
            return [*found, *args[i:]]
        if waiting == 1 and not OPTION.match(argument):
            found.append(option)
        waiting = 2 if argument == option else 1 if argument.startswith(f"{option}=") else max(0, waiting - 1)
        found.append(argument)
    return found


def _goes_with_mechanism(ctx: click.Context, option: click.Parameter, value: Any) -> Any:
    given = ctx.get_parameter_source(str(option.name)) is click.core.ParameterSource.COMMANDLINE
    if given and not ctx.params.get("mechanism"):
        raise ConfigError(f"{option.opts[0]}: needs --mechanism, which is missing. Add --mechanism MODULE:FUNCTION.")
    return value


def _number(ctx: click.Context, option: click.Parameter, value: str | None) -> float | None:
    _goes_with_mechanism(ctx, option, value)
    try:
        return None if value is None else float(value)
    except ValueError:
        raise ConfigError(f"{option.opts[0]}: {got(value, 'must be a number')}") from None


def _whole(ctx: click.Context, option: click.Parameter, value: str) -> int:
    """Whole number from text such as `100000` or `1e5`."""
    _goes_with_mechanism(ctx, option, value)
    with contextlib.suppress(ValueError):
        return int(value)
    with contextlib.suppress(ValueError):
        if float(value).is_integer():
            return int(float(value))
    raise ConfigError(f"{option.opts[0]}: {got(value, 'must be a whole number')}")


def own_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator that adds the options of `own_audit`, except --json."""
    options = [
        click.option(
            "--mechanism",
            metavar="MODULE:FUNCTION",
            is_eager=True,
            help="Your mechanism: a sampler draw(rng, data, n), or a class with `release`; FILE.py:NAME for a file.",
        ),
        click.option(
            "--neighbors",
            multiple=True,
            metavar="MODULE:PAIR | FIRST SECOND",
            callback=_goes_with_mechanism,
            help="Two inputs that differ in one user's data: a name, or two literals such as '[0.0]' '[1.0]'.",
        ),
        click.option("--eps", metavar="NUMBER", callback=_number, help="The ε that the mechanism claims."),
        click.option(
            "--delta", metavar="NUMBER", default="0", show_default=True, callback=_number, help="The δ that it claims."
        ),
        click.option(
            "--trials",
            metavar="NUMBER",
            default="100000",
            show_default=True,
            callback=_whole,
            help="Number of runs on each input.",
        ),
        click.option(
            "--seed", metavar="NUMBER", default="0", show_default=True, callback=_whole, help="Seed of the runs."
        ),
        click.option(
            "--timeout",
            metavar="SECONDS",
            default="60",
            show_default=True,
            callback=_number,
            help="Time limit for one call of the sampler, which asks for up to 100,000 runs.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def own_audit(
    mechanism: str,
    neighbors: Values,
    eps: float | None,
    delta: float,
    trials: int,
    seed: int,
    timeout: float,
    as_json: bool,
) -> None:
    """Audit the given mechanism and print the verdict.

    The exit code is 1 if the claim is violated, and 130 if the command is interrupted. Output of the user's code goes
    to standard error.
    """
    from dpbandits.audits.custom import declared
    from dpbandits.audits.custom.apart import apart
    from dpbandits.audits.custom.own import audit_own
    from dpbandits.text.own_audit import paragraph, record

    if eps is None:
        raise ConfigError("--eps: required option is missing; --mechanism needs it. Add the claimed epsilon.")
    try:
        with importable(folder_of(mechanism), Path.cwd()), contextlib.redirect_stdout(sys.stderr):
            named, draw = declared.mechanism(mechanism, {"eps": eps, "delta": delta})
            first, second = declared.inputs(named, neighbors)
            found = apart(lambda: audit_own(draw, first, second, eps, delta, trials, seed, timeout))
    except KeyboardInterrupt:
        click.echo("dpbandits: interrupted; there is no verdict. Run the command again.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except Fault as fault:
        raise ConfigError(f"--{ARGUMENTS.get(fault.argument, fault.argument)}: {fault.text}") from None
    if as_json:
        of = {"mechanism": mechanism, "neighbors": list(neighbors)}
        click.echo(letters.as_json(of | record(found)))
    else:
        click.echo(paragraph(found))
    if found.verdict == "violated":
        raise click.exceptions.Exit(1)
