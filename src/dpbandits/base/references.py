"""Parses the names of curves in tests and figures: `algorithm[:variant][@calibration]`."""


def parts(reference: str) -> tuple[str, str, str]:
    """Algorithm, variant and calibration of a reference; empty strings for parts that it does not give."""
    curve, _, calibration = reference.partition("@")
    algorithm, _, variant = curve.partition(":")
    return algorithm, variant, calibration
