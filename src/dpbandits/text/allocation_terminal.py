"""Print seed allocations on a terminal."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table

from dpbandits.planning.allocation import ENOUGH, Allocation, Forecast, Study, decided
from dpbandits.text.terminal import wide_console


def print_allocation(
    paper: str,
    scale: str,
    studies: Sequence[Study],
    forecasts: Sequence[Forecast],
    allocation: Allocation,
    before: Mapping[str, Mapping[str, int | None]],
) -> None:
    """Print one row per experiment and calibration: seeds, CPU time, and the number of claims likely to be decided.

    Parameters
    ----------
    before : previous allocation, by experiment and calibration; None if there was none. Experiments that are not
        listed have fixed numbers of seeds.
    """
    console = wide_console()
    table = Table(title=f"{paper}, scale {scale}", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    likely = f"{100 * ENOUGH:.0f} %"
    claims = f"claims with a chance of\n{likely} or more / testable"
    for name in ("experiment", "calibration", "seeds", "CPU seconds", claims):
        table.add_column(name, justify="left" if name in ("experiment", "calibration") else "right")
    for study in studies:
        seeds = allocation.seeds[study.place]
        own = decided(allocation.seeds, [each for each in forecasts if each.place == study.place])
        numbers = before.get(study.experiment)
        table.add_row(
            study.experiment,
            study.calibration,
            f"{numbers.get(study.calibration) or '–'} → {seeds}" if numbers else f"{seeds} (fixed)",
            f"{seeds * study.seconds:.1f}",
            f"{own.enough} / {own.testable}",
        )
    console.print(table)
    every = decided(allocation.seeds, forecasts)
    console.print(
        f"Forecast: {every.enough} of {every.testable} testable claims are decided with a chance of at least "
        f"{likely}; {every.expected:.1f} on average."
    )
    console.print(f"CPU seconds: {allocation.seconds:.1f} of the {allocation.budget:.1f} that seeds may use.")
    if allocation.exceeds:
        console.print("The fewest seeds exceed the budget already. Raise `cpu_budget` or make the runs shorter.")
