"""Noise that cannot drift: a kernel adds the noise that its audits draw, and an audit notices half of it.

For every private algorithm of the registry and every calibration of its own; the audits are those of the configuration.
An algorithm that no paper plays has no audit yet: it is skipped.
The table of halved noises is printed after the last test.
"""

import functools

import numpy as np
import pytest

from dpbandits.algorithms.linucb.protocol import BITS_NOISE
from dpbandits.algorithms.registry import TABLE
from dpbandits.privacy.l2_ball import L2_BALL_NOISE, keep_probability
from dpbandits.privacy.mechanisms import GAUSSIAN_NOISE, LAPLACE_NOISE, LAPLACE_SUM_NOISE
from dpbandits.skeletons.papers import playable
from dpbandits.stages.audit import EPSILONS_AGREE
from tests.shipped import PAPERS, played_by, shipped

from .halved import HEAD, KEPT, NO_POWER, VIOLATED, Outcome, audited, halved, outcome
from .same_noise import half_alone, noises_of, of_audits, of_kernel, played

PROJECT = shipped("quick")
PLAYED = played_by(PAPERS)
PRIVATE = [name for name, entry in TABLE.items() if entry.private]
OWN = [(name, calibration) for name in PRIVATE for calibration in TABLE[name].own_calibrations()]
EXAMPLES = [(name, k) for name in PRIVATE for k in range(len(TABLE[name].examples))]

every_private = pytest.mark.parametrize("name", PRIVATE)
every_own = pytest.mark.parametrize(("name", "calibration"), OWN)
every_example = pytest.mark.parametrize(
    ("name", "k"), EXAMPLES, ids=[f"{name}-{k}-{TABLE[name].examples[k].calibration}" for name, k in EXAMPLES]
)


@functools.cache
def cells_of(name, calibration):
    """For every mechanism audit of an algorithm its cells; skips where there is none and no paper plays it."""
    found = [cells for cells in audited(PROJECT) if cells[0].algorithm == name]
    found = [cells for cells in found if TABLE[name].calibrations[cells[0].calibration] == calibration]
    if not found and name not in PLAYED:
        written = f"`dpbandits new paper KEY --algorithm {name}` writes one with its audit"
        by_hand = "add it to a file of config/papers, and to one of its audits"
        pytest.skip(f"no paper plays {name}; {written if name in playable() else by_hand}")
    return found


@functools.cache
def outcomes(name, calibration) -> list[Outcome]:
    """What every mechanism audit says of half of the noise."""
    return [outcome(cells, PROJECT.root_seed) for cells in cells_of(name, calibration)]


@functools.cache
def noise_at(name, k):
    """Amounts of noise of a kernel, of its audits, and of the kernel with half of its noise, at example `k`.

    Only audits of the mechanism of the example count, where the constant `gaussian` chooses between two.
    """
    example = TABLE[name].examples[k]
    calibration, gaussian = example.calibration, example.setting.get("gaussian")
    found = [cells[0] for cells in cells_of(name, calibration)]
    audits = [cell for cell in found if gaussian is None or cell.setting["gaussian"] == gaussian]
    given = played(name, k, audits[0].setting if audits else {})
    kernel, mutant = (of_kernel(name, calibration, given, *change) for change in ((), (half_alone,)))
    return kernel, of_audits(audits, given), mutant


@every_private
def test_a_private_algorithm_names_the_functions_that_add_its_noise(name):
    says = f"algorithms/{name}.py: add `noise=(...)` to the entry, with the functions that make {name} private"
    assert noises_of(name), says


@every_own
def test_a_private_algorithm_has_a_mechanism_audit(name, calibration):
    paper = "config/papers/<paper>.yaml"
    says = f"{paper}: audits: add {name}, {calibration} to an audit with target `mechanism` (see CONTRIBUTING.md)"
    assert cells_of(name, calibration), says


def test_an_algorithm_that_no_paper_plays_is_skipped(monkeypatch):
    """And one that a paper plays is not, although it has no audit."""
    monkeypatch.setattr(f"{__name__}.audited", lambda project: iter(()))
    find = cells_of.__wrapped__
    assert find("anytime_lazy_ucb", "printed") == []
    monkeypatch.setattr(f"{__name__}.PLAYED", set())
    with pytest.raises(pytest.skip.Exception, match="no paper plays anytime_lazy_ucb; `dpbandits new paper"):
        find("anytime_lazy_ucb", "printed")


@every_example
def test_a_kernel_adds_the_noise_that_its_audits_draw(name, k):
    """Each call of a declared noise by the kernel has an amount of noise that an audit draws or accounts for."""
    kernel, audits, _ = noise_at(name, k)
    calibration = TABLE[name].examples[k].calibration
    names = ", ".join(noise.add.__name__ for noise in noises_of(name))
    assert kernel, f"algorithms/{name}.py: `run` never calls {names}, from which its audits draw"
    assert kernel <= audits, f"{name}, {calibration}: `run` adds {kernel - audits}, its audits draw {audits}"


@every_example
def test_half_of_the_noise_in_the_kernel_alone_is_noticed(name, k):
    """The mutant of the test before."""
    _, audits, mutant = noise_at(name, k)
    assert mutant
    assert not mutant <= audits


@every_own
def test_an_audit_finds_the_stated_noise_and_half_of_it(name, calibration, say):
    """With all of the noise, runs show no more than the calculation; with half of it the audit answers `violated`.

    Else half of the noise keeps the claim, or the table says which part of it the audit would see.
    """
    for each in outcomes(name, calibration):
        say(each.line())
        most = each.stated[1]
        says = f"{each.cell.audit}, {name}, {calibration}: runs show epsilon >= {each.whole:.3g}; the noise that its "
        says += f"constants state gives {most:.3g}. Does the function in `noise` of the entry add as much?"
        assert each.whole <= most * (1.0 + EPSILONS_AGREE), says
    best = min(outcomes(name, calibration), key=lambda each: each.order)
    assert best.answer in (VIOLATED, KEPT) or best.seen_at is not None, best.line()


@pytest.mark.slow
def test_the_table_of_halved_noises_has_few_gaps(say):
    """The audits see at least three quarters of the claims that half of the noise breaks. Threshold: our choice."""
    own = [(name, calibration) for name, calibration in OWN if name in PLAYED]
    answers = [min(outcomes(*each), key=lambda each: each.order).answer for each in own]
    counts = {answer: answers.count(answer) for answer in (VIOLATED, NO_POWER, KEPT)}
    say(f"{HEAD}\nhalved noise, best answer for {len(own)} private algorithms and calibrations: {counts}")
    assert 4 * counts[NO_POWER] <= counts[VIOLATED] + counts[NO_POWER]


def test_halved_noise_is_half():
    """The generated mutants: half of the standard deviation, by the kind of noise."""

    def sd(noise, *arguments):
        rng = np.random.default_rng(5)
        return np.std([noise.add(rng, *arguments) for _ in range(20_000)])

    for noise, arguments in (
        (LAPLACE_NOISE, (1.0, 3.0)),
        (LAPLACE_SUM_NOISE, (1.0, 3.0, 4)),
        (GAUSSIAN_NOISE, (1.0, 3.0, 2.0)),
        (BITS_NOISE, (7, 64, 30)),
    ):
        assert sd(halved(noise), *arguments) == pytest.approx(0.5 * sd(noise, *arguments), rel=0.05)
    assert L2_BALL_NOISE.halved(keep_probability(0.7)) == pytest.approx(keep_probability(1.4), rel=1e-12)
