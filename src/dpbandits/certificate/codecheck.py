"""Manifest for a CODECHECK (https://codecheck.org.uk/spec/config/1.0/): the outputs that a codechecker reproduces."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from dpbandits.certificate.citation import Author, Citation
from dpbandits.config.loading import Paper

SPECIFICATION = "https://codecheck.org.uk/spec/config/1.0/"


def codecheck(citation: Citation, papers: Iterable[Paper], scale: str, digests: Mapping[str, str]) -> str:
    """Text of `codecheck.yml`; the codechecker fills in the empty codechecker name and report.

    `paper` is the item to check, hence this project. The replicated papers are under a key of our own.

    Parameters
    ----------
    digests : SHA-256 of each output by its path in the certificate.
    """
    every = list(papers)
    record = {
        "version": SPECIFICATION,
        "paper": {
            "title": citation.title,
            "authors": [person(author) for author in citation.authors],
            "reference": f"version {citation.version}; the papers that it replicates are under dpbandits_papers",
        },
        "manifest": [
            {"file": file, "comment": comment, "sha256": digests[file]}
            for file, comment in outputs(every, scale)
            if file in digests
        ],
        "codechecker": [{"name": ""}],
        "report": "",
        **({"repository": citation.repository} if citation.repository else {}),
        "dpbandits_scale": scale,
        "dpbandits_papers": [
            {"title": paper.title, "authors": [{"name": name} for name in paper.authors], "reference": paper.reference}
            for paper in every
        ],
    }
    return "%YAML 1.1\n---\n" + yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=120)


def person(author: Author) -> dict[str, Any]:
    """Entry of an author."""
    return {"name": author.name, **({"ORCID": author.orcid} if author.orcid else {})}


def outputs(papers: Iterable[Paper], scale: str) -> Iterator[tuple[str, str]]:
    """Outputs by their paths in the certificate, with what each shows."""
    for paper in papers:
        of = f"{paper.key}, scale {scale}"
        shows = {name: f"{paper.key}: {figure.shows}" for name, figure in paper.figures.items()}
        for name, (figure, calibration) in paper.pictures.items():
            yield f"figures/{paper.key}/{name}.svg", f"{shows[figure]} ({calibration})"
        yield f"claims/{paper.key}.json", f"{of}: verdicts on its claims, with all comparisons behind them"
        yield f"audit/{paper.key}.json", f"{of}: claimed and actual epsilon of its algorithms"
    yield "figures/claims.svg", "verdicts on the claims of all papers"
    yield (
        "figures/speed.svg",
        "speed of the kernels relative to others, from the project's record; not measured by the run",
    )
    yield "figures/growth.svg", "growth of the kernels' cost, from the same record"
    yield "audit/all.csv", "actual epsilons of all papers, as a table"
