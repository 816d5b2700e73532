"""Return types of closed forms and exact checks; the YAML names the public functions and their arguments."""

Numbers = list[tuple[str, float]]
"""Labels and values."""
Bounds = list[tuple[str, tuple[float, float]]]
"""Labels with lower and upper bounds on the value."""
