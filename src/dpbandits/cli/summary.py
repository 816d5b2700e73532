"""The summary screen at the end of a run."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from dpbandits.cli.project import find_judged_project, record_file, results
from dpbandits.config.loading import SCALES, Project
from dpbandits.config.paper_files import known_keys
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.regular_files import read_json_file, read_yaml_file
from dpbandits.planning.budgets import budgets
from dpbandits.planning.last_run import recorded


@click.command()
@click.pass_context
def summary(ctx: click.Context) -> None:
    """Show the last run on one screen: verdicts by paper, changes, and next steps."""
    project = find_judged_project(ctx)
    if not any(record_file(project, "claims", key).is_file() for key in project.papers):
        path = f"results/{project.scale}/claims"
        raise ConfigError(f"{path}: contains no verdicts yet. Run `make {project.scale}` first.")
    show_summary(project)


def show_summary(project: Project) -> None:
    """Print the summary of a project in which at least one paper was judged."""
    from dpbandits.text.claim_lines import console_of
    from dpbandits.text.run_summary import lines

    papers = judged(project)
    last = recorded(project.root, project.scale)
    page = results(project) / "report/index.html"
    report = (
        page.relative_to(project.root).as_posix()
        if page.is_file()
        else "none yet; `make site` builds one from the committed results"
    )
    console = console_of()
    for line in lines(papers, project.scale, last, report, following(project, papers), console.width):
        console.print(line, soft_wrap=True)


def verdicts_of(project: Project) -> dict[str, str]:
    """All verdicts of a project at its scale, by name."""
    from dpbandits.text.run_summary import verdicts

    files = (record_file(project, "claims", key) for key in project.papers)
    return verdicts([record for file in files if file.is_file() for record in read_json_file(file)["records"]])


def judged(project: Project) -> list[Any]:
    """The papers that have verdicts at the project's scale."""
    from dpbandits.report.findings import findings, text_of
    from dpbandits.text.run_summary import Judged

    found = []
    for key in project.papers:
        claims, audits = (record_file(project, kind, key) for kind in ("claims", "audit"))
        if claims.is_file():
            records = read_json_file(claims)["records"]
            audited = read_json_file(audits)["records"] if audits.is_file() else []
            every = findings(key, text_of(key), records, audited)
            main = next((each.title for each in every if each.decided), f"open: {every[0].title}" if every else "")
            found.append(Judged(key, main, records, audited))
    return found


def following(project: Project, papers: Sequence[Any]) -> list[tuple[str, str]]:
    """Suggested next commands, each with its purpose."""
    place = "config/config.yaml"
    written = read_yaml_file(project.root / place, place)
    scale = "" if written.get("scale") == project.scale else f"--scale {project.scale} "
    every = written.get("papers") or known_keys(project.root)
    chosen = "" if set(every) == set(project.papers) else f" PAPER={','.join(project.papers)}"
    failed = sum(record["verdict"] == "fails" for paper in papers for record in paper.records)
    many = f"all {failed} failures" if failed else "all claims"
    found = [(f"dpbandits {scale}claims{' --failed' * bool(failed)}", many)]
    larger = list(SCALES)[list(SCALES).index(project.scale) + 1 :]
    if larger:
        minutes = sum(budgets(replace(project, scale=larger[0])).values()) / 60
        found.append((f"make {larger[0]}{chosen}", f"more seeds, up to {minutes:.0f} min of CPU time"))
    elif claims := [record["id"] for paper in papers for record in paper.records]:
        found.append((f"dpbandits {scale}explain {claims[0]}", "the numbers behind a verdict"))
    return found
