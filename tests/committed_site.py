"""The site at full scale from the committed records and figures, with values in one figure and short notebooks."""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from dpbandits.experiments.config import load_project
from dpbandits.report.notebook_page import notebook_page
from dpbandits.stages.report import report

ROOT = Path(__file__).resolve().parents[1]
SHOWN = "regret_against_budget-printed.svg"
PICTURE = "%3Csvg xmlns='http://www.w3.org/2000/svg' width='1640' height='800'/%3E"
VALUES = (
    '<g class="values">'
    '<circle cx="100" cy="60" r="6" fill="none" pointer-events="all"><title>central: ε = 0.1, regret 9</title></circle>'
    '<circle cx="300" cy="90" r="6" fill="none" pointer-events="all"><title>local: ε = 1, regret 99</title></circle>'
    "</g></svg>"
)

NOTEBOOK = f"""<h1>A story</h1>
<div class="output_html"><table class="dataframe"><thead><tr><th>{"a_wide_head" * 20}</th></tr>
</thead><tbody><tr><td>1</td></tr></tbody></table></div>
<div class="highlight"><pre>{"a long line of code " * 20}</pre></div>
<div class="output_png"><img alt="Figure 1, printed" width="820" src="data:image/svg+xml,{PICTURE}"></div>
"""
"""What nbconvert makes of cells: a table, code and a picture, all wider than a phone."""


def build(folder: Path, keys: Iterable[str] = ("hanna2022", "chowdhury2022"), name: str = "report") -> Path:
    """Write the site to `folder / name`; sources that are not committed are made in `folder`."""
    papers = {key: load_project(ROOT, {"scale": "full"}, key).papers[key] for key in keys}
    for key, paper in papers.items():
        shutil.copytree(ROOT / "figures" / key, folder / key, ignore=shutil.ignore_patterns("*.png", "*.parquet*"))
        (folder / f"{key}.html").write_text(notebook_page(key, NOTEBOOK), encoding="utf-8")
        for picture in (f"{name}.svg" for name in paper.pictures):
            svg = (folder / key / picture).read_text(encoding="utf-8")
            without = re.sub(r'<g class="values">.*</g>\s*</svg>', "</svg>", svg, flags=re.DOTALL)
            shown = without.replace("</svg>", VALUES) if picture == SHOWN else without
            (folder / key / picture).write_text(shown, encoding="utf-8")
    table = folder / "all.csv"
    table.write_text("audit\n", encoding="utf-8")
    benchmark = folder / "benchmarks/judge/hanna2022.tsv"
    benchmark.parent.mkdir(parents=True)
    benchmark.write_text("s\tcpu_time\n1.0\t2.5\n", encoding="utf-8")
    report(
        list(papers.values()),
        "full",
        7,
        {key: folder / key / "data/claims.json" for key in papers},
        {key: folder / key / "data/audit.json" for key in papers},
        table,
        {key: folder / key for key in papers},
        {key: folder / f"{key}.html" for key in papers},
        folder / "benchmarks",
        ["judge/hanna2022.tsv"],
        [],
        folder / name,
        folder / "claims",
    )
    return folder / name
