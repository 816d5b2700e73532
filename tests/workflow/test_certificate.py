"""The certificate of a finished run: accepted by an external validator, by `verify`, and when moved elsewhere."""

import getpass
import json
import os
import platform
import re
import shutil
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from dpbandits.base.digests import file_digest
from dpbandits.base.storage import CHECKSUMS, join_checksums, read_record, write_checksum, write_record, write_text
from dpbandits.certificate import manifest
from tests import patience

from .project import ROOT, copy

CERTIFICATE = "results/smoke/certificate"
LEFT_OUT = {
    "The Action SHOULD have an agent that is a Person or Organization": "who ran it is not known",
    "The Action SHOULD have an endTime in ISO 8601 format": "when is no result",
    "The Application SHOULD have a url": "no address is published",
    "The organization SHOULD have a URL.": "no address is published",
    "The SoftwareApplication id SHOULD be an absolute URI": "the main workflow is a file of the crate",
}
"""Recommendations that are not followed, and why."""


def test_the_validator_of_the_format_finds_nothing_that_is_required(ended, say):
    validator = Path(sys.prefix) / "crate/bin/python"
    assert validator.exists(), "make setup-dev"
    script, context = Path(__file__).with_name("validate_crate.py"), files("rocrate") / "data/ro-crate.jsonld"
    command = [validator, script, ended.root / CERTIFICATE, str(context)]
    done = patience.run(command)
    assert done.returncode == 0, done.stderr
    issues = json.loads(done.stdout.splitlines()[-1])
    assert [text for level, text in issues if level != "RECOMMENDED"] == []
    for text, many in sorted(Counter(text for _, text in issues).items()):
        say(f"certificate, recommended: {text} ({many})")
    assert {text for _, text in issues} <= set(LEFT_OUT)


def test_a_damaged_crate_is_not_accepted_by_the_validator(finished, tmp_path):
    """The validator judges what it can check offline: no main workflow, no license, no date."""
    record = json.loads((finished.root / CERTIFICATE / "ro-crate-metadata.json").read_text(encoding="utf-8"))
    for entity in record["@graph"]:
        if entity["@id"] == "./":
            for key in ("mainEntity", "license", "datePublished"):
                del entity[key]
    (tmp_path / "ro-crate-metadata.json").write_text(json.dumps(record), encoding="utf-8")
    script, context = Path(__file__).with_name("validate_crate.py"), files("rocrate") / "data/ro-crate.jsonld"
    command = [Path(sys.prefix) / "crate/bin/python", script, tmp_path, str(context)]
    done = patience.run(command)
    required = " ".join(text for level, text in json.loads(done.stdout.splitlines()[-1]) if level == "REQUIRED")
    for word in ("mainEntity", "license", "datePublished"):
        assert word in required


def test_the_results_are_as_certified(ended):
    output = ended.call("dpbandits", "verify", "results/smoke")
    assert re.match(
        r"All \d+ files of the scale smoke match the certificate\.\nCertificate: SHA-256 [0-9a-f]{64} of", output
    )


def test_a_certificate_by_itself_is_whole_and_its_claims_can_be_computed_again(finished, tmp_path):
    """Unpacked elsewhere; the runs of a claim are played, an audit is rerun, and a changed run is found."""
    own = tmp_path / "certificate"
    shutil.copytree(finished.root / CERTIFICATE, own)
    said = finished.call("dpbandits", "verify", str(own), "--judge")
    assert said.startswith("All files of this certificate of the scale smoke are whole.\nJudged again: all ")
    (key,) = (path.stem for path in (own / "claims").iterdir())
    records = read_record(own / f"claims/{key}.json")["records"]
    audits = read_record(own / f"audit/{key}.json")["records"]
    statistical = next(each for each in records if each["kind"] == "statistical" and not each["variant"])
    name = statistical["id"]
    for each in (name, audits[0]["audit"]):
        found = json.loads(finished.call("dpbandits", "verify", str(own), "--recompute", each, "--json"))
        assert found
        assert all(case["same"] and case["relative"] == 0.0 and case["runs"] > 0 for case in found)
    said = finished.call("dpbandits", "verify", str(own), "--recompute", name, "--seeds", "1")
    assert re.search(rf"^{re.escape(name)} \(.*\): REPRODUCED\n  played .* runs, 1 of 2 seeds$", said, re.M)
    finished.call("dpbandits", "verify", str(own), "--recompute", audits[0]["audit"], "--seeds", "3", code=2)
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--cores", "1", "--logger", "dpbandits"]
    source = {**os.environ, "PYTHONPATH": str(own / "src")}
    plan = patience.run([*command, "--config", "scale=smoke"], cwd=own, env=source)
    assert re.search(r"^all +\d+", plan.stdout, re.M), plan.stderr
    shutil.rmtree(own / ".snakemake")
    table = own / f"figures/{key}/data" / Path(statistical["evidence"]["table"]).name
    found = pq.read_table(table)
    values, place = found["regret"].to_numpy(), found.schema.get_field_index("regret")
    for factor, code, verdict in ((1.0 + 2.0**-23, 0, "REPRODUCED"), (1.0 + 1e-5, 1, "DIFFERS")):
        turned = pa.array((values * factor).astype(np.float32))
        pq.write_table(found.set_column(place, found.schema.field(place), turned), table)
        list_again(own)
        said = finished.call("dpbandits", "verify", str(own), "--recompute", name, code=code)
        assert re.search(rf"^{re.escape(name)} \(.*\): {verdict}\n  played .* runs, 2 of 2 seeds$", said, re.M)
    assert re.search(r"^  numbers differ by at most 1e-05 \(relative\)$", said, re.M)
    claim = next(each["id"] for each in records if each["kind"] == "audit" and not each["variant"])
    changed = read_record(own / f"audit/{key}.json")
    for each in changed["records"]:
        each["verdict"] = "no power"
    write_record(own / f"audit/{key}.json", changed)
    list_again(own)
    assert "DIFFERS" in finished.call("dpbandits", "verify", str(own), "--recompute", claim, code=1)


def test_verdicts_that_do_not_follow_from_the_tables_are_named(finished, tmp_path):
    """A forger changes verdicts everywhere, and all checksums with them."""
    folder = tmp_path / "smoke"
    shutil.copytree(finished.root / "results/smoke", folder)
    own = folder / "certificate"
    said = finished.call("dpbandits", "verify", str(folder), "--judge")
    assert re.search(r"^Judged again: all \d+ verdicts on claims and \d+ of audits follow from", said, re.M)
    (key,) = (path.stem for path in (own / "claims").iterdir())
    record = read_record(own / f"claims/{key}.json")
    forged = record["records"][0]
    forged["verdict"] = "fails" if forged["verdict"] == "holds" else "holds"
    names = [f"claims/{key}.json", f"figures/{key}/data/claims.json"]
    for place in [base / name for base in (folder, own) for name in names if (base / name).exists()]:
        write_record(place, record)
    listed = manifest.parse((own / "manifest-sha256.txt").read_text(), "manifest")
    changed = {f"results/smoke/{name}": file_digest(folder / name) for name in names}
    (own / "manifest-sha256.txt").write_text(manifest.text(listed | changed))
    list_again(own)
    assert "files of the scale smoke match the certificate." in finished.call("dpbandits", "verify", str(folder))
    said = finished.call("dpbandits", "verify", str(folder), "--judge", code=1)
    assert re.search(r"^Judged again: .*, 1 do not follow \(certified -> derived\):\n  " + forged["id"], said, re.M)


def list_again(certificate):
    """Give the metadata of a certificate the checksums that its files have now."""
    place = certificate / "ro-crate-metadata.json"
    crate = json.loads(place.read_text(encoding="utf-8"))
    for entity in crate["@graph"]:
        if "sha256" in entity:
            path = certificate / entity["@id"]
            entity |= {"sha256": file_digest(path), "contentSize": str(path.stat().st_size)}
    place.write_text(json.dumps(crate), encoding="utf-8")


@pytest.mark.slow
def test_the_certificate_of_one_paper_is_none_of_all(whole, finished):
    """Two runs of the same sources: shared files have the same bytes, and files missing in one are reported."""
    text = finished.call(
        "dpbandits", "verify", "results/smoke", "--json", "--certificate", str(whole.root / CERTIFICATE), code=1
    )
    record = json.loads(text)
    both = [each for each in record["differences"] if each["is"] == "differs"]
    of_all = ("results/smoke/audit/all.csv", "results/smoke/figures/claims.", "results/smoke/report/")
    assert [each["file"] for each in both if not each["file"].startswith(of_all)] == []
    others = [key for key in whole.project().papers if key != "hanna2022"]
    of_paper = ("config/allocations/{}.yaml", "config/papers/{}.yaml", "config/pilots/{}.json", "notebooks/{}.ipynb")
    lost = [f"{name.format(key)}: is missing" for key in others for name in of_paper]
    assert sorted(record["environment"]) == sorted(["config/config.yaml: differs", *lost])


def test_a_lost_certificate_is_made_again_alone_and_is_the_same(finished, tmp_path):
    project = copy(tmp_path, source=False, of=finished)
    folder = project.root / CERTIFICATE
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "times.csv"}
    assert len(before) > 50
    figures, other = project.root / "results/smoke/figures", "other2020/data/claims.json"
    write_text(figures / other, "{}")
    write_checksum(figures / other)
    join_checksums(figures, [other])
    listed = (figures / CHECKSUMS).read_bytes()
    for path in before:
        path.unlink()
    (folder / "times.csv").unlink()
    assert set(project.planned(CERTIFICATE)) == set(), "Snakemake looks at the folder alone"
    project.call("rm", "-r", CERTIFICATE)
    assert project.planned() == {"certificate": 1, "replicate": 1}
    project.snakemake()
    assert {path: path.read_bytes() for path in before} == before
    assert (figures / CHECKSUMS).read_bytes() == listed, "with the data of a paper that is not in this run"
    assert other.encode() in listed


def test_a_lost_picture_of_all_verdicts_is_made_again(finished, tmp_path):
    project = copy(tmp_path, source=False, of=finished)
    (project.root / "results/smoke/figures/claims.svg").unlink()
    assert project.planned() == {"report": 1, "certificate": 1, "replicate": 1}


def test_codecheck_names_every_paper_and_figure(ended):
    record = yaml.safe_load((ended.root / CERTIFICATE / "codecheck.yml").read_text(encoding="utf-8"))
    papers = ended.project().papers
    assert [paper["title"] for paper in record["dpbandits_papers"]] == [paper.title for paper in papers.values()]
    listed = {entry["file"] for entry in record["manifest"]}
    for key, paper in papers.items():
        assert {f"figures/{key}/{name}.svg" for name in paper.pictures} <= listed
    for file in listed:
        assert (ended.root / CERTIFICATE / file).is_file()


@pytest.mark.parametrize("copies", [False, True])
def test_nothing_names_machine_user_or_folder(ended, copies):
    words = {platform.node(), getpass.getuser()} - {"root"}  # it is also an ordinary word of ours
    folder = ended.root / CERTIFICATE
    found = [path for path in folder.rglob("*") if path.is_file()]
    made = [
        path for path in found if (path.parent == folder and path.suffix in (".json", ".csv", ".txt", ".yml", ".md"))
    ]
    for path in found if copies else made:
        text = path.read_bytes().decode(errors="replace")
        assert not [place for place in (str(ended.root), str(ROOT), f"{Path.home()}/") if place in text], path
        if not copies:
            assert not [word for word in words if re.search(rf"\b{re.escape(word)}\b", text)], path
