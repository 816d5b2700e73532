"""How tests and figures name a curve: `algorithm[:variant][@calibration]`."""


def parts(reference: str) -> tuple[str, str, str]:
    """Algorithm, variant and calibration; empty where the reference does not give them."""
    curve, _, calibration = reference.partition("@")
    algorithm, _, variant = curve.partition(":")
    return algorithm, variant, calibration
