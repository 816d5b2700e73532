"""Claims on a terminal: a line each at 80 columns, with and without color."""

import io
import json
import re

import pytest
from rich.console import Console

from dpbandits.base.storage import write_json
from dpbandits.text import claim_lines
from tests.shipped import ROOT

from .small import KEY, write_project
from .test_cli import call, refusal


def record(claim, calibration, verdict, variant="", statement="The regret of one is less than that of two.", **more):
    found = {
        **{"id": f"{KEY}/{claim}", "paper": KEY, "calibration": calibration, "variant": variant},
        **{"statement": statement, "verdict": verdict, "subject": "paper", "severity": "detail"},
    }
    return found | more


LONG = "A statement that is longer than what fits into a line of eighty columns is cut between two words."
RECORDS = [
    record("C1", "printed", "holds", severity="headline"),
    record("C1", "certified", "fails", by_our_threshold=True, severity="headline"),
    record("C1", "printed", "unclear", "small_budgets"),
    record("C2", "printed", "fails", statement=LONG),
    record("C2", "certified", "not_tested", statement=LONG),
    record("C10", "certified", "holds", "one_case", statement="It ends.", subject="variant_of_ours"),
]
AT_80 = """\
one2020, scale quick                                                     P   C
C1    The regret of one is less than that of two.                        ✓  (✗)
        small budgets                                                    ?
C2    A statement that is longer than what fits into a line of…          ✗   –
C10   It ends. (one case)                                                    ✓
Verdicts on the paper's own claims: 1 hold, 1 fail, 1 fail by our threshold, 1
unclear, 1 not tested.

✓ holds, ✗ fails, (✗) fails by our threshold, ? unclear, – not tested
P printed, C certified
"""


def shown(monkeypatch, width, **options):
    console = Console(file=io.StringIO(), width=width, highlight=False, **options)
    monkeypatch.setattr(claim_lines, "console_of", lambda: console)
    claim_lines.print_lines(RECORDS, "quick")
    return console.file.getvalue()


def test_a_line_for_every_claim_and_variant_at_80_columns(monkeypatch):
    found = shown(monkeypatch, 80)
    assert found == AT_80
    assert max(map(len, found.splitlines())) <= 80


def test_a_wider_terminal_has_longer_statements(monkeypatch):
    found = shown(monkeypatch, 120)
    (line,) = [line for line in found.splitlines() if line.startswith("C2")]
    assert line == f"C2    {LONG:<104}   ✗   –"


def test_colors_say_no_more_than_signs(monkeypatch):
    plain = shown(monkeypatch, 80)
    colored = shown(monkeypatch, 80, force_terminal=True, color_system="standard", no_color=False)
    assert "\x1b[32m" in colored
    assert "\x1b[35m" in colored
    assert re.sub("\x1b\\[[0-9;]*m", "", colored) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in shown(monkeypatch, 80, force_terminal=True)


@pytest.fixture
def judged(tmp_path):
    """A project with these records."""
    root = write_project(tmp_path)
    write_json(root / f"results/smoke/claims/{KEY}.json", {"records": RECORDS})
    return root


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (("--failed",), [1, 3]),
        (("--verdict", "unclear"), [2]),
        (("--headline",), [0, 1]),
        (("--headline", "--verdict", "holds"), [0]),
        (("--verdict", "not_tested"), [4]),
    ],
)
def test_claims_can_be_chosen(judged, options, left):
    said = json.loads(call(judged, "claims", *options, "--json").stdout)
    assert said == [RECORDS[k] for k in left]
    lines = call(judged, "claims", *options).stdout.splitlines()
    assert sum(bool(re.match(r"C\d", line)) for line in lines) == len({RECORDS[k]["id"] for k in left})


def test_what_does_not_go_together_is_one_line(judged):
    said = "--failed: cannot be combined with --verdict. Leave one of the two out."
    assert refusal(judged, "claims", "--failed", "--verdict", "holds") == said
    assert call(judged, "claims", "--failed", "--headline", "--verdict", "x").exit_code == 2
    assert (
        call(judged, "claims", "--headline", "--verdict", "not_tested").stdout == "No such claims at the scale smoke.\n"
    )


def test_verdicts_are_counted_only_where_there_are_some():
    """In the committed results, the unclear claims of Hu et al. are our variants."""
    said = call(ROOT, "--scale", "full", "claims", "hu2021", "--verdict", "unclear", "-v").stdout
    assert "Our variants, " in said
    assert "own claims" not in said
