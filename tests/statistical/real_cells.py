"""Cells of the papers whose runs are skewed, and how often verdicts about samples of their runs are wrong.

A sample is drawn from the runs of a cell, whose mean is the truth. More runs are those that the engine would use: other
settings of the curve whose bulk agrees with that of the sample, or all of the paper.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpbandits.claims import families
from dpbandits.claims.judgements import ALPHA
from dpbandits.claims.pools import AGREE, CHANCE, ERROR, Family, Pools, family_of
from dpbandits.claims.unseen import enough
from dpbandits.config.curves import Curve
from dpbandits.config.grid import curves
from dpbandits.numerics.tails import summary
from dpbandits.stages.runs import read_runs
from tests.shipped import ROOT, shipped
from tests.statistical import verdict_rates as vr

PROJECT = shipped("full")


@dataclass(frozen=True)
class Others:
    """Other settings: what `verdict_rates.sums` returns of each, (settings, sums), their bulks and numbers of runs."""

    sums: np.ndarray
    bulks: np.ndarray
    sizes: np.ndarray

    def agreeing(self, x: np.ndarray) -> np.ndarray:
        """Which of them agree with samples (..., n): (..., settings)."""
        return agree(bulk(x)[..., None], self.bulks, x.shape[-1], self.sizes)


@dataclass(frozen=True)
class Cell:
    """The runs of a setting over their mean, and what the others say.

    Attributes
    ----------
    curve : other settings of the curve with the same constants.
    family : settings of the algorithm with the same constants in all experiments, which may have those of `curve`.
    linear : size of their large runs, if these are a kind, at the horizon of the cell and over its mean.
    """

    name: str
    runs: np.ndarray
    curve: Others
    family: Others
    linear: float | None

    def pools(self, x: np.ndarray, together: bool = False) -> vr.Tails:
        """What samples (..., n) say together with the settings that the engine would pool them with.

        If samples (..., m, n) are those of m settings of the curve, `together`, they are pooled with each other.
        """
        n, least, own = x.shape[-1], enough(ALPHA), vr.sums(x)
        of_curve, of_family = self.curve.agreeing(x), self.family.agreeing(x)
        bulks = bulk(x)
        alike = agree(bulks[..., :, None], bulks[..., None, :], n, n) if together else np.eye(x.shape[-2], dtype=bool)
        few = n * alike.sum(axis=-1) + of_curve @ self.curve.sizes < least
        fewer = n * alike.sum(axis=-1) + of_family @ self.family.sizes < least
        of_curve = of_curve & ~few[..., None]
        of_family = (of_family | fewer[..., None]) & few[..., None]
        more = [
            np.einsum("...s,sk->k...", each, other.sums)
            for each, other in ((of_curve, self.curve), (of_family, self.family))
        ]
        samples = np.einsum("...ij,k...j->k...i", alike | fewer[..., None], own) if together else own
        return replace(vr.tails_of(samples + sum(more)), known=self.linear)

    @property
    def shown(self) -> bool:
        """Whether the settings that agree have runs at least as skewed and as spread."""
        tails = vr.tails_of(self.curve.sums[self.curve.agreeing(self.runs)].sum(axis=0)[:, None])
        return bool(tails.skewness[0] >= skewness_of(self.runs) and tails.spread[0] >= self.runs.std(ddof=1))


def skewness_of(x: np.ndarray) -> float:
    return float(vr.tails_of(vr.sums(x)[:, None]).skewness[0])


def bulk(x: np.ndarray) -> np.ndarray:
    """Distance of the quartiles over the median, of samples (..., n)."""
    low, middle, high = np.quantile(x, (0.25, 0.5, 0.75), axis=-1)
    return np.divide(high - low, np.abs(middle), out=np.full(middle.shape, np.nan), where=middle != 0.0)


def agree(one: np.ndarray, other: np.ndarray, size: int, other_size: np.ndarray) -> np.ndarray:
    """Whether bulks of so many runs are alike; one that is zero or undefined agrees with all."""
    chance = np.exp(CHANCE * ERROR * np.sqrt(1.0 / size + 1.0 / other_size))
    alike = np.maximum(one, other) <= AGREE * chance * np.minimum(one, other)
    return alike | ~((one > 0.0) & (other > 0.0))


Settings = list[tuple[Family, families.Cell]]


def curves_of_paper(paper: str) -> Iterator[tuple[Curve, Settings]]:
    """Every curve of a paper's committed tables, and its settings."""
    for experiment in PROJECT.papers[paper].experiments:
        own = list(curves(PROJECT, PROJECT.papers[paper], experiment))
        pools = Pools(read_runs(ROOT / "figures" / paper / "data" / f"{experiment}.parquet", {"regret"}, own), own)
        for curve in own:
            if not curve.bound:
                yield curve, [(family_of(curve, setting), cell) for setting, cell in families.cells(pools, curve)]


def skewed_cells(least: float = 4.0, seeds: int = 100) -> list[Cell]:
    """The cells of at least so many seeds whose skewness is at least this, and whose curve has other settings."""
    found = []
    for paper in PROJECT.papers:
        every = list(curves_of_paper(paper))
        of_family: dict[Family, list[families.Cell]] = {}
        for family, cell in (each for _, settings in every for each in settings):
            of_family.setdefault(family, []).append(cell)
        for curve, settings in every:
            parts = [each for each in (curve.algorithm, curve.variant, curve.calibration) if each]
            name = "/".join([paper, curve.experiment, *parts])
            found += [
                cell_of(name, k, settings, of_family)
                for k, (_, (x, _)) in enumerate(settings)
                if len(settings) > 1 and x.size >= seeds and np.ptp(x) > 0.0 and x.mean() > 0.0
                if skewness_of(x) >= least
            ]
    return found


def cell_of(name: str, k: int, settings: Settings, of_family: dict[Family, list[families.Cell]]) -> Cell:
    family, (x, horizon) = settings[k]
    curve = [each for other, (each, _) in settings if other == family and each is not x]
    more = [each for each in of_family[family] if each[0] is not x]
    shown = families.shown_of([(summary(regret), rounds) for regret, rounds in more])
    linear = None if shown.linear is None else shown.linear * horizon / x.mean()
    return Cell(name, x / x.mean(), others(curve), others([each for each, _ in more]), linear)


def others(cells: Sequence[np.ndarray]) -> Others:
    """What settings say; none of them, that there are none."""
    width = vr.sums(np.ones(3)).size
    found = np.array([vr.sums(each) for each in cells]).reshape(-1, width)
    return Others(found, np.array([bulk(each) for each in cells]), np.array([each.size for each in cells]))


def rates_of_cell(cell: Cell, n: int, groups: int, seed: int = 1) -> vr.Rates:
    """Rates of means of n runs of a cell; a claim has 20 samples, as of other curves or of settings of one."""
    rng = np.random.default_rng((seed, n, cell.runs.size))

    def blocks():
        for part in vr.parts_of(groups, vr.JOINT * max(n, len(cell.family.sizes))):
            x = cell.runs[rng.integers(cell.runs.size, size=(part, vr.JOINT, n))]
            pools, together = cell.pools(x), cell.pools(x, together=True)
            more = cell.family.sizes.sum()
            seen, of_all = (np.maximum(each.counted[1], more + k * n) for each, k in ((pools, 1), (together, vr.JOINT)))
            found, of_claim = vr.means(x, pools), vr.means(x, together)
            many = {
                vr.MANY: vr.Limits(vr.reaches(found, ALPHA / vr.JOINT), seen=seen),
                vr.ALIKE: vr.Limits(vr.reaches(of_claim, ALPHA / vr.JOINT), seen=of_all),
            }
            yield from vr.outcomes(found.estimate, vr.Limits(vr.reaches(found, ALPHA), seen=seen), many)

    return vr.collected(blocks())


def averaged(cells: Sequence[Cell], n: int, groups: int) -> vr.Rates:
    """Rates over cells that count alike, with the standard error of the simulation."""
    every = [rates_of_cell(cell, n, groups) for cell in cells]
    rates = {key: np.array([(each[key].value, each[key].error) for each in every]) for key in every[0]}
    return {
        key: vr.Rate(float(found[:, 0].mean()), float(np.hypot.reduce(found[:, 1]) / len(every)))
        for key, found in rates.items()
    }
