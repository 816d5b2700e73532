"""The runs that a sample of a cell is pooled with in the table of false-verdict rates are those of the engine."""

import numpy as np
import pytest

from dpbandits.claims.families import shown_by, shown_of
from dpbandits.claims.pools import Pools, family_of
from dpbandits.numerics.tails import summary
from tests.statistical import real_cells
from tests.unit.test_judge_stage import CENTRAL, curve

WIDTHS = (0.5, 1.0)
KIND = (CENTRAL, "printed", "", "regret")


def experiment(rng, settings, sizes=(5, 12, 80)):
    """The runs of settings of either width, few or many of them, calm or wild, and their curve."""
    points = tuple({"T": 100.0, "eps": 1.0 + k, "width": WIDTHS[k % 2]} for k in range(settings))
    cells = [np.exp(rng.choice([0.01, 0.1, 0.8]) * rng.standard_normal(int(rng.choice(sizes)))) for _ in points]
    cells[0][:6] *= np.where(rng.random(cells[0][:6].size) < 0.5, 30.0, 1.0)
    pairs = zip(points, cells, strict=True)
    rows = [(*point.values(), seed, x) for point, cell in pairs for seed, x in enumerate(cell)]
    columns = zip((*points[0], "seed", "regret"), map(np.array, zip(*rows, strict=True)), strict=True)
    names = dict(zip(("algorithm", "calibration", "variant"), KIND, strict=False))
    labels = {name: np.full(len(rows), value) for name, value in names.items()}
    return labels | dict(columns), curve(CENTRAL, points, width=WIDTHS[0]), points, cells


def test_pools_of_samples_are_those_of_the_engine():
    """Of settings of one constant out of two: those that agree, else those of all experiments, else all of these."""
    used = {"curve": 0, "family": 0, "all": 0, "known": 0}
    for seed in range(240):
        rng = np.random.default_rng(seed)
        runs, of_runs, points, cells = experiment(rng, 6)
        other = experiment(rng, 8)
        shown = shown_by([(runs, [of_runs]), (other[0], [other[1]])])
        family = family_of(of_runs, points[2])
        every = [
            (x, 100.0)
            for of, at, each in ((of_runs, points, cells), (other[1], other[2], other[3]))
            for point, x in zip(at, each, strict=True)
            if family_of(of, point) == family
        ]
        settings = [(family_of(of_runs, at), (x, 100.0)) for at, x in zip(points, cells, strict=True)]
        cell = real_cells.cell_of("one", 2, settings, {family: every})
        wanted = Pools(runs, [of_runs], shown).tail(KIND, cells[2], family, 100.0)
        found = cell.pools(cells[2][None] / cells[2].mean())
        assert (found.skewness[0], found.spread[0]) == pytest.approx((wanted.skewness, wanted.spread))
        assert found.counted[1][0] == wanted.runs
        agreeing, more = ((each.sizes @ each.agreeing(cells[2])) + cells[2].size for each in (cell.curve, cell.family))
        used["curve" if agreeing >= 72 else "family" if more >= 72 else "all"] += 1
        alone = shown_of([(summary(x), rounds) for x, rounds in every if x is not cells[2]])
        if wanted.known is not None and alone.linear == shown[family].linear:
            assert found.known == pytest.approx(wanted.known)
            assert found.counted[0][0] == 0
            used["known"] += 1
    assert min(used.values()) > 5, used


def test_settings_of_a_claim_are_pooled_with_each_other_as_by_the_engine():
    """Three of six settings of a constant; the others of the curve and of the family stand beside them."""
    used = {"curve": 0, "family": 0, "all": 0}
    for seed in range(120):
        rng = np.random.default_rng(seed)
        runs, of_runs, points, cells = experiment(rng, 12, [[5], [12], [80]][seed % 3])
        other = experiment(rng, 8)
        shown = shown_by([(runs, [of_runs]), (other[0], [other[1]])])
        family = family_of(of_runs, points[2])
        claimed = [2, 6, 8]
        rest = [k for k, at in enumerate(points) if k not in claimed and family_of(of_runs, at) == family]
        kept = [2, *rest]
        settings = [(family, (cells[k], 100.0)) for k in kept]
        more = [(x, 100.0) for at, x in zip(other[2], other[3], strict=True) if family_of(other[1], at) == family]
        cell = real_cells.cell_of("one", 0, settings, {family: [each for _, each in settings] + more})
        found = cell.pools(np.array([cells[k] / cells[2].mean() for k in claimed])[None], together=True)
        for j, k in enumerate(claimed):
            wanted = Pools(runs, [of_runs], shown).tail(KIND, cells[k], family, 100.0)
            assert (found.skewness[0, j], found.spread[0, j]) == pytest.approx((wanted.skewness, wanted.spread))
            assert found.counted[1][0, j] == wanted.runs
            samples = real_cells.agree(
                real_cells.bulk(cells[k]),
                np.array([real_cells.bulk(cells[i]) for i in claimed]),
                cells[k].size,
                cells[k].size,
            )
            own = cells[k].size * samples.sum()
            agreeing, fewer = (own + each.sizes @ each.agreeing(cells[k]) for each in (cell.curve, cell.family))
            used["curve" if agreeing >= 72 else "family" if fewer >= 72 else "all"] += 1
    assert min(used.values()) > 5, used
