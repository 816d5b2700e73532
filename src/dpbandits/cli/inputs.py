"""Check the inputs of a stage against the current configuration and sources."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.base.storage import read_record
from dpbandits.config.curves import Curve
from dpbandits.config.grid import curves
from dpbandits.config.loading import Project
from dpbandits.planning import dependencies

if TYPE_CHECKING:
    from dpbandits.stages.chunks import Made


def demand(
    project: Project,
    key: str,
    tables: Path,
    runs: Collection[str] = (),
    summaries: Collection[str] = (),
    claims: Path | None = None,
    audits: Path | None = None,
) -> None:
    """Compare the inputs of a stage for one paper with the expected ones, and quarantine those that differ.

    Parameters
    ----------
    tables : folder of the tables.
    runs, summaries : the experiments whose tables of runs, and summaries, are inputs.
    claims, audits : records.

    Raises
    ------
    DamagedFile
        Some inputs are damaged or differ from the expected ones.
    """
    from dpbandits.stages import quarantine

    wanted = {}
    for kind, ending, names in ((quarantine.RUNS, "", runs), (quarantine.SUMMARY, ".summary", summaries)):
        for name in names:
            own = curves(project, project.papers[key], name)
            heading = quarantine.heading(kind, own, project.root_seed, sources_of(own))
            wanted[tables / f"{name}{ending}.parquet"] = heading
    quarantine.demand_tables(wanted)
    of_claims = {claims: {"paper": key, "scale": project.scale}} if claims else {}
    quarantine.demand_records(of_claims | ({audits: {"paper": key}} if audits else {}))


def sources_of(own: Iterable[Curve]) -> dict[str, str]:
    """Digest of the sources behind the runs of each curve, by its folder. Bounds have none."""
    return {curve.folder: dependencies.digest(dependencies.simulate(curve)) for curve in own if not curve.bound}


def needs_noise(curve: Curve) -> bool:
    """Whether the runs of a curve depend on a file of certified noise."""
    return curve.calibration == "certified" and not curve.bound


def chunks_made(project: Project, own: Collection[Curve], noise: Path) -> "Mapping[str, Made]":
    """How the chunks of each curve are currently made, by folder; `noise` is the folder of certified noise."""
    from dpbandits.stages.chunks import Made
    from dpbandits.stages.quarantine import demand_records

    sources = sources_of(own)
    files = {curve.folder: noise / curve.noise_name for curve in own if needs_noise(curve)}
    demand_records({path: {} for path in files.values()})
    certified = {
        folder: frozenset(entry["noise"] for entry in read_record(path)["entries"]) for folder, path in files.items()
    }
    return {folder: Made(project.root_seed, source, certified.get(folder)) for folder, source in sources.items()}
