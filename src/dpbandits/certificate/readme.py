"""README of a certificate: its files, and how to use them."""

from dpbandits.certificate.citation import Citation

TEXT = """\
# Certificate of the scale {scale}

{title}, version {version}

| file | holds |
| --- | --- |
| `claims/`, `audit/`, `figures/` | records, figures, and the tables behind them, and the tables behind them |
| `Snakefile`, `workflow/`, `profiles/`, `config/`, `notebooks/`, `docs/` | the workflow and what it reads |
| `src/`, `pyproject.toml`, `Makefile`, `requirements*` | the package, and the recipe of its environment |
| `tests/` | the tests of verification |
| `manifest-sha256.txt` | SHA-256 of every result whose bytes are the same in every run |
| `environment.json` | Python, packages, digests of sources and pins, commit, root seed |
| `machine.json`, `times.csv` | machine class, jobs and seconds; these vary and are not compared |
| `ro-crate-metadata.json` | the same information for programs, as a Workflow Run RO-Crate 0.5 |
| `codecheck.yml` | the outputs to reproduce, as the manifest of a CODECHECK |

To check this folder by itself, derive its verdicts again, and repeat the run in it:

    make setup
    . .venv/bin/activate
    dpbandits verify . --judge
    dpbandits verify . --recompute PAPER/CLAIM
    make {scale}
    dpbandits verify results/{scale} --certificate .

A codechecker runs these commands, inspects the outputs listed in `codecheck.yml`, and fills in `codechecker`, `report`,
`check_time` and `certificate` there.
"""


def readme(citation: Citation, scale: str) -> str:
    """Text of README.md."""
    return TEXT.format(scale=scale, title=citation.title, version=citation.version)
