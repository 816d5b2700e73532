"""Stage certificate: write a folder that describes the results of a scale and how they were computed."""

import csv
import io
import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from dpbandits.base.digests import file_digest
from dpbandits.base.storage import (
    digest_of_record,
    join_checksums,
    replacing_folder,
    write_checksum,
    write_json,
    write_text,
)
from dpbandits.certificate import contents, manifest
from dpbandits.certificate.citation import NAME, citation
from dpbandits.certificate.codecheck import codecheck, outputs
from dpbandits.certificate.contents import METADATA
from dpbandits.certificate.crate import Content, metadata
from dpbandits.certificate.readme import readme
from dpbandits.config.loading import Project
from dpbandits.config.regular_files import read_yaml_file
from dpbandits.stages.provenance import TIMES, environment, machine, required, times
from dpbandits.stages.quarantine import demand_whole

MANIFEST = "manifest-sha256.txt"
DESCRIPTIONS = {
    MANIFEST: "SHA-256 of every result that is the same bytes in every run, from the root of the project",
    "README.md": "What this folder holds",
    "codecheck.yml": "The manifest for a CODECHECK",
    "environment.json": "Software, sources and settings of the run",
}
VARYING = {
    "machine.json": "Class of the machine; not compared",
    "times.csv": "Jobs, wall and CPU seconds by rule and paper; not compared",
}


def certificate(
    project: Project, folder: Path, figures: Path, source: str, benchmarks: Iterable[str], out: Path
) -> None:
    """Write the certificate, and put the checksums of the data beside the figures into one manifest.

    Parameters
    ----------
    folder, figures : results of the scale, and its figures.
    source : digest of all sources of the package.
    benchmarks : names of Snakemake's benchmark files below `benchmarks/` in the results folder.

    Raises
    ------
    DamagedFile
        Data beside the figures are damaged. They are quarantined, so that the next run copies them again.
    """
    scale, cited = project.scale, citation(read_yaml_file(project.root / NAME, NAME))
    data = contents.beside_figures(project.papers.values())
    for path in (figures / name for name in data):
        if digest_of_record(path) is None:  # the manifest was deleted
            write_checksum(path)
    demand_whole(figures / name for name in data)
    results = {name: placed(name, folder, figures) for name in contents.results(project)}
    results |= {name: folder / name for name in found_below(folder, "report") if contents.compared(name)}
    digests = {name: file_digest(path) for name, path in results.items()}
    with replacing_folder(out, "certificate") as new:
        copies = {name: path for name, path in results.items() if contents.copied(name)}
        inputs = {name: project.root / name for name in contents.sources(project)}
        for name, path in (contents.program(project) | inputs | copies).items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, new / name)
        write_text(new / MANIFEST, manifest.text({contents.place(name, scale): each for name, each in digests.items()}))
        write_text(new / "README.md", readme(cited, scale))
        write_text(new / "codecheck.yml", codecheck(cited, project.papers.values(), scale, digests))
        surroundings = environment(project.root, scale, project.root_seed, source)
        write_json(new / "environment.json", surroundings)
        write_json(new / "machine.json", machine())
        text = io.StringIO()
        table = csv.DictWriter(text, TIMES, lineterminator="\n")
        table.writeheader()
        table.writerows(times(folder / "benchmarks", benchmarks))
        write_text(new / "times.csv", text.getvalue())
        shown = dict(outputs(project.papers.values(), scale))
        crate = metadata(
            cited,
            scale,
            {"scale": scale, "root_seed": project.root_seed},
            [described(new, name, shown.get(name, "")) for name in found_below(new)],
            required(project.root),
            surroundings["python"],
        )
        write_text(new / METADATA, json.dumps(crate, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    join_checksums(figures, data)  # last: if this job fails later, Snakemake restores the old manifest


def placed(name: str, folder: Path, figures: Path) -> Path:
    """The path of a result named `figures/...` or `tables/...`."""
    return figures / name.removeprefix("figures/") if name.startswith("figures/") else folder / name


def found_below(folder: Path, part: str = "") -> list[str]:
    """Relative paths of the files in a folder, or in a part of it."""
    return sorted(path.relative_to(folder).as_posix() for path in (folder / part).rglob("*") if path.is_file())


def described(out: Path, name: str, shows: str) -> Content:
    """The description of a certificate file, with digest and size unless the file varies between runs."""
    if name in VARYING:
        return Content(name, VARYING[name])
    path = out / name
    says = shows or DESCRIPTIONS.get(name) or f"As it was in the run: {name}"
    return Content(name, says, file_digest(path), path.stat().st_size)
