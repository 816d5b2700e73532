"""The site at full scale from the committed records and figures, with values in one figure and short notebooks."""

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpbandits.base.storage import CHECKSUMS
from dpbandits.planning.benchmarks import plan
from dpbandits.planning.budgets import budgets
from dpbandits.planning.documents import documents
from dpbandits.report.notebook_page import notebook_page
from dpbandits.stages.report import report
from tests.shipped import shipped

ROOT = Path(__file__).resolve().parents[1]
SHOWN = "regret_against_budget-printed.svg"
PICTURE = "%3Csvg xmlns='http://www.w3.org/2000/svg' width='1640' height='800'/%3E"
VALUES = (
    '<g class="values" fill="none" pointer-events="all">'
    '<circle cx="100" cy="60" r="6"><title>central: ε = 0.1, regret 9</title></circle>'
    '<circle cx="300" cy="90" r="6"><title>local: ε = 1, regret 99</title></circle>'
    "</g></svg>"
)

NOTEBOOK = f"""<h1>A story</h1>
<div class="output_html"><table class="dataframe"><thead><tr><th>{"a_wide_head" * 20}</th></tr>
</thead><tbody><tr><td>1</td></tr></tbody></table></div>
<div class="highlight"><pre>{"a long line of code " * 20}</pre></div>
<div class="output_png"><img alt="Figure 1, printed" width="820" src="data:image/svg+xml,{PICTURE}"></div>
"""
"""What nbconvert makes of cells: a table, code and a picture, all wider than a phone."""


HEAD = "s\th:m:s\tmax_pss\tmax_vms\tmax_uss\tmax_rss\tio_in\tio_out\tmean_load\tcpu_time\n"
BENCHMARKS = {
    "simulate/hanna2022/0": "80.00\t0:01:20\t201.00\t0\t0\t0\t0\t0\t98.0\t44.80\n",
    "simulate/hanna2022/1": "50.00\t0:00:50\t310.40\t0\t0\t0\t0\t0\t98.0\t44.90\n",
    "judge/hanna2022": "1.00\t0:00:01\tNA\tNA\tNA\tNA\tNA\tNA\tNA\tNA\n",
    "audit/0": "640.00\t0:10:40\t90.00\t0\t0\t0\t0\t0\t98.0\t634.20\n",
}
"""Jobs and what Snakemake noted of them, as it writes them."""
LOG = "compiled or loaded dpbandits.algorithms.linucb.linucb in 12.5 s\nfigure2/x/0000-0019: simulated\n"
RATIOS = {
    "kernels": [
        {
            "name": "ucb1",
            "title": "UCB1",
            "setting": "K = 10 & Bernoulli rewards",
            "sides": [
                {
                    "name": "c",
                    "label": "C loop",
                    "ratio": 0.71,
                    "low": 0.66,
                    "high": 0.74,
                    "required": 0.4,
                    "target": 0.65,
                },
                {
                    "name": "numpy",
                    "label": "NumPy",
                    "ratio": 4.5,
                    "low": 4.1,
                    "high": 4.9,
                    "required": 3,
                    "target": 6,
                },
                {
                    "name": "loop",
                    "label": "a loop",
                    "ratio": 150.0,
                    "low": 148,
                    "high": 151,
                    "required": None,
                    "target": None,
                },
            ],
            "left_out": [{"name": "mabwiser", "label": "mabwiser", "why": "plays another distribution"}],
        },
        {
            "name": "linucb",
            "title": "LinUCB",
            "setting": "d = 5",
            "sides": [
                {
                    "name": "c",
                    "label": "C loop",
                    "ratio": 0.3,
                    "low": 0.29,
                    "high": 0.31,
                    "required": 0.35,
                    "target": 0.6,
                }
            ],
            "left_out": [],
        },
    ],
    "growth": [
        {
            "name": "ucb1",
            "title": "UCB1",
            "axis": axis,
            "setting": "K = 10",
            "places": [1000, 10000, 100000],
            "costs": [1.0, 9.8, 98.5],
            "exponent": exponent,
            "low": 0.98,
            "high": 1.02,
        }
        for axis, exponent in (("T", 0.996), ("seeds", 1.001))
    ],
    "pipeline": [
        {
            "name": "start_up",
            "title": "Start-up",
            "value": 0.12,
            "unit": "",
            "required": 0.1,
            "target": None,
            "better": "less",
        },
        {
            "name": "cores",
            "title": "Cores",
            "value": 1.9,
            "unit": "times",
            "required": 1.8,
            "target": None,
            "better": "more",
        },
    ],
}
"""A record as `make bench` writes it."""


def build(
    folder: Path,
    keys: Iterable[str] = ("hanna2022", "chowdhury2022"),
    name: str = "report",
    ratios: Mapping[str, Any] | None = RATIOS,
) -> Path:
    """Write the site to `folder / name`; sources that are not committed are made in `folder`."""
    project = shipped("full")
    papers = {key: project.papers[key] for key in keys}
    shutil.copy(ROOT / "figures" / CHECKSUMS, folder)
    for key, paper in papers.items():
        shutil.copytree(ROOT / "figures" / key, folder / key)
        (folder / f"{key}.html").write_text(notebook_page(key, NOTEBOOK), encoding="utf-8")
        for picture in (f"{name}.svg" for name in paper.pictures):
            svg = (folder / key / picture).read_text(encoding="utf-8")
            without = re.sub(r'<g class="values".*</g>\s*</svg>', "</svg>", svg, flags=re.DOTALL)
            shown = without.replace("</svg>", VALUES) if picture == SHOWN else without
            (folder / key / picture).write_text(shown, encoding="utf-8")
    table = folder / "all.csv"
    table.write_text("audit\n", encoding="utf-8")
    for job, row in BENCHMARKS.items():
        (folder / f"benchmarks/{job}.tsv").parent.mkdir(parents=True, exist_ok=True)
        (folder / f"benchmarks/{job}.tsv").write_text(HEAD + row, encoding="utf-8")
    (folder / "logs/simulate/full/hanna2022").mkdir(parents=True)
    (folder / "logs/simulate/full/hanna2022/1.log").write_text(LOG, encoding="utf-8")
    record = folder / "ratios.json"
    record.write_text(json.dumps(ratios), encoding="utf-8")
    report(
        list(papers.values()),
        "full",
        7,
        {key: folder / key / "data/claims.json" for key in papers},
        {key: folder / key / "data/audit.json" for key in papers},
        table,
        {key: folder / key / "data" for key in papers},
        {key: folder / key for key in papers},
        {key: folder / f"{key}.html" for key in papers},
        plan(replace(project, papers=papers)),
        folder / "benchmarks",
        budgets(project),
        folder / "logs",
        record if ratios else None,
        folder / name,
        folder / "together",
        documents=documents(replace(project, papers=papers)),
    )
    return folder / name
