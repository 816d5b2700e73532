"""Closed forms and exact checks behind the papers' claims, a module or package a paper.

The YAML names a paper's public functions of labelled numbers, or of bounds on numbers, and their arguments.
"""

Numbers = list[tuple[str, float]]
"""Labels and values."""
Bounds = list[tuple[str, tuple[float, float]]]
"""Labels and what the value lies between."""
