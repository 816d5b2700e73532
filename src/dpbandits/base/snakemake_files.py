"""Names of files in Snakemake's folder and of files that Snakemake creates.

All modules use these names. Only `planning/snakemake_workarounds.py` depends on Snakemake's behavior.
"""

FOLDER = ".snakemake"
"""Snakemake's folder in a project. Snakemake ignores files in it whose names it does not know."""

RUN_LOCK = f"{FOLDER}/run.lock"
"""A file that a run locks until it ends."""

JOBS_LOCK = f"{FOLDER}/jobs.lock"
"""A file that every stage locks, shared, while it reads the project: a new run detects jobs left by a killed run."""

PLANNED = f"{FOLDER}/planned.json"
"""The results of planning, for the jobs and for later runs."""

TIMESTAMP = ".snakemake_timestamp"
"""A file that Snakemake adds to every folder that a rule writes."""
