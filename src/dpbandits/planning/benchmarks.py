"""Jobs of a scale, by the names of their benchmark files, and the dependencies among them."""

from collections.abc import Mapping

from dpbandits.config.grid import curves
from dpbandits.config.loading import Paper, Project
from dpbandits.planning.bundles import aggregations, audits, calibrations, chunks_of, pictures, simulations

COLLECT = "collect/collect.tsv"
Plan = Mapping[str, tuple[str, ...]]


def plan(project: Project) -> Plan:
    """Jobs that each job waits for, for every job behind the report, following the rules of the workflow.

    Names are `<stage>/<paper>/<number>.tsv`, `<stage>/<paper>.tsv`, `audit/<number>.tsv` and `collect/collect.tsv`.
    """
    found: dict[str, tuple[str, ...]] = {}
    for paper in project.papers.values():
        found |= plan_of_paper(project, paper)
    every = [f"audit/{number}.tsv" for number in range(len(audits(project)))]
    return found | dict.fromkeys(every, ()) | {COLLECT: tuple(every)}


def plan_of_paper(project: Project, paper: Paper) -> Plan:
    """Jobs of one paper with their dependencies. Where one waits for the audit, it waits for the last audit job."""

    def name(stage: str, number: int) -> str:
        return f"{stage}/{paper.key}/{number}.tsv"

    noise = {
        curve.noise_name: name("calibrate", k) for k, each in enumerate(calibrations(project, paper)) for curve in each
    }
    found: dict[str, tuple[str, ...]] = dict.fromkeys(noise.values(), ())
    runs: dict[str, str] = {}
    for number, chunks in enumerate(simulations(project, paper)):
        runs |= {chunk.file: name("simulate", number) for chunk in chunks}
        certified = (noise[chunk.curve.noise_name] for chunk in chunks if chunk.curve.calibration == "certified")
        found[name("simulate", number)] = tuple(dict.fromkeys(certified))
    tables: dict[str, str] = {}
    for number, experiments in enumerate(aggregations(project, paper)):
        read = [chunk for each in experiments for chunk in chunks_of(curves(project, paper, each))]
        tables |= dict.fromkeys(experiments, name("aggregate", number))
        certified = (noise[chunk.curve.noise_name] for chunk in read if chunk.curve.calibration == "certified")
        found[name("aggregate", number)] = tuple(dict.fromkeys([*(runs[chunk.file] for chunk in read), *certified]))
    judge, every = f"judge/{paper.key}.tsv", dict.fromkeys(tables.values())
    found[judge] = (*every, COLLECT)
    for number, figures in enumerate(pictures(project, paper)):
        shown = dict.fromkeys(tables[each] for each in paper.shown_by(figures))
        found[name("draw", number)] = (*shown, judge, COLLECT)
    found[f"render/{paper.key}.tsv"] = (*every, judge, COLLECT)
    return found
