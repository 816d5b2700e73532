"""Mutants of the papers, a module each: which wrong curve turns which verdict."""

from . import chen2020, chowdhury2022, han2021, hanna2022, hu2021

STUDIES = tuple(paper.STUDY for paper in (hanna2022, chowdhury2022, hu2021, chen2020, han2021))
