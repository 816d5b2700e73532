"""Write figures as SVG with the values of their points, PNG or PDF; equal figures give equal bytes."""

import html
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from dpbandits.base.storage import write_bytes, write_text
from dpbandits.figures import captions, values
from dpbandits.figures.compact import compact
from dpbandits.figures.style import style

SHOWN = 820  # width in pixels of a figure in a notebook
KINDS: dict[str, tuple[dict[str, str | None], str]] = {
    "pdf": ({"CreationDate": None, "Creator": None, "Producer": None}, "Subject"),
    "png": ({"Software": None}, "Description"),
    "svg": ({"Date": None, "Creator": None, "Format": None, "Type": None}, ""),
}
"""For each file type, the metadata to omit, so that equal figures give equal bytes, and the field for the caption."""
MAKER = "dpbandits, one figure"
"""Program name in a file that is not part of a run."""
MAKERS = {"pdf": "Creator", "png": "Software", "svg": "Creator"}
"""Metadata field that names the program that made a file."""
NOBODY: Mapping[str, str] = {}


class Picture(Figure):
    """A figure shown in a notebook in the house style, with its caption as alternative text."""

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        said = captions.caption(self)
        return {"image/png": _drawn(self, "png"), "text/plain": said}, {"image/png": {"alt": said, "width": SHOWN}}


def write(figure: Figure, path: Path) -> None:
    """Write one file, of the type given by its extension, one of `KINDS`; equal figures give equal bytes.

    The file names the program that made it, so that later commands recognize it as their own.
    """
    kind = path.suffix.removeprefix(".")
    by = {MAKERS[kind]: MAKER}
    write_bytes(path, _svg(figure, by).encode() if kind == "svg" else _drawn(figure, kind, by))


def save(figure: Figure, path: Path) -> None:
    """Write `<path>.svg` with the values of its points; equal figures give equal bytes."""
    before, end, after = _svg(figure).rpartition("</svg>")
    write_text(path.with_name(path.name + ".svg"), before + values.group(figure) + end + after)


def _svg(figure: Figure, by: Mapping[str, str] = NOBODY) -> str:
    """SVG text of the figure, with the caption as its description."""
    drawn = compact(_drawn(figure, "svg", by).decode())
    end = drawn.index(">") + 1
    said = captions.caption(figure)
    return drawn[:end] + (f"\n<desc>{html.escape(said, quote=False)}</desc>" if said else "") + drawn[end:]


def _drawn(figure: Figure, kind: str, by: Mapping[str, str] = NOBODY) -> bytes:
    """File content of the figure, with its caption if the type has a field for it, and the program name."""
    left_out, place = KINDS[kind]
    said = captions.caption(figure)
    described = {place: said} if place and said else {}
    with style():
        drawn = io.BytesIO()
        figure.savefig(drawn, format=kind, metadata={**left_out, **described, **by})
        return drawn.getvalue()
