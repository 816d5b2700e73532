"""Stage report: records, figures, notebooks and benchmark files in, a folder of pages out."""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dpbandits.experiments.config import Paper
from dpbandits.figures import matrix, style
from dpbandits.report.findings import findings, text_of
from dpbandits.report.jinja import source
from dpbandits.report.notebook_page import in_site
from dpbandits.report.overlays import Overlay, overlay
from dpbandits.report.site import Costs, Run, Section, pages
from dpbandits.report.spreadsheets import claims_table
from dpbandits.stages.benchmarks import measured
from dpbandits.storage import DamagedFile, read_json, write_text
from dpbandits.whole_files import replacing_folder

SENT = ("site.css", "site.js")


def report(
    papers: Sequence[Paper],
    scale: str,
    root_seed: int,
    claims: Mapping[str, Path],
    audits: Mapping[str, Path],
    audit_table: Path,
    figures: Mapping[str, Path],
    notebooks: Mapping[str, Path],
    benchmarks: Path,
    measured_jobs: Iterable[str],
    compiled: Iterable[Path],
    out: Path,
    picture: Path,
) -> None:
    """Write the folder of the report, whole or not at all; it holds copies of all that its pages show.

    Parameters
    ----------
    claims, audits, figures, notebooks : by paper: its records of both kinds, the folder of its figures, its page.
    audit_table : the audits of all papers for spreadsheets.
    benchmarks, measured_jobs : folder of Snakemake's benchmark files of this scale, and their names in it.
    compiled : what the stage simulate noted about compiling kernels.
    picture : of all verdicts; `<picture>.svg` and `<picture>.png` are written.
    """
    sections = [section(paper, claims[paper.key], audits[paper.key], figures[paper.key]) for paper in papers]
    with replacing_folder(out) as folder:
        for name, text in pages(sections, Run(scale, root_seed, costs(benchmarks, measured_jobs, compiled))).items():
            write_text(folder / name, text)
        for name in SENT:
            write_text(folder / "static" / name, source(name))
        write_text(folder / "data/claims.csv", claims_table(record for each in sections for record in each.records))
        shutil.copyfile(audit_table, folder / "data/audit.csv")
        for paper in papers:
            notebook = notebooks[paper.key].read_text(encoding="utf-8")
            write_text(folder / "notebooks" / f"{paper.key}.html", in_site(notebook, paper.key))
            (folder / "figures" / paper.key).mkdir(parents=True)
            for name in [*(f"{each}.svg" for each in paper.pictures), *(f"{figure}.csv" for figure in paper.figures)]:
                shutil.copyfile(figures[paper.key] / name, folder / "figures" / paper.key / name)
    picture.parent.mkdir(parents=True, exist_ok=True)
    style.save(matrix.draw(papers, {each.paper.key: each.records for each in sections}), picture)


def section(paper: Paper, claims: Path, audits: Path, figures: Path) -> Section:
    """All that the pages show of a paper, whose figures are in a folder.

    Raises
    ------
    DamagedFile
        A file is missing or is not what a stage wrote.
    """
    judged, audited = read_json(claims), read_json(audits)["records"]
    return Section(
        paper=paper,
        records=judged["records"],
        measurements=judged["measurements"],
        audits=audited,
        figures={place: overlay_of(figures / f"{name}.svg") for name, place in paper.pictures.items()},
        findings=findings(paper.key, text_of(paper.key), judged["records"], audited),
    )


def overlay_of(path: Path) -> Overlay:
    """The values of a drawn figure. DamagedFile: it is missing, or no figure."""
    try:
        return overlay(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DamagedFile(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise DamagedFile(f"{path}: {error}; delete it and run again") from None


def costs(folder: Path, names: Iterable[str], compiled: Iterable[Path]) -> Costs:
    """Sum the benchmark files, of which there are names in a folder, by stage."""
    stages: dict[str, tuple[int, float]] = {}
    for name, _, seconds in measured(folder, names):
        stage = name.partition("/")[0]
        jobs, total = stages.get(stage, (0, 0.0))
        stages[stage] = (jobs + 1, total + seconds)
    return Costs(stages, sum(json.loads(path.read_text(encoding="utf-8"))["seconds"] for path in compiled))
