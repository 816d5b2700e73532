"""Run `python -m benchmarks [part ...] [--only FAMILY] [--repetitions N] [--out FILE]`; `--help` lists the parts."""

import argparse
from pathlib import Path

from benchmarks import ROOT, cluster, growth, papers, peers, schedule, seeds
from benchmarks.comparison import MISSED, measured, record_of, table, verdict
from benchmarks.families import MAKERS
from benchmarks.record import Entry, read, write_part

OF_THE_PIPELINE = ("papers", "cluster", "seeds", "schedule")
PARTS = ("kernels", "growth", *OF_THE_PIPELINE)
FEWEST = 3  # enough repetitions to show a spread


def kernels(only: str | None, repetitions: int, out: Path) -> list[Entry]:
    """Measure, print and record the families one by one."""
    entries, missed = [], []
    for name in [only] if only else MAKERS:
        family = MAKERS[name]()
        speeds, ratios = measured(family, repetitions)
        print(table(family, speeds, ratios), end="\n\n", flush=True)
        entries.append(record_of(family, ratios))
        write_part(out, "kernels", entries[-1:], whole=False)
        missed += [
            f"{name} against {side}"
            for side, found in ratios.items()
            if verdict(found.value, family.goals.get(side)) == MISSED
        ]
    print(f"{MISSED}: {', '.join(missed)}" if missed else "No requirement is missed.", end="\n\n", flush=True)
    return entries


def growths(only: str | None, repetitions: int, out: Path) -> list[Entry]:
    """Measure, print and record the growth of costs, line by line."""
    entries = []
    for line in growth.lines():
        if only in (None, line.name):
            found = growth.measured(line, repetitions)
            print(growth.text(line, found), flush=True)
            entries.append(growth.record_of(line, found))
            write_part(out, "growth", entries[-1:], whole=False)
    return entries


def planning(out: Path) -> None:
    """Measure, print and record the growth of planning with the number of papers."""
    found = papers.measured()
    print(papers.text(found, papers.TIMES), flush=True)
    write_part(out, "growth", papers.lines(found, papers.TIMES), whole=False)
    write_part(out, "pipeline", papers.goals(found, papers.TIMES), whole=False)


def submitting(out: Path) -> None:
    """Count, print and record submissions to a cluster, and files that its nodes open."""
    found, files = cluster.measured()
    print(*cluster.text(found, files, cluster.TIMES), sep="\n", flush=True)
    write_part(out, "growth", cluster.lines(found, files, cluster.TIMES), whole=False)
    write_part(out, "pipeline", cluster.goals(found, files, cluster.TIMES), whole=False)


def many_seeds(out: Path) -> None:
    """Measure, print and record the growth of aggregating and judging with the number of seeds."""
    found = seeds.measured()
    print(seeds.text(found), flush=True)
    write_part(out, "growth", seeds.lines(found), whole=False)
    write_part(out, "pipeline", seeds.goals(found), whole=False)


def schedules(out: Path) -> None:
    """Schedule the estimated job times on more cores; print and record the gain of each scale."""
    for scale in dict.fromkeys(scale for scale, _ in schedule.GAINS):
        jobs = schedule.estimated(scale)
        print(f"Scale {scale}, estimated times\n{schedule.table(jobs, schedule.CORES, schedule.TIMES)}", flush=True)
        write_part(out, "pipeline", schedule.goals(scale, jobs, "estimated"), whole=False)


APART = {*papers.COMMANDS, cluster.NAME, cluster.FILES, *seeds.SEEDS}
"""Growth lines that are measured by parts of the pipeline."""


def main() -> None:
    """Measure the requested parts, print them, and write them into the record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{' or '.join(PARTS)}; all where none is given")
    parser.add_argument("--only", choices=sorted({*MAKERS, *growth.NAMES}), help="one family")
    parser.add_argument("--repetitions", type=int, default=9, help="samples of every side: 9, at least 3")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/ratios.json", help="the record")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"no part is called {', '.join(sorted(unknown))}")
    if asked.repetitions < FEWEST:
        parser.error(f"--repetitions {asked.repetitions}: at least {FEWEST}")
    named = {"kernels": MAKERS.keys(), "growth": growth.NAMES, **dict.fromkeys(OF_THE_PIPELINE, ())}
    parts = [part for part in asked.parts or PARTS if asked.only is None or asked.only in named[part]]
    if not parts:
        families = ", ".join(sorted(named[asked.parts[0]])) or "no families"
        parser.error(f"--only {asked.only}: {' and '.join(asked.parts)} has {families}")
    for part, measure in (("kernels", kernels), ("growth", growths)):
        if part in parts:
            entries = measure(asked.only, asked.repetitions, asked.out)
            if asked.only is None:
                others = [each for each in read(asked.out).get(part, []) if each["name"] in APART]
                write_part(asked.out, part, [*entries, *others], whole=True)
    pipeline = (planning, submitting, many_seeds, schedules)
    for part, record in zip(OF_THE_PIPELINE, pipeline, strict=True):
        if part in parts:
            record(asked.out)
    if worker := peers.peer():
        worker.close()


if __name__ == "__main__":
    main()
