"""Metadata of a certificate: a Workflow Run RO-Crate 0.5 (https://w3id.org/ro/wfrun/workflow/0.5).

Two recommended properties are left out. The person who ran the workflow is unknown. The time of the run would differ
between runs with equal results; its duration is in `times.csv`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from dpbandits.certificate.citation import Citation

VERSION = "1.1"  # RO-Crate version on which the profiles are based
PROFILES = (
    ("https://w3id.org/ro/wfrun/process/0.5", "Process Run Crate", "0.5"),
    ("https://w3id.org/ro/wfrun/workflow/0.5", "Workflow Run Crate", "0.5"),
    ("https://w3id.org/workflowhub/workflow-ro-crate/1.0", "Workflow RO-Crate", "1.0"),
)
PARAMETER = "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"
WORKFLOW = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
MAIN = "Snakefile"
RUN = "#run"
INPUTS = ("config/", "notebooks/", "profiles/")
RESULTS = ("audit/", "claims/", "figures/")
FORMATS = {
    ".cff": "application/yaml",
    ".csv": "text/csv",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".svg": "image/svg+xml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


@dataclass(frozen=True)
class Content:
    """A file of the certificate. Files that vary from run to run have neither digest nor size."""

    path: str
    says: str
    digest: str = ""
    size: int = 0


def metadata(
    citation: Citation,
    scale: str,
    parameters: Mapping[str, Any],
    contents: Iterable[Content],
    software: Mapping[str, str],
    python: str,
) -> dict[str, Any]:
    """Values of `ro-crate-metadata.json`, in a fixed order.

    Parameters
    ----------
    parameters : parameters of the run, by name.
    software : versions of the required distributions by name, including `snakemake`.
    """
    crate = ROCrate(version=VERSION)
    crate.metadata.extra_terms.update(TERMS)
    root = crate.root_dataset
    root["name"] = f"{citation.title}; certificate of the scale {scale}"
    root["description"] = (
        f"Records, figures and digests of one run at the scale {scale}, with the workflow, the configuration and the "
        "notebooks that made them. manifest-sha256.txt lists all results whose bytes are the same in every run, "
        "environment.json the software; `dpbandits verify` compares results with them."
    )
    root["datePublished"] = citation.released
    files = {each.path: crate.add_file(None, each.path, properties=properties(each)) for each in contents
             if each.path != MAIN}  # fmt: skip
    main = next(each for each in contents if each.path == MAIN)
    named_by = {"name": citation.title, "version": citation.version, "conformsTo": {"@id": WORKFLOW}}
    workflow = crate.add_workflow(None, MAIN, main=True, lang="snakemake", lang_version=software["snakemake"],
                                  properties={**properties(main), **named_by})  # fmt: skip
    authors = [named(crate, f"#author-{number}", each.name, each.person, each.orcid)
               for number, each in enumerate(citation.authors, 1)]  # fmt: skip
    licence = licensed(crate, citation.license)
    for entity in (root, workflow):
        entity["author"], entity["license"] = authors, licence
    root["publisher"] = authors[0]
    files["README.md"]["about"] = root
    if citation.repository:
        workflow["url"] = {"@id": citation.repository}
    root["conformsTo"] = [profile(crate, *each) for each in PROFILES]
    workflow["softwareRequirements"] = applications(crate, software, python)
    values = [formal(crate, workflow, name, value) for name, value in parameters.items()]
    action = crate.add_action(
        workflow,
        RUN,
        object=[*(entity for path, entity in files.items() if path.startswith(INPUTS)), *values],
        result=[entity for path, entity in files.items() if path.startswith(RESULTS)],
        properties={
            "@type": "CreateAction",
            "name": f"Run of the scale {scale}",
            "description": f"All papers simulated, judged, audited and drawn at the scale {scale}.",
            "actionStatus": "http://schema.org/CompletedActionStatus",
        },
    )
    root["mentions"] = [action]
    return in_order(crate.metadata.generate())


def licensed(crate: ROCrate, name: str) -> ContextEntity:
    """Entity of the license."""
    says = {"@type": "CreativeWork", "name": name, "description": "The licence, in the file LICENSE"}
    return crate.add(ContextEntity(crate, f"https://spdx.org/licenses/{name}", says))


def applications(crate: ROCrate, software: Mapping[str, str], python: str) -> list[ContextEntity]:
    """Entities of Python and the distributions, by name."""
    return [
        application(crate, "https://www.python.org/", "Python", python),
        *(
            application(crate, f"https://pypi.org/project/{name}/{version}/", name, version)
            for name, version in sorted(software.items())
        ),
    ]


def properties(content: Content) -> dict[str, Any]:
    """Properties of a file: size and checksum if known, description and format."""
    kept = {"contentSize": str(content.size), "sha256": content.digest} if content.digest else {}
    encoding = FORMATS.get(PurePosixPath(content.path).suffix, "text/plain")
    return {"name": content.path, "description": content.says, "encodingFormat": encoding, **kept}


def named(crate: ROCrate, identifier: str, name: str, person: bool, orcid: str) -> Entity:
    """Entity of a person, under the ORCID if there is one, or of an organization."""
    identifier = f"https://orcid.org/{orcid}" if orcid else identifier
    return crate.add(ContextEntity(crate, identifier, {"@type": "Person" if person else "Organization", "name": name}))


def profile(crate: ROCrate, identifier: str, name: str, version: str) -> Entity:
    """Entity of a profile that the certificate conforms to."""
    return crate.add(ContextEntity(crate, identifier, {"@type": "CreativeWork", "name": name, "version": version}))


def application(crate: ROCrate, identifier: str, name: str, version: str) -> Entity:
    """Entity of a piece of software with its version."""
    described = {"@type": "SoftwareApplication", "name": name, "url": {"@id": identifier}, "softwareVersion": version}
    return crate.add(ContextEntity(crate, identifier, described))


def formal(crate: ROCrate, workflow: Entity, name: str, value: Any) -> Entity:
    """Add a parameter of the workflow and its value in this run; return the value's entity."""
    kind = "Integer" if isinstance(value, int) else "Text"
    parameter = crate.add_formal_parameter(name, kind, f"#parameter-{name}", valueRequired=True)
    described = {"@type": "PropertyValue", "name": name, "value": value, "exampleOfWork": {"@id": parameter.id}}
    given = crate.add(ContextEntity(crate, f"#value-{name}", described))
    parameter["workExample"] = given
    workflow.append_to("input", parameter)
    return given


def in_order(record: Mapping[str, Any]) -> dict[str, Any]:
    """Entities by name, after the two that every crate starts with; references are sorted too."""
    graph = [{key: in_line(value) for key, value in entity.items()} for entity in record["@graph"]]
    first = ["ro-crate-metadata.json", "./"]

    def rank(entity: Mapping[str, Any]) -> tuple[int, str]:
        name = entity["@id"]
        return (first.index(name) if name in first else len(first), name)

    return {"@context": record["@context"], "@graph": sorted(graph, key=rank)}


def in_line(value: Any) -> Any:
    """Value of a property: references sorted by name, or the single one."""
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        return value
    return value[0] if len(value) == 1 else sorted(value, key=lambda each: each["@id"])
