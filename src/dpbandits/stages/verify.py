"""Stage verify: compare results with a certificate and report the differences. Nothing is written."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dpbandits.base.digests import file_digest
from dpbandits.base.snakemake_files import TIMESTAMP
from dpbandits.base.storage import DamagedFile, checksum_file, digest_of_record, manifest_of, marker
from dpbandits.certificate import contents, manifest
from dpbandits.certificate.comparison import (
    Difference,
    Outcome,
    audit_changes,
    claim_changes,
    column_changes,
    environment_changes,
    shortened,
    verdicts_changed,
)
from dpbandits.certificate.contents import METADATA
from dpbandits.config.loading import SCALES
from dpbandits.config.regular_files import OF_JSON, OF_TABLES, demand, fault_of, read_json_file
from dpbandits.config.wording import got, not_known
from dpbandits.stages.certificate import DESCRIPTIONS, MANIFEST, VARYING, found_below, placed

Changes = tuple[list[str], float | None]
MOST_ROWS = 10_000_000
"""Largest number of rows for which table values are compared; this project's largest table has a tenth of it."""
MARKS = (marker("certificate"), TIMESTAMP)
"""Files that writing a certificate leaves in its folder."""
OF_A_RUN = ("results", "logs", ".venv", ".cache", ".snakemake", ".git", ".pytest_cache", ".hypothesis")
"""Folders that a run or its tests make in the folder of a certificate."""
COMPILED = "__pycache__"
"""Folder in which Python keeps compiled modules."""
DAMAGED = "the certificate is damaged. Restore it from a copy."


def verify(
    folder: Path,
    certificate: Path,
    project: Path | None,
    here: Callable[[], tuple[Mapping[str, Any], Mapping[str, Any]]],
) -> Outcome:
    """Compare results with a certificate.

    If the results have a certificate of their own, its environment and inputs are compared instead of `here` and
    `project`.

    Parameters
    ----------
    folder : results of a scale. Figures are expected in its `figures/`; those of `full` may be at the top instead.
    project : the folder whose configuration and notebooks are compared, if there is one.
    here : returns software and machine of this process.

    Raises
    ------
    DamagedFile
        The certificate is missing or damaged.
    """
    entities = whole(certificate)
    made, scale = mapping(certificate / "environment.json"), scale_of(certificate)
    figures = folder / "figures"
    if scale == "full" and not figures.is_dir():
        figures = folder.resolve().parent.parent / "figures"
    expected = certified(certificate, scale)
    found = {name: placed(name, folder, figures) for name in expected}
    differences = [*differing(expected, found, certificate, entities, scale)]
    differences += [
        Difference(contents.place(name, scale), "additional")
        for name in present(folder, figures)
        if name not in expected
    ]
    own = folder / "certificate"
    apart = own.resolve() != certificate.resolve() and (own / "environment.json").is_file()
    try:
        new, other = (mapping(own / "environment.json"), mapping(own / "machine.json")) if apart else here()
        named = folder.resolve().name
        new = {**({"scale": named} if named in SCALES else {}), **new}
        told = environment_changes(made, new, mapping(certificate / "machine.json"), other)
    except DamagedFile as fault:
        if differences:
            raise
        told = [str(fault)]  # the results themselves match the certificate
    return Outcome(
        scale,
        len(expected) - sum(each.what != "additional" for each in differences),
        tuple(differences),
        (*told, *other_inputs(entities, own if apart else project)),
        verdicts(expected, found, certificate),
        (*bare_tables(found.values()), *lost_runs(folder)),
        file_digest(certificate / METADATA),
        unlisted(certificate, entities),
    )


def verify_alone(certificate: Path) -> Outcome:
    """Check that a certificate is whole, without results to compare. Raises like `verify`."""
    entities = whole(certificate)
    identity = file_digest(certificate / METADATA)
    return Outcome(scale_of(certificate), 0, (), identity=identity, unlisted=unlisted(certificate, entities))


def scale_of(certificate: Path) -> str:
    """Scale of the results of a certificate."""
    path = certificate / "environment.json"
    scale = mapping(path).get("scale")
    if scale not in SCALES:
        raise DamagedFile(f"{path}: scale: {not_known('', scale, SCALES)}")
    return str(scale)


def unlisted(certificate: Path, entities: Collection[str]) -> tuple[str, ...]:
    """Files of a certificate that its metadata do not list, without those of a run or an environment in its folder."""
    known = {*entities, *VARYING, METADATA, *MARKS}
    return tuple(
        name
        for name in found_below(certificate)
        if name not in known and name.partition("/")[0] not in OF_A_RUN and COMPILED not in name.split("/")
    )


def whole(certificate: Path) -> dict[str, str]:
    """Digest by path of the files of a certificate, after checking that all of them exist and are undamaged."""
    if not certificate.is_dir():
        raise DamagedFile(
            f"{certificate}: is not a folder; must be a certificate. Use --certificate DIR to name another one."
        )
    path = certificate / METADATA
    graph = mapping(path).get("@graph")
    if not isinstance(graph, list) or not all(isinstance(entity, dict) for entity in graph):
        raise DamagedFile(f"{path}: @graph: missing or not a list of mappings; {DAMAGED}")
    listed = {unquote(str(entity.get("@id"))): entity for entity in graph if "sha256" in entity}
    kept = {name: str(entity["sha256"]) for name, entity in listed.items()}
    if missing := [name for name in DESCRIPTIONS if name not in kept]:
        raise DamagedFile(f"{path}: @graph: does not list {missing[0]}; {DAMAGED}")
    for name, digest in kept.items():
        if not manifest.inside(name):
            raise DamagedFile(f"{path}: @graph: {got(name, 'must be a path below the folder')}")
        if not (certificate / name).is_file():
            raise DamagedFile(f"{certificate / name}: is missing; {DAMAGED}")
        demand([certificate / name], OF_TABLES)
        size = (certificate / name).stat().st_size
        if listed[name].get("contentSize") != str(size) or file_digest(certificate / name) != digest:
            raise DamagedFile(f"{certificate / name}: does not match its checksum in {METADATA}; {DAMAGED}")
    for name in VARYING:
        if not (certificate / name).is_file():
            raise DamagedFile(f"{certificate / name}: is missing; {DAMAGED}")
    return kept


def mapping(path: Path) -> Mapping[str, Any]:
    """Read a JSON file that holds a mapping. Pipes and devices are refused, since reading them might never end."""
    if path.exists() and not path.is_file():
        raise DamagedFile(f"{path}: is not a regular file; must be a JSON file")
    try:
        found = read_json_file(path)
    except RecursionError:
        raise DamagedFile(f"{path}: is nested too deeply; must be a mapping as the stages write it") from None
    if not isinstance(found, dict):
        raise DamagedFile(f"{path}: {got(found, 'must be a mapping')}")
    return found


def certified(certificate: Path, scale: str) -> dict[str, str]:
    """Digest by name, such as `tables/...`, of the results that the manifest lists."""
    path = certificate / MANIFEST
    demand([path], OF_JSON)
    found = {}
    for place, digest in manifest.parse(path.read_text(encoding="utf-8", errors="replace"), str(path)).items():
        name = contents.name_of(place, scale)
        if name is None:
            raise DamagedFile(f"{path}: {got(place, f'must be a result of the scale {scale}')}")
        found[name] = digest
    return found


def present(folder: Path, figures: Path) -> Iterator[str]:
    """Names of the existing results that a certificate would compare."""
    for part in contents.COMPARED:
        base = figures if part == "figures" else folder / part
        yield from (name for name in (f"{part}/{inner}" for inner in found_below(base)) if contents.compared(name))


def differing(
    expected: Mapping[str, str], found: Mapping[str, Path], certificate: Path, entities: Mapping[str, str], scale: str
) -> Iterator[Difference]:
    """Yield the files that are missing or have different bytes."""
    for name, digest in expected.items():
        place, path = contents.place(name, scale), found[name]
        if not path.is_file():
            yield Difference(place, "missing")
        elif too_large := fault_of(path, OF_TABLES):
            yield Difference(place, "differs", (f"it {too_large}",))
        elif another(path, certificate / name if contents.copied(name) and name in entities else None, digest):
            copy = contents.copy_of(name)
            changes, relative = changed(name, certificate / copy, path) if copy in entities else (["its bytes"], None)
            yield Difference(place, "differs", shortened(changes), relative)


def another(path: Path, copy: Path | None, digest: str) -> bool:
    """Whether a file's bytes differ from the digest; compares sizes with `copy` first, if there is one."""
    return (copy is not None and path.stat().st_size != copy.stat().st_size) or file_digest(path) != digest


def changed(name: str, old: Path, new: Path) -> Changes:
    """How a result differs from its copy in the certificate; reports damaged files as damaged."""
    try:
        if name.endswith(".parquet"):
            rows = [pq.read_metadata(path).num_rows for path in (old, new)]
            if rows[0] != rows[1]:
                return [f"{rows[0]} -> {rows[1]} rows"], None
            if rows[0] > MOST_ROWS:
                return [f"its bytes; {rows[0]} rows are too many to compare"], None
            return column_changes(columns(old), columns(new), whole=name.startswith("figures/"))
        if name.endswith(".json"):
            kind = claim_changes if "claims" in name else audit_changes
            return kind(mapping(old), mapping(new)), None
    except (DamagedFile, pa.ArrowException, OSError, KeyError, TypeError, ValueError, AttributeError):
        return ["it is damaged: it cannot be read"], None
    return ["its bytes"], None


def other_inputs(entities: Mapping[str, str], root: Path | None) -> Iterator[str]:
    """Yield the configuration files and notebooks that differ between the certificate and a folder."""
    for name, digest in entities.items():
        if root is None or not name.startswith(("config/", "notebooks/")) or name.endswith(".md"):
            continue
        if not (root / name).is_file():
            yield f"{name}: is missing"
        elif fault_of(root / name, OF_JSON) or file_digest(root / name) != digest:
            yield f"{name}: differs"


def columns(path: Path) -> dict[str, np.ndarray]:
    """Columns of a table, whether or not it matches its checksum."""
    table = pq.ParquetFile(path).read()
    return {name: table[name].to_numpy() for name in table.column_names}


def bare_tables(paths: Iterable[Path]) -> Iterator[str]:
    """Yield tables without a recorded digest; the stages would treat them as damaged."""
    for path in paths:
        if path.suffix == ".parquet" and path.is_file() and digest_of_record(path) is None:
            listing, name = manifest_of(path), "/".join(path.parts[-3:])
            yield f"{listing}: lacks {name}" if listing.is_file() else f"{checksum_file(path)}: is missing"


def lost_runs(folder: Path) -> Iterator[str]:
    """Yield the chunks of runs that receipts list but that are missing, lack a checksum, or differ.

    Only checked if the folder of all runs exists; copied results may lack it.
    """
    curves = folder.parent / "curves"
    for receipt in sorted((folder / "runs").glob("*/*.json")) if curves.is_dir() else ():
        try:
            listed = mapping(receipt)
        except DamagedFile as fault:
            yield str(fault)
            continue
        for file, digest in listed.items():
            path = curves / receipt.parent.name / file
            if not path.is_file() or not checksum_file(path).is_file():
                yield f"{path if not path.is_file() else checksum_file(path)}: is missing"
            elif checksum_file(path).read_text(encoding="utf-8", errors="replace").split()[:1] != [digest]:
                yield f"{path}: differs from the file that the results were computed from"


def verdicts(expected: Mapping[str, str], found: Mapping[str, Path], certificate: Path) -> tuple[int, int] | None:
    """Number of certified verdicts, and how many differ now; None if records are missing or damaged."""
    total = changes = 0
    for name in expected:
        if not name.startswith("claims/"):
            continue
        try:
            old, new = (mapping(path)["records"] for path in (certificate / name, found[name]))
            total, changes = total + len(old), changes + verdicts_changed(old, new)
        except (DamagedFile, KeyError, TypeError, AttributeError):
            return None
    return total, changes
