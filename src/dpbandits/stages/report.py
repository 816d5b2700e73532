"""Stage report: build the pages of the report from records, figures, notebooks and benchmark files."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbandits.base.storage import DamagedFile, replacing_folder, write_text
from dpbandits.config.loading import Paper
from dpbandits.config.regular_files import read_json_file
from dpbandits.figures import files
from dpbandits.figures.drawings import data_of
from dpbandits.figures.kinds import matrix, speed
from dpbandits.figures.results import read_results
from dpbandits.planning.benchmarks import Plan
from dpbandits.report.costs import Costs, costs
from dpbandits.report.findings import findings, text_of
from dpbandits.report.notebook_page import in_site
from dpbandits.report.overlays import Overlay, overlay
from dpbandits.report.sections import Section
from dpbandits.report.site import Run, Speed, pages
from dpbandits.report.spreadsheets import claims_table
from dpbandits.stages.benchmarks import compiling, measured
from dpbandits.text.jinja import source
from dpbandits.text.speed import RATIOS, check

STATIC_FILES = ("site.css", "site.js")
SPEED = ("speed", "growth")
"""Names of the pictures drawn from the record of `make bench`."""


def report(
    papers: Sequence[Paper],
    scale: str,
    root_seed: int,
    claims: Mapping[str, Path],
    audits: Mapping[str, Path],
    audit_table: Path,
    tables: Mapping[str, Path],
    figures: Mapping[str, Path],
    notebooks: Mapping[str, Path],
    plan: Plan,
    benchmarks: Path,
    budgets: Mapping[str, float],
    logs: Path,
    ratios: Path | None,
    out: Path,
    pictures: Path,
    overview: bool = True,
    committed: bool = False,
    documents: Mapping[str, Path] | None = None,
) -> None:
    """Write the report folder, completely or not at all; it contains copies of everything that its pages show.

    Parameters
    ----------
    claims, audits, tables, figures : paper -> its claim records, its audit records, the folders of its tables and of
        its figures.
    notebooks : paper -> the page of its notebook, if executed.
    audit_table : the audits of all papers as a table for spreadsheets.
    plan : the jobs of this scale.
    benchmarks, logs : folders of Snakemake's benchmark files of this scale, and of the logs of all scales.
    budgets : budget of each part in CPU seconds.
    ratios : the record of `make bench`, if there is one.
    pictures : folder of the pictures `claims`, `speed` and `growth`.
    overview : whether to include the picture `claims`, the verdicts of all papers together.
    committed : whether the results are the committed ones, which have neither a certificate nor times.
    documents : name -> file of the project that gets a page.
    """
    record = None if ratios is None else speed_record(ratios)
    sections = [section(paper, claims[paper.key], audits[paper.key], figures[paper.key]) for paper in papers]
    draw(sections if overview else [], record, pictures)
    texts = {name: path.read_text(encoding="utf-8") for name, path in (documents or {}).items()}
    times = costs_of(plan, benchmarks, budgets, logs, scale)
    run = Run(scale, root_seed, times, frozenset(notebooks), texts, committed)
    fast = Speed(record, *(overlay_of(pictures / f"{name}.svg") for name in SPEED))
    with replacing_folder(out, "report") as folder:
        for paper in papers:
            (folder / paper.key).mkdir()
        for name, text in pages(sections, run, fast).items():
            write_text(folder / name, text)
        for name in STATIC_FILES:
            write_text(folder / "static" / name, source(name))
        write_text(folder / "data/claims.csv", claims_table(record for each in sections for record in each.records))
        shutil.copyfile(audit_table, folder / "data/audit.csv")
        for paper in papers:
            if paper.key in notebooks:
                notebook = notebooks[paper.key].read_text(encoding="utf-8")
                write_text(folder / "notebooks" / f"{paper.key}.html", in_site(notebook, paper.key))
            (folder / "figures" / paper.key).mkdir(parents=True)
            for name in paper.pictures:
                shutil.copyfile(figures[paper.key] / f"{name}.svg", folder / "figures" / paper.key / f"{name}.svg")
            own = (each[paper.key] for each in (tables, claims, audits, figures))
            found = read_results(paper, *own)
            for name in paper.figures:
                write_text(folder / "figures" / paper.key / f"{name}.csv", data_of(found, name))
        for name in SPEED if record else ():
            shutil.copyfile(pictures / f"{name}.svg", folder / "figures" / f"{name}.svg")


def draw(sections: Sequence[Section], record: Any, pictures: Path) -> None:
    """Draw the pictures about all papers; without sections, only those of `make bench`."""
    pictures.mkdir(parents=True, exist_ok=True)
    if sections:
        verdicts = matrix.frame(record for each in sections for record in each.records)
        files.save(matrix.draw([each.paper for each in sections], verdicts), pictures / "claims")
    files.save(speed.ratios(record["kernels"] if record else ()), pictures / "speed")
    files.save(speed.growth(record["growth"] if record else ()), pictures / "growth")


def speed_record(path: Path) -> Any:
    """Read the record of `make bench`.

    Raises
    ------
    ConfigError
        It does not match its schema.
    DamagedFile
        It is not JSON.
    """
    record = read_json_file(path)
    check(record, RATIOS)
    return record


def section(paper: Paper, claims: Path, audits: Path, figures: Path) -> Section:
    """All data that the pages show about a paper whose figures are in a folder.

    Raises
    ------
    DamagedFile
        A file is missing or was not written by a stage.
    """
    judged, audited = read_json_file(claims), read_json_file(audits)["records"]
    return Section(
        paper=paper,
        records=judged["records"],
        measurements=judged["measurements"],
        audits=audited,
        figures={place: overlay_of(figures / f"{name}.svg") for name, place in paper.pictures.items()},
        findings=findings(paper.key, text_of(paper.key), judged["records"], audited),
    )


def overlay_of(path: Path) -> Overlay:
    """The data values of a drawn figure. Raises DamagedFile if it is missing or is not a figure."""
    try:
        return overlay(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DamagedFile(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise DamagedFile(f"{path}: {error}. Delete it and run again.") from None


def costs_of(plan: Plan, benchmarks: Path, budgets: Mapping[str, float], logs: Path, scale: str) -> Costs:
    """The cost of the jobs of a plan, as far as benchmark files exist."""
    found = list(measured(benchmarks, plan))
    return costs(plan, found, {job.name: compiling(logs, scale, job.name) for job in found}, budgets)
