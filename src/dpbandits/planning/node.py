"""What a job of a cluster needs of the configuration: a node loads the papers of its jobs alone.

So a job starts in the same time, whatever the number of papers.
"""

import re
from collections.abc import Sequence
from itertools import takewhile

from dpbandits.config.paper_files import KEY

JOBS = "--target-jobs"
"""The option of Snakemake before the jobs of a node."""
OF_A_PAPER = re.compile(rf"(?:calibrate|simulate|aggregate|draw|render)_({KEY})(?:_\d+)?")
"""Names of rules that are of one paper."""
BY_WILDCARD = ("judge", "pilot")
"""Rules that have their paper as a wildcard."""


def papers_of(arguments: Sequence[str]) -> frozenset[str] | None:
    """The papers of the jobs that a process of Snakemake is to run, by its arguments; None where it needs all papers.

    Snakemake names jobs to a node as `--target-jobs simulate_hu2021_3: judge:paper=hu2021`.
    """
    start = arguments.index(JOBS) + 1 if JOBS in arguments else len(arguments)
    found = set()
    for job in takewhile(lambda argument: not argument.startswith("-"), arguments[start:]):
        rule, _, given = job.partition(":")
        wildcards = dict(each.split("=", 1) for each in given.split(",") if "=" in each)
        own = OF_A_PAPER.fullmatch(rule)
        if own:
            found.add(own[1])
        elif rule in BY_WILDCARD:
            found.add(wildcards.get("paper", ""))
        else:
            return None
    return frozenset(found) or None
