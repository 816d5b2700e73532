"""Draws docs/images/compared.svg by the Python example of README.md: `python tools/readme_figure.py`."""

import re
import sys
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
IMAGE = ROOT / "docs/images/compared.svg"


def example() -> str:
    """The first block of Python in README."""
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)[0]


def draw(path: Path) -> None:
    """Run the example, and save its figure here with the same bytes each time."""
    matplotlib.use("Agg")
    save = Figure.savefig

    def saved(figure: Figure, name: str, **options: object) -> None:
        assert name == IMAGE.name
        save(figure, path, **options, metadata={"Date": None})

    Figure.savefig = saved
    try:
        look = matplotlib.rc_context({"svg.hashsalt": "dpbandits", "svg.fonttype": "none"})
        with look, tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "example.py"
            file.write_text(example(), encoding="utf-8")
            found = spec_from_file_location("example", file)
            assert found
            assert found.loader
            found.loader.exec_module(module_from_spec(found))
    finally:
        Figure.savefig = save


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if sys.argv[1:] else IMAGE)
