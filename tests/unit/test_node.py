"""Which papers a node of a cluster loads."""

import pytest

from dpbandits.planning.node import papers_of


@pytest.mark.parametrize(
    ("jobs", "papers"),
    [
        (["simulate_hanna2022_3:"], {"hanna2022"}),
        (["calibrate_hu2021_0:", "simulate_hanna2022_12:"], {"hu2021", "hanna2022"}),
        (["aggregate_hu2021_0:", "judge:paper=hu2021", "draw_hu2021_1:", "render_hu2021:"], {"hu2021"}),
        (["pilot:paper=hu2021"], {"hu2021"}),
        (["audit_0:"], None),
        (["simulate_hanna2022_3:", "audit_0:"], None),
        (["collect:"], None),
        (["simulate_hanna2022:", "xsimulate_hanna2022_0:"], None),
        ([], None),
    ],
)
def test_jobs_name_their_papers(jobs, papers):
    arguments = ["snakemake", "--cores", "1", "--target-jobs", *jobs, "--allowed-rules", "audit_0"]
    assert papers_of(arguments) == papers


def test_a_process_without_jobs_needs_all_papers():
    assert papers_of(["snakemake", "simulate_hanna2022_3", "--cores", "1"]) is None
