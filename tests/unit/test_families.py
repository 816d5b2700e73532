"""What all experiments of a paper show of an algorithm, and what that means for a cell that shows none of it."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from dpbandits.claims.comparisons import Comparison
from dpbandits.claims.families import shown_by, with_pilot
from dpbandits.claims.pools import Pools, Shown
from dpbandits.claims.samples import Runs
from dpbandits.claims.verdicts import judge
from dpbandits.numerics import statistics as s
from dpbandits.numerics.limits import limits
from dpbandits.numerics.tails import Tail
from dpbandits.stages.pilot import rows_of_shown

from .test_judge_stage import BASE, CENTRAL, COINCIDES, LOCAL, curve

RUNS = 40
CALM = np.linspace(9.0, 11.0, RUNS)
FAMILY = (CENTRAL, "printed", "linear", ())
KIND = (CENTRAL, "printed", "", "regret")
SHORT, LONG = {"T": 100.0, "eps": 1.0}, {"T": 400.0, "eps": 1.0}
ONE = [curve(CENTRAL, (SHORT, LONG)), curve(BASE, ({},))]


def with_large(*sizes):
    """Calm runs, the first of which are larger."""
    return np.append(np.array(sizes), CALM[len(sizes) :])


def table(cells):
    """A table of runs: of each cell the algorithm, calibration, variant, horizon, budget and the regret by seed."""
    rows = [(*cell, seed, value) for *cell, values in cells for seed, value in enumerate(values)]
    names = ("algorithm", "calibration", "variant", "T", "eps", "seed", "regret")
    return {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def central(short, long, variant=""):
    return [(CENTRAL, "printed", variant, 100.0, 1.0, short), (CENTRAL, "printed", variant, 400.0, 1.0, long)]


BASELINE = (BASE, "printed", "", np.nan, np.nan, CALM)
LARGE = with_large(200.0, 210.0, 220.0, 230.0, 240.0)
"""Five of 40 runs are large, at least twenty times the others: the largest is 240."""


def test_runs_of_all_experiments_and_variants_count_but_not_those_of_other_calibrations_and_families():
    certified = [curve(CENTRAL, (SHORT, LONG), calibration="certified")]
    other = [replace(curve(CENTRAL, (SHORT, LONG)), environment={"family": "sphere"})]
    wide = [curve(CENTRAL, (SHORT, LONG), variant="wide")]
    plain = table(central(CALM, CALM))
    found = shown_by(
        [
            (table([*central(CALM, CALM), BASELINE]), ONE),
            (table(central(CALM, CALM, "wide")), wide),
            (plain | {"calibration": np.full(2 * RUNS, "certified")}, certified),
            (plain, other),
        ]
    )
    assert found == {
        FAMILY: Shown(4 * RUNS, None),
        (BASE, "printed", "linear", ()): Shown(RUNS, None),
        (CENTRAL, "certified", "linear", ()): Shown(2 * RUNS, None),
        (CENTRAL, "printed", "sphere", ()): Shown(2 * RUNS, None),
    }


@pytest.mark.parametrize(
    ("short", "long", "linear"),
    [
        (LARGE, CALM, 2.4),  # 240 in 100 rounds
        (CALM, LARGE, 0.6),  # in 400
        (with_large(200.0, 210.0), with_large(820.0, 830.0, 840.0), 2.1),  # five in all, 210 / 100 and 840 / 400
        (with_large(200.0, 210.0), with_large(220.0, 230.0), None),  # but four
        (with_large(200.0, 210.0, 220.0, 230.0, 240.0, 60.0, 60.0), CALM, None),  # and two between
        (with_large(*np.full(28, 200.0)), CALM, None),  # not rare: 28 of 80, more than a third
        (np.append(LARGE[:-1], -1.0), CALM, None),  # a run that is not positive
    ],
)
def test_regret_of_large_runs_is_by_the_round_and_the_largest_counts(short, long, linear):
    (found,) = shown_by([(table(central(short, long)), ONE[:1])]).values()
    assert found == Shown(2 * RUNS, linear)


def test_bounds_and_curves_without_runs_show_nothing():
    bound = curve("semi_bandit_rate", ({},))
    assert bound.bound
    assert shown_by([(table([BASELINE]), [bound, curve(BASE, ({},))])]) == {
        (BASE, "printed", "linear", ()): Shown(RUNS, None)
    }
    assert shown_by([(table([BASELINE]), ONE[:1])]) == {}
    runs = table([(bound.algorithm, "printed", "", np.nan, np.nan, CALM)])
    sample = Runs(runs, [bound], "printed", COINCIDES | {bound.algorithm: {"printed": "printed"}})
    assert sample.tail(sample(bound.algorithm, {})).seen == math.inf


def test_constants_tell_algorithms_apart_whether_a_curve_has_them_or_the_grid():
    """40 large runs at a twentieth of the width say nothing about the whole one, which another experiment has."""
    widths = [{"T": 100.0, "width": width} for width in (0.05, 1.0)]
    of_grid = curve(CENTRAL, tuple(widths), width=0.5)
    rows = table([(CENTRAL, "printed", "", 100.0, width, regret) for width, regret in ((0.05, LARGE), (1.0, CALM))])
    runs = {("width" if name == "eps" else name): column for name, column in rows.items()}
    whole = [curve(CENTRAL, (SHORT, LONG), width=1.0)]
    assert shown_by([(runs, [of_grid]), (table(central(CALM, CALM)), whole)]) == {
        (*FAMILY[:3], (("width", 0.05),)): Shown(RUNS, 2.4),
        (*FAMILY[:3], (("width", 1.0),)): Shown(3 * RUNS, None),
    }
    shown = {(*FAMILY[:3], (("width", width),)): Shown(500, rate) for width, rate in ((0.05, 2.4), (1.0, None))}
    for width, known in ((0.05, 24.0), (1.0, None)):
        other = [curve(CENTRAL, (SHORT, LONG), width=width)]
        calm = table(central(CALM, CALM))
        sample = Runs(calm, other, "printed", COINCIDES, Pools(calm, other, shown))
        assert sample.tail(sample(CENTRAL, SHORT)).known == (known and pytest.approx(known))


# A pilot beside the runs


WIDTHS = (("core", 0.5), ("width", 2.0))
OF_WIDTHS = (*FAMILY[:3], WIDTHS)


def row(runs, linear, **changes):
    """What a pilot shows of the central algorithm, as its record has it."""
    names = {"algorithm": CENTRAL, "calibration": "printed", "family": "linear", "constants": {}}
    return {**names, "runs": runs, "linear": linear, **changes}


@pytest.mark.parametrize(
    ("own", "piloted", "linear"),
    [(None, None, None), (0.6, None, 0.6), (None, 2.4, 2.4), (0.6, 2.4, 2.4), (2.4, 0.6, 2.4)],
)
def test_runs_of_a_pilot_are_added_and_the_larger_regret_a_round_counts(own, piloted, linear):
    cells = [CALM, 2.0 * CALM]
    (found,) = with_pilot({FAMILY: Shown(80, own, cells)}, [row(500, piloted)]).items()
    assert found == (FAMILY, Shown(580, linear))
    assert found[1].cells is cells, "of a pilot no run is left"


def test_what_a_pilot_alone_shows_is_there_and_what_it_does_not_show_stays():
    own = {FAMILY: Shown(80, 0.6, [CALM])}
    pilot = [
        row(500, 2.4, calibration="certified"),
        row(300, None, family="sphere"),
        row(200, 1.5, constants={"width": 2.0, "core": 0.5}),
        row(100, None, algorithm=BASE),
    ]
    assert with_pilot(own, pilot) == {
        FAMILY: Shown(80, 0.6),
        (CENTRAL, "certified", "linear", ()): Shown(500, 2.4),
        (CENTRAL, "printed", "sphere", ()): Shown(300, None),
        OF_WIDTHS: Shown(200, 1.5),
        (BASE, "printed", "linear", ()): Shown(100, None),
    }
    assert not with_pilot(own, pilot)[OF_WIDTHS].cells
    assert own == {FAMILY: Shown(80, 0.6)}, "it is left as it was"
    assert with_pilot(own, []) == own


def test_constants_of_a_pilot_are_the_same_in_any_order_and_others_are_another_family():
    own = {OF_WIDTHS: Shown(80, None)}
    for constants in ({"core": 0.5, "width": 2.0}, {"width": 2, "core": 0.5}):
        assert with_pilot(own, [row(20, None, constants=constants)]) == {OF_WIDTHS: Shown(100, None)}
    for constants in ({"core": 0.5, "width": 2.5}, {"width": 2.0}, {}):
        assert with_pilot(own, [row(20, None, constants=constants)])[OF_WIDTHS] == Shown(80, None)


def test_what_runs_show_is_the_same_through_the_record_of_a_pilot():
    """The regret a round has the six digits of the record."""
    width = 1.0 / 3.0
    curves = [curve(CENTRAL, (SHORT, LONG), width=width), curve(BASE, ({},))]
    shown = shown_by([(table([*central(LARGE, CALM), BASELINE]), curves)])
    assert shown[*FAMILY[:3], (("width", width),)] == Shown(2 * RUNS, 2.4)
    rows = json.loads(json.dumps(rows_of_shown(shown)))
    assert with_pilot({}, rows) == shown
    assert [each["linear"] for each in rows_of_shown({FAMILY: Shown(9, 200 / 3)})] == [66.6667]


@pytest.mark.parametrize(
    ("cells", "linear", "horizon", "known"),
    [
        (central(CALM, CALM), 2.4, 100.0, 24.0),  # 240 over a mean of 10
        (central(CALM, CALM), 2.4, 400.0, 96.0),
        (central(CALM, CALM), 0.09, 100.0, None),  # 9, and others have 10
        (central(CALM, CALM), None, 100.0, None),
        (central(CALM, with_large(200.0)), 2.4, 100.0, None),  # a cell of the pool has one
    ],
)
def test_large_runs_are_known_where_other_experiments_have_them_and_no_cell_of_the_pool(cells, linear, horizon, known):
    pools = Pools(table(cells), ONE[:1], {FAMILY: Shown(500, linear)})
    tail = pools.tail(KIND, CALM, FAMILY, horizon)
    assert (tail.seen, tail.runs) == (500, 2 * RUNS)
    assert tail.known == (known and pytest.approx(known))


def test_a_sample_without_regret_knows_no_size_of_large_runs():
    pools = Pools(table(central(CALM, 0.0 * CALM)), ONE[:1], {FAMILY: Shown(500, 2.4)})
    assert pools.tail(KIND, 0.0 * CALM, FAMILY, 100.0).known is None


def test_a_sample_has_the_horizon_of_its_setting_and_other_outputs_know_no_large_runs():
    runs = table(central(CALM, CALM))
    sample = Runs(
        runs | {"late": runs["regret"]},
        ONE[:1],
        "printed",
        COINCIDES,
        Pools(runs | {"late": runs["regret"]}, ONE[:1], {FAMILY: Shown(500, 2.4)}),
    )
    assert [sample.tail(sample(CENTRAL, at)).known for at in (SHORT, LONG)] == pytest.approx([24.0, 96.0])
    assert sample.tail(sample(CENTRAL, SHORT, "late")).known is None


# Limits: of 80 runs none is large, so that 1 - 0.025^(1/80) = 4.506 % may be


RATE = 1 - 0.025 ** (1 / 80)
PLAIN, KNOWN = Tail(0.0, 0.0, 80), Tail(0.0, 0.0, 80, known=24.0)


def both(statistic, rows=None):
    """Limits without and with large runs that are known, of all samples or of these."""
    some = (lambda row: KNOWN if rows is None or any(row is each for each in rows) else PLAIN), lambda _: PLAIN
    return [limits(statistic, 0.025, each) for each in reversed(some)]


def test_a_mean_may_lack_large_runs_upwards():
    """23 means of 10 more in 4.506 % of runs: 10.36, beside the reach of the sample. Twice the runs, half the rate."""
    plain, known = both(s.mean(CALM))
    added = 230.0 * RATE
    assert added == pytest.approx(10.36, abs=0.01)
    assert known.low == plain.low
    assert known.high - 10.0 == pytest.approx(math.hypot(plain.high - 10.0, added))
    twice, plain = (limits(s.mean(CALM), 0.025, lambda _, t=t: t, 2 * RUNS) for t in (KNOWN, PLAIN))
    added = 230.0 * (1 - 0.025 ** (1 / 160))
    assert twice.high - 10.0 == pytest.approx(math.hypot(plain.high - 10.0, added))


def test_a_difference_moves_by_the_large_runs_of_each_curve_its_own_way():
    x, y = CALM, 2.0 * CALM[::-1]
    plain, known = both(s.difference(x, y), [y])
    assert known.high == plain.high
    assert known.estimate - known.low == pytest.approx(math.hypot(plain.estimate - plain.low, 460.0 * RATE))


def test_a_slope_moves_by_the_logarithm_of_what_large_runs_add():
    """One decade between two settings: the slope is the difference of decimal logarithms of means."""
    rows = CALM, CALM[::-1] * 10.0
    slope = s.of_rows(s.log_log_slope([1.0, 10.0], np.stack(rows, axis=1)), [[(row, 1.0)] for row in rows])
    plain, known = both(slope, [rows[0]])
    assert slope.estimate == pytest.approx(1.0)
    assert known.high == plain.high
    assert 1.0 - known.low == pytest.approx(math.hypot(1.0 - plain.low, math.log10(1.0 + 23.0 * RATE)))


def test_a_ratio_is_at_its_limit_where_the_difference_is():
    x, y = CALM, CALM[::-1] + 0.5 * np.sin(np.arange(RUNS))
    plain, known = both(s.ratio(x, y), [y])
    assert known.high == pytest.approx(plain.high, rel=1e-9)
    c = known.low
    assert both(s.contrast(s.mean(x), s.mean(y), c), [y])[1].low == pytest.approx(0.0, abs=1e-7)
    assert c < 0.7 < plain.low


def test_constant_runs_are_no_proof_either():
    plain, known = both(s.mean(np.full(RUNS, 10.0)))
    assert (plain.low, plain.high) == (10.0, 10.0)
    assert (known.low, known.high) == (10.0, pytest.approx(10.0 + 230.0 * RATE))


# From another experiment to a verdict


def test_large_runs_of_one_experiment_leave_a_claim_about_another_open():
    """Local runs of 20 are twice the central ones of 10; with 4.5 % of linear runs of 240 they exceed it."""
    curves = [curve(CENTRAL, (SHORT, LONG)), curve(LOCAL, (SHORT, LONG))]
    calm = table(central(CALM, CALM) + [(LOCAL, *cell[1:-1], 2.0 * CALM) for cell in central(CALM, CALM)])
    elsewhere = [curve(CENTRAL, (SHORT, LONG))]
    for regret, verdict in ((CALM, "holds"), (LARGE, "unclear")):
        shown = shown_by([(calm, curves), (table(central(regret, regret)), elsewhere)])
        sample = Runs(calm, curves, "printed", COINCIDES, Pools(calm, curves, shown))
        statistic = s.difference(sample(CENTRAL, SHORT), sample(LOCAL, SHORT))
        claim = Comparison("r", "central below local", CENTRAL, statistic, -math.inf, 0.0, -math.inf, 0.0)
        assert judge([claim], "all", sample.tail)["verdict"] == verdict
