"""README of a certificate: its files, and how to use them."""

from dpbandits.certificate.citation import Citation

TEXT = """\
# Certificate of the scale {scale}

{title}, version {version}

| file | holds |
| --- | --- |
| `claims/`, `audit/`, `figures/` | the records, the figures with their numbers, and the tables that they rest on |
| `Snakefile`, `workflow/`, `profiles/`, `config/`, `notebooks/`, `requirements.lock` | what made them |
| `manifest-sha256.txt` | SHA-256 of every result that is the same bytes in every run |
| `environment.json` | Python, packages, digests of sources and pins, commit, root seed |
| `machine.json`, `times.csv` | class of the machine, jobs and seconds; they vary and are not compared |
| `ro-crate-metadata.json` | all of this for programs, as a Workflow Run RO-Crate 0.5 |
| `codecheck.yml` | the outputs to be seen again, as the manifest for a CODECHECK |

To repeat the run, and to hold it against this folder, in a clone of the project:

    make {scale}
    . .venv/bin/activate
    dpbandits verify results/{scale} --certificate {certificate}

A codechecker does this, looks at the outputs that `codecheck.yml` lists, and fills in `codechecker`, `report`,
`check_time` and `certificate` there.
"""


def readme(citation: Citation, scale: str) -> str:
    """Text of README.md."""
    return TEXT.format(scale=scale, title=citation.title, version=citation.version, certificate="<this folder>")
