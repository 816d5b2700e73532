"""Captions of figures: stored in the figure, and written beside its picture."""

from collections.abc import Sequence
from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure


class Caption(Artist):
    """Notes on a figure and the verdicts that rest on it, stored as an artist that draws nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[str] = []
        self.verdicts = ""

    def draw(self, renderer: Any) -> None:
        """Draw nothing."""


def of(figure: Figure) -> Caption:
    """Caption of a figure, possibly empty."""
    found = [each for each in figure.artists if isinstance(each, Caption)]
    if not found:
        found = [Caption()]
        figure.add_artist(found[0])
    return found[0]


def tell(figure: Figure, notes: Sequence[str]) -> None:
    """Add notes, written with a small initial letter and no full stop."""
    of(figure).notes += notes


def sentences(notes: Sequence[str]) -> str:
    """Caption as sentences: `Bands: pointwise 95 % t intervals over 20 instances. Holds: C1.`"""
    return " ".join(f"{note[0].upper()}{note[1:].removesuffix('.')}." for note in notes if note)


def caption(figure: Figure) -> str:
    """Caption lines: the notes as sentences, then the verdicts on a line of their own."""
    found = of(figure)
    return "\n".join(filter(None, (sentences(found.notes), sentences([found.verdicts]))))
