"""`python -m benchmarks [kernels|growth ...] [--only FAMILY] [--repetitions N] [--out FILE]`."""

import argparse
from pathlib import Path

from benchmarks import ROOT, growth, peers
from benchmarks.comparison import MISSED, measured, record_of, table, verdict
from benchmarks.families import MAKERS
from benchmarks.record import Entry, write_part

PARTS = ("kernels", "growth")


def kernels(only: str | None, repetitions: int) -> list[Entry]:
    """Measure, print and record the families."""
    entries, missed = [], []
    for name in [only] if only else MAKERS:
        family = MAKERS[name]()
        speeds, ratios = measured(family, repetitions)
        print(table(family, speeds, ratios), end="\n\n", flush=True)
        entries.append(record_of(family, ratios))
        missed += [
            f"{name} against {side}"
            for side, found in ratios.items()
            if verdict(found.value, family.targets.get(side)) == MISSED
        ]
    print(f"{MISSED}: {', '.join(missed)}" if missed else "No floor is missed.", end="\n\n", flush=True)
    return entries


def growths(only: str | None, repetitions: int) -> list[Entry]:
    """Measure, print and record how costs grow."""
    entries = []
    for line in growth.lines():
        if only in (None, line.name):
            found = growth.measured(line, repetitions)
            print(growth.text(line, found), flush=True)
            entries.append(growth.record_of(line, found))
    return entries


def main() -> None:
    """Measure the parts asked for, print them, and write them into the record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{' or '.join(PARTS)}; all where none is given")
    parser.add_argument("--only", choices=sorted({*MAKERS, *growth.NAMES}), help="one family")
    parser.add_argument("--repetitions", type=int, default=5, help="samples of every side, at least 3")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/ratios.json", help="the record")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"no part is called {', '.join(sorted(unknown))}")
    parts = asked.parts or PARTS
    if "kernels" in parts and (asked.only is None or asked.only in MAKERS):
        write_part(asked.out, "kernels", kernels(asked.only, asked.repetitions), whole=asked.only is None)
        if worker := peers.peer():
            worker.close()
    if "growth" in parts and (asked.only is None or asked.only in growth.NAMES):
        write_part(asked.out, "growth", growths(asked.only, asked.repetitions), whole=asked.only is None)


if __name__ == "__main__":
    main()
