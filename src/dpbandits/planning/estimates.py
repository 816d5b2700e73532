"""Estimated seconds of each job of a scale, by rule name. Run progress is measured in these."""

from dpbandits.config.loading import Project
from dpbandits.config.models.experiments import PILOT
from dpbandits.planning.audits import seconds_of
from dpbandits.planning.bundles import (
    SECONDS_PER_NUMBER,
    SECONDS_PER_PICTURE,
    aggregations,
    audits,
    calibrations,
    numbers_of,
    pictures,
    seconds_to_calibrate,
    simulations,
)

START = 1.0
"""Seconds to start a job. All constants here were measured on two cores."""
SECONDS = {"collect": 0.0, "judge": 3.0, "report": 3.0, "certificate": 1.0, "pilot": 60.0}
"""Seconds of jobs whose rule has the same name for all papers."""
SECONDS_TO_RENDER = 12.0


def seconds_of_rules(project: Project) -> dict[str, float]:
    """Estimated seconds per job of each rule at the project's scale. Rules that are missing take almost no time."""
    found = dict(SECONDS)
    for key, paper in project.papers.items():
        for k, curves in enumerate(calibrations(project, paper)):
            found[f"calibrate_{key}_{k}"] = sum(map(seconds_to_calibrate, curves))
        for k, chunks in enumerate(simulations(project, paper)):
            found[f"simulate_{key}_{k}"] = sum(chunk.curve.seconds_per_chunk for chunk in chunks)
        for k, names in enumerate(aggregations(project, paper)):
            found[f"aggregate_{key}_{k}"] = SECONDS_PER_NUMBER * sum(numbers_of(project, paper, n) for n in names)
        for k, names in enumerate(pictures(project, paper)):
            found[f"draw_{key}_{k}"] = SECONDS_PER_PICTURE * sum(len(paper.figures[n].calibrations) for n in names)
        found[f"render_{key}"] = SECONDS_TO_RENDER
    if project.scale != PILOT:
        found |= {
            f"audit_{k}": sum(seconds_of(project, each) for each in every) for k, every in enumerate(audits(project))
        }
    return {rule: START + seconds for rule, seconds in found.items()}
