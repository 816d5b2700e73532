"""What the tests of audits with Laplace noise share: settings as the papers' constants give them, and agreement."""

from pathlib import Path

import pytest
import yaml

PAPERS = Path(__file__).resolve().parents[2] / "config/papers"


def constants_of(paper):
    """Constants of a paper, numbers alone."""
    section = yaml.safe_load((PAPERS / f"{paper}.yaml").read_text(encoding="utf-8"))["constants"]
    return {name: float(each["value"] if isinstance(each, dict) else each) for name, each in section.items()}


def agree(release, eps, delta=0.0):
    """Both calculations say the same, low is at most high, and nothing is negative; returns the first."""
    one, other = release.accounted(eps, delta), release.derived(eps, delta)
    assert one.levels == pytest.approx(other.levels, rel=1e-4, abs=1e-9)
    assert one.deltas == pytest.approx(other.deltas, rel=1e-4, abs=1e-9)
    for low, high in (one.levels, one.deltas, other.levels, other.deltas):
        assert 0.0 <= low <= high * (1.0 + 1e-8) + 1e-12
    return one
