"""Draw figures of a paper from its results."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.api.folders import Folder
from dpbandits.api.results import Results, load_results
from dpbandits.config.loading import Paper, load_paper
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.wording import not_known

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from dpbandits.figures.results import Results as Opened

NUMBER = r"[0-9]+(?:\([a-z]\))?"
SHOWN = re.compile(rf"Figures? ((?:{NUMBER}(?:, | and )?)+)(.*)")
"""What a figure shows: figure numbers in the paper, such as `2, 3(a) and 4`, and any further words."""


def figure(
    paper: str,
    name: str,
    *,
    calibration: str | None = None,
    for_: str = "paper",
    scale: str = "full",
    project: Folder | None = None,
) -> "Figure":
    """Draw a figure of a paper.

    Parameters
    ----------
    paper : str
        Key of the paper, such as `hanna2022`.
    name : str
        Name of the figure in the YAML of the paper, such as `regret_against_budget`, or its number: `2`, `3(b)`.
    calibration : str, optional
        Source of the constants. The default is the figure's first calibration.
    for_ : str
        `paper`, or `slide`, with larger fonts and lines.
    scale : str
        `full` for the committed results; `quick` or `smoke` for the results in `results/<scale>`.
    project : path, optional
        Folder of the project. The default is the nearest one at or above the working folder.

    Returns
    -------
    matplotlib.figure.Figure
        The figure, which can be changed and saved.

    Raises
    ------
    ConfigError
        An argument is not allowed, or the results do not exist yet.

    Examples
    --------
    >>> drawn = figure("hanna2022", "3(b)", for_="slide")
    >>> drawn.axes[0].get_xlabel()
    'privacy budget $\\\\varepsilon$'
    """
    return draw_figure(load_results(paper, scale, project), name, calibration, for_)


def draw_figure(found: Results, name: str, calibration: str | None, for_: str = "paper") -> "Figure":
    """Draw a figure from given results; arguments and exceptions as in `figure`."""
    from dpbandits.figures import style
    from dpbandits.figures.drawings import draw

    if for_ not in style.PURPOSES:
        raise ConfigError(f"for_: {not_known('', for_, style.PURPOSES)}")
    described = load_paper(found.root, found.paper)
    key = named_figure(described, name)
    known = described.figures[key].calibrations
    if calibration is not None and calibration not in known:
        raise ConfigError(f"calibration: {not_known('', calibration, known)}")
    with style.drawn_for(for_):
        return draw(_opened(found, described), key, calibration or known[0])


def figure_data(found: Results, name: str) -> "DataFrame":
    """Numbers of a figure from given results; arguments and exceptions as in `figure`."""
    from dpbandits.figures.drawings import numbers

    described = load_paper(found.root, found.paper)
    return numbers(_opened(found, described), described.figures[named_figure(described, name)])


def _opened(found: Results, described: Paper) -> "Opened":
    """The results as drawings read them."""
    from dpbandits.figures.results import read_results

    folders = found.folders
    return read_results(described, folders["tables"], folders["claims"], folders["audits"], Path())


def named_figure(paper: Paper, name: str) -> str:
    """Figure of a paper with this name in the YAML, or this number in the paper.

    Raises
    ------
    ConfigError
        No figure matches, or several show the number.
    """
    if name in paper.figures:
        return name
    shown = {key: SHOWN.fullmatch(section.shows) for key, section in paper.figures.items()}
    found = {key: match[2] for key, match in shown.items() if match and name in re.findall(NUMBER, match[1])}
    alone = [key for key, besides in found.items() if not besides] or list(found)
    if not alone:
        raise ConfigError(f"figure: {not_known('figure', name, paper.figures)}")
    if len(alone) > 1:
        raise ConfigError(f"figure: several show Figure {name}. Use one of: {', '.join(alone)}")
    return alone[0]
