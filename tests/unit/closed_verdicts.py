"""What turns the verdict of the closed forms of a claim: arguments changed, or a function that is wrong."""

from functools import cache
from pathlib import Path

from dpbandits.config.loading import load_paper
from dpbandits.config.models.claims import ClosedForm
from dpbandits.config.sections import cases
from dpbandits.stages.judge import judge_closed_forms

ROOT = Path(__file__).parents[2]


@cache
def closed_cases(paper):
    """Claim, variant and calibration -> section with its closed forms alone, of the claims that have some."""
    closed = {name: claim for name, claim in load_paper(ROOT, paper).claims.items() if claim.kind != "statistical"}
    found = {}
    for claim, variant, calibration, section in cases(closed):
        if tests := [test for test in section.tests_of(calibration) if isinstance(test, ClosedForm)]:
            found[claim, variant, calibration] = section.model_copy(update={"tests": tests})
    return found


def verdict(paper, case, **arguments):
    """Of the closed forms of a claim, with some arguments of its tests changed."""
    section = closed_cases(paper)[case]
    tests = [test.model_copy(update={"arguments": changed(test.arguments, arguments)}) for test in section.tests]
    return judge_closed_forms(paper, section.model_copy(update={"tests": tests}), case[2], [], {})["verdict"]


def changed(arguments, changes):
    """Arguments of which some, where there are such, have other values."""
    return {name: changes.get(name, value) for name, value in arguments.items()}


def mutated(paper, case, change, monkeypatch):
    """The verdict after a change: arguments, or (module, name of a function, what makes it wrong)."""
    if isinstance(change, dict):
        return verdict(paper, case, **change)
    module, name, wrong = change
    monkeypatch.setattr(module, name, wrong(getattr(module, name)))
    return verdict(paper, case)


def table(mutants, verdicts):
    """The table of mutants as text."""
    rows = [f"{' '.join(case):28} | {verdicts[case]:7} | {what:40} | {expected}" for case, what, _, expected in mutants]
    return "\n".join(["", *rows])


def multiply(factor):
    """`function` times a factor."""
    return lambda function: lambda *arguments: factor * function(*arguments)
