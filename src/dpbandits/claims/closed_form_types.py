"""What closed forms and exact checks return: the YAML names public functions of these kinds, and their arguments."""

Numbers = list[tuple[str, float]]
"""Labels and values."""
Bounds = list[tuple[str, tuple[float, float]]]
"""Labels and what the value lies between."""
