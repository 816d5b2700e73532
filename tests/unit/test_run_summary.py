"""The screen that ends a run has at most 24 lines of 80 letters, whatever the papers are."""

import pytest

from dpbandits.planning import last_run
from dpbandits.text.run_summary import Judged, changed, lines

REPORT, NEXT = "results/quick/report/index.html", [("make full", "more seeds"), ("dpbandits claims", "a line each")]


def record(claim, verdict, calibration="printed", subject="paper", ours=False, variant=""):
    found = {"id": f"hu2021/{claim}", "verdict": verdict, "calibration": calibration, "variant": variant}
    return found | {"subject": subject, "by_our_threshold": ours}


def audit(verdict, algorithm):
    return {"audit": "hu2021/sums", "algorithm": algorithm, "calibration": "printed", "verdict": verdict}


RECORDS = [
    record("C1", "holds"),
    record("C2", "fails"),
    record("C3", "fails", ours=True),
    record("C4", "unclear"),
    record("C5", "not_tested"),
    record("C6", "fails", "tuned", "variant_of_ours"),
]
AUDITS = [audit("consistent", "dp_se"), audit("violated", "dp_ucb"), audit("consistent", "dp_ucb")]
PAPER = Judged("hu2021", "Something was found, " * 9, RECORDS, AUDITS)


def shown(papers=(PAPER,), last=None, width=80):
    return [line.plain.rstrip() for line in lines(papers, "quick", last, REPORT, NEXT, width)]


def test_one_paper():
    finding = "  Something was found, Something was found, Something was found, Something was…"
    assert shown(last=last_run.LastRun(290.0, 583.0, {}, {"chen2020/C1 printed": "holds"})) == [
        "dpbandits quick: the last run took 4 min 50 s (9 min 43 s of CPU time)",
        "",
        "                         holds   fails   by our threshold   unclear   not tested",
        "hu2021                       1       1                  1         1            1",
        finding,
        "our variants                 0       1                  0         0            0",
        "",
        "Changed since the run before: 6 new",
        "Audits  1 of 2 mechanisms consistent, 1 violate their claim",
        "Report  results/quick/report/index.html",
        "Next    make full         more seeds",
        "        dpbandits claims  a line each",
    ]


@pytest.mark.parametrize("count", [1, 5, 6, 10, 40])
def test_it_fits_on_a_screen(count):
    papers = [Judged(f"a_long_key_of_a_paper_{k}_2026", "A finding.", RECORDS, AUDITS) for k in range(count)]
    found = shown(papers, last_run.LastRun(1e5, None, {}, {"hu2021/C1 printed": "fails"}))
    assert len(found) <= 24
    assert max(map(len, found)) <= 80
    assert ("  A finding." in found) == (count <= 5)
    assert ("  and 30 more papers: dpbandits claims" in found) == (count == 40)


def test_what_changed():
    before = {"a/C1 printed": "unclear", "a/C2 printed": "holds", "a/C3 printed": "holds"}
    assert changed(before, before) == "Changed since the run before: nothing"
    now = {"a/C1 printed": "fails_ours", "a/C2 printed": "holds", "a/C4 printed": "holds"}
    assert changed(before, now) == (
        "Changed since the run before: a/C1 printed unclear -> fails by our threshold; 1 new; 1 gone"
    )
    many = {f"a/C{k} printed": "holds" for k in range(9)}
    assert changed(many, dict.fromkeys(many, "fails")).endswith("a/C2 printed holds -> fails; 6 more")


def test_the_run_before_is_the_one_that_ended_last(tmp_path):
    (tmp_path / ".snakemake").mkdir()
    assert last_run.recorded(tmp_path, "quick") is None
    last_run.record(tmp_path, "quick", 1.26, None, {"a": "holds"})
    first = last_run.recorded(tmp_path, "quick")
    assert (first.seconds, first.cpu_seconds, first.before) == (1.3, None, None)
    last_run.record(tmp_path, "quick", 2.0, 3.04, {"a": "fails"})
    second = last_run.recorded(tmp_path, "quick")
    assert (second.cpu_seconds, second.verdicts, second.before) == (3.0, {"a": "fails"}, {"a": "holds"})
    assert last_run.recorded(tmp_path, "full") is None
    last_run.record(tmp_path, "quick", 2.0, None, {"hu2021/C1 printed": "holds"})
    last_run.record(tmp_path, "quick", 2.0, None, {"chen2020/C1 printed": "fails"})
    both = {"hu2021/C1 printed": "holds", "chen2020/C1 printed": "fails"}
    assert both.items() <= last_run.recorded(tmp_path, "quick").verdicts.items(), "a run of one paper forgets no other"
    (tmp_path / ".snakemake/last_run_quick.json").write_text("[]")
    assert last_run.recorded(tmp_path, "quick") is None
