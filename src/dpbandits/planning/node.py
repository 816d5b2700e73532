"""Restrict the configuration that a cluster job loads to the papers of its own jobs.

The start-up time of a job therefore does not depend on the number of papers.
"""

import re
from collections.abc import Sequence
from itertools import takewhile

from dpbandits.config.paper_files import KEY

JOBS = "--target-jobs"
"""Snakemake option that precedes the jobs of a node."""
OF_A_PAPER = re.compile(rf"(?:calibrate|simulate|aggregate|draw|render)_({KEY})(?:_\d+)?")
"""Names of rules that belong to one paper."""
BY_WILDCARD = ("judge", "pilot")
"""Rules that have the paper as a wildcard."""


def papers_of(arguments: Sequence[str]) -> frozenset[str] | None:
    """Papers of the jobs that a Snakemake process runs, from its arguments; None if it needs all papers.

    Snakemake passes jobs to a node as `--target-jobs simulate_hu2021_3: judge:paper=hu2021`.
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
