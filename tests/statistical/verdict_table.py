"""The table of false-verdict rates and power: those of `verdict_rates` and of cells of the papers.

python -m tests.statistical.verdict_table > table.md
"""

import sys
from collections.abc import Iterator, Sequence

from tests.statistical import real_cells
from tests.statistical import verdict_rates as vr

MANY = (vr.MANY, vr.ALIKE)


def row_of(cells: Sequence[object], found: vr.Rates, power: bool = True) -> str:
    """One row: wrong `holds` by each rule, `fails` of one and of many comparisons by the engine, power of all rules."""
    columns = [[(rule, f"holds, at {side}") for rule in vr.RULES] for side in ("most", "least")]
    columns += [[("engine", f"{kind}, at {side}") for kind in ("fails", *MANY)] for side in ("most", "least")]
    columns += [[(rule, kind) for rule in vr.RULES] for kind in ("holds at 0.6", "fails at 1.6")] if power else [[], []]
    numbers = [" / ".join(f"{100 * found[key].value:.1f}" for key in column if key in found) for column in columns]
    return "| " + " | ".join([*map(str, cells), *numbers]) + " |"


HEAD = [
    "distribution",
    "pool",
    "n",
    "false holds, at most: t / t and Hall / engine",
    "false holds, at least: t / t and Hall / engine",
    "false fails, at most: 1 / 20 / 20 alike",
    "false fails, at least: 1 / 20 / 20 alike",
    "holds at 0.6: t / t and Hall / engine",
    "fails at 1.6: t / t and Hall / engine",
]


def head(names: Sequence[str]) -> list[str]:
    return ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]


def table(groups: int) -> Iterator[str]:
    """All rates in percent, as Markdown."""
    yield from ("Means of n runs, in percent.", "", *head(HEAD))
    for name, (draw, pools) in vr.DISTRIBUTIONS.items():
        for pool in pools:
            for n in vr.SEEDS:
                yield row_of([name, pool, n], vr.rates(draw, pool, n, groups))
    draw, _ = vr.DISTRIBUTIONS["1 in 400 linear"]
    for n in vr.SEEDS:
        yield row_of(["1 in 400 linear, seen", 400, n], vr.rates(draw, 400, n, groups, seen=vr.SEEN))
    for n in vr.SEEDS:
        yield row_of(["1 in 400 linear, known", 400, n], vr.rates(draw, 400, n, groups, known=vr.KNOWN))
    for n in vr.SEEDS:
        yield row_of(["1 in 400 linear, at the resolution", 400, n], vr.rates(draw, 400, n, groups, kind=vr.LINEAR))
    yield from ("", "Means of n runs without a pool.", "", *head(HEAD))
    for name, (draw, _) in vr.DISTRIBUTIONS.items():
        for n in vr.SEEDS:
            yield row_of([name, "none", n], vr.rates_alone(draw, n, groups))
    draw, _ = vr.DISTRIBUTIONS["1 in 400 linear"]
    for n in vr.SEEDS:
        found = vr.rates_alone(draw, n, groups, kind=vr.LINEAR)
        yield row_of(["1 in 400 linear, at the resolution", "none", n], found)
    yield from ("", "Ratios and differences of two means, pools of 4000.", "", *head(HEAD))
    for kind, names in vr.PAIRS:
        for n in vr.SEEDS:
            found = vr.rates_of_two(kind, vr.draws_of(names), 4000, n, groups // 4)
            yield row_of([f"{kind.__name__} of {' and '.join(names)}", 4000, n], found, kind is vr.ratios)
    yield from ("", "Means of n runs resampled from cells of the papers of skewness 4 and more.", "", *head(HEAD))
    cells = real_cells.skewed_cells()
    for shown in (True, False):
        some = [cell for cell in cells if cell.shown is shown]
        for n in vr.SEEDS:
            where = "shown" if shown else "not shown"
            found = real_cells.averaged(some, n, groups // 40)
            yield row_of([f"{len(some)} cells, {where} by others of the curve", "others", n], found)


if __name__ == "__main__":
    for line in table(int(sys.argv[1]) if len(sys.argv) > 1 else 2000):
        print(line, flush=True)
