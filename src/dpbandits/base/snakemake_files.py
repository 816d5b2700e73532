"""Files in Snakemake's own folder and of Snakemake's own making, by name.

All modules use these names. What Snakemake itself does is known to `planning/snakemake_workarounds.py` alone.
"""

FOLDER = ".snakemake"
"""Snakemake's folder in a project. Snakemake ignores files of other names in it."""

RUN_LOCK = f"{FOLDER}/run.lock"
"""A file that a run locks while it lasts."""

JOBS_LOCK = f"{FOLDER}/jobs.lock"
"""A file of which every stage that reads the project holds a shared lock: a new run sees what a killed one left."""

PLANNED = f"{FOLDER}/planned.json"
"""What planning found out, for the jobs and for later runs."""

TIMESTAMP = ".snakemake_timestamp"
"""A file that Snakemake adds to every folder that a rule writes."""
