"""Judge claims from the tables and records that a certificate holds, with its configuration."""

import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.base.digests import file_digest
from dpbandits.base.parquet import write_table
from dpbandits.base.storage import checksum_file, read_record, write_text
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import curves
from dpbandits.config.loading import Paper, Project, load_project
from dpbandits.config.own_code import KINDS
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.regular_files import read_yaml_file
from dpbandits.planning.pilots import shown_in_pilot
from dpbandits.stages.judge import judge


def configured(certificate: Path, scale: str, own_code: bool) -> Project:
    """The configuration that a certificate holds.

    Parameters
    ----------
    own_code : whether code that the configuration names may be run.

    Raises
    ------
    ConfigError
        The configuration is invalid, or names code that may not be run.
    """
    for path in sorted((certificate / "config/papers").glob("*.yaml")) if not own_code else ():
        record = read_yaml_file(path, str(path))
        if named := [key for key in KINDS if isinstance(record, dict) and record.get(key)]:
            says = "names own code, which would be run. Read it first, then add --own-code."
            raise ConfigError(f"{path}: {named[0]}: {says}")
    return load_project(certificate, {"scale": scale})


def table_of(certificate: Path, paper: Paper, experiment: str) -> Path:
    """The certified table of runs of an experiment."""
    return certificate / f"figures/{paper.key}/data/{experiment}.parquet"


def judged(
    project: Project,
    paper: Paper,
    certificate: Path,
    claims: Collection[str] | None = None,
    tables: Mapping[str, Mapping[str, np.ndarray]] | None = None,
) -> dict[str, Any]:
    """New claim records of a paper, from certified tables and audits.

    Parameters
    ----------
    claims : names of the claims to judge; all claims and measurements if None.
    tables : experiment -> columns that replace its certified table.

    Raises
    ------
    DamagedFile
        A table or record is missing or damaged.
    """
    chosen = {name: claim for name, claim in paper.claims.items() if claims is None or name in claims}
    with tempfile.TemporaryDirectory() as folder:
        found = {name: linked(table_of(certificate, paper, name), Path(folder)) for name in paper.experiments}
        for name, columns in (tables or {}).items():
            found[name].unlink()
            write_table(found[name], columns, {})
        out = Path(folder) / "claims.json"
        judge(
            paper.key,
            project.scale,
            chosen,
            paper.measurements if claims is None else {},
            paper.rules,
            {name: figure.claims for name, figure in paper.figures.items()},
            {name: curves(project, paper, name) for name in paper.experiments},
            {name: entry.calibrations for name, entry in TABLE.items()},
            found,
            certificate / f"audit/{paper.key}.json",
            out,
            shown_in_pilot(project, paper.key),
        )
        return read_record(out)


def linked(table: Path, folder: Path) -> Path:
    """A link to a certified table, with the checksum file that the stage judge asks for."""
    link = folder / table.name
    link.symlink_to(table.resolve())
    write_text(checksum_file(link), f"{file_digest(table)}  {table.name}\n")
    return link
