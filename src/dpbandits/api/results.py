"""Results of a paper as DataFrames: tables of runs, verdicts on claims, audits."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpbandits.api.folders import Folder, needed_root
from dpbandits.api.frames import SUMMARY, Record, Tables, as_float, audit_row, claim_row, estimate, named
from dpbandits.config.entries import TABLE
from dpbandits.config.grid import assumptions
from dpbandits.config.loading import SCALES, Paper, load_paper
from dpbandits.config.own_code import declare_again
from dpbandits.config.paper_files import known_keys
from dpbandits.config.plain_yaml import ConfigError
from dpbandits.config.regular_files import read_json_file
from dpbandits.config.wording import got, not_known
from dpbandits.figures.results import last_places, places
from dpbandits.text.audit_tables import audit_rows
from dpbandits.text.tables import table_rows
from dpbandits.text.text import calibrations as calibrations_of
from dpbandits.text.text import left_out, marked, worded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACES = ("tables", "claims", "audits")
LAST = "last"
"""In place of a scale: the one that was judged last."""


@dataclass(frozen=True)
class Results:
    """Results of a paper at a scale; `load_results` makes it. Files are read when they are first needed.

    Parameters
    ----------
    paper, scale : str
        Key of the paper, and scale.
    folders : mapping
        Folder of the tables, and files of the claims and the audits.
    root : path
        Folder of the project.
    """

    paper: str
    scale: str
    folders: Mapping[str, Path]
    root: Path

    @cached_property
    def tables(self) -> Tables:
        """Runs by experiment: one row per curve, setting and seed, with the outputs at the horizon."""
        return Tables(self.folders["tables"], "")

    @cached_property
    def summaries(self) -> Tables:
        """Statistics over seeds by experiment: one row per curve, setting and checkpoint."""
        return Tables(self.folders["tables"], SUMMARY)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """Verdicts: one row per claim, variant and calibration.

        `estimate` in `[low, high]` belongs to the decisive comparison, named in `decisive`. A comparison holds if its
        interval lies within `[threshold_low, threshold_high]`; a claim holds if all its comparisons do (`comparisons`).
        NaN means no limit on this side, or not tested.
        """
        return pd.DataFrame([claim_row(record) for record in self._records("claims")])

    @cached_property
    def audits(self) -> pd.DataFrame:
        """Audits: one row per audit, algorithm, calibration and setting.

        `eps` and `delta` are the claimed guarantee. By calculation, the actual epsilon at this delta lies in
        `[actual_low, actual_high]`. If `status` is `searched`, this covers only the pairs of inputs that were tried.
        `lower` is the lower bound from runs. `setting_...` are the grid values.
        """
        return pd.DataFrame([audit_row(record) for record in self._records("audits")])

    def verdict(self, claim: str, calibration: str = "printed", variant: str = "") -> str:
        """Return the verdict on a claim in words.

        Parameters
        ----------
        claim : str
            Number of the claim, such as `C3`.
        calibration : str
            `printed`, `released`, `tuned` or `certified`.
        variant : str
            Variant of the claim, such as `small_budgets`. The default is the claim itself.

        Returns
        -------
        str
            `holds`, `fails`, `fails by our threshold`, `unclear` or `not tested`.

        Raises
        ------
        ConfigError
            The claim is not judged at this calibration.
        """
        return worded(marked(self._record(claim, calibration, variant)))

    def verdicts(self, *claims: str) -> pd.DataFrame:
        """Return the verdicts in words on some claims.

        Parameters
        ----------
        *claims : str
            Numbers of claims, such as `C3`. The default is all.

        Returns
        -------
        pandas.DataFrame
            A row per claim and variant, a column per calibration.

        Raises
        ------
        ConfigError
            A claim does not exist.
        """
        records = self._records("claims")
        known = dict.fromkeys(record["id"].partition("/")[2] for record in records)
        rows: dict[tuple[str, str], dict[str, str]] = {}
        for claim in claims or known:
            if claim not in known:
                raise ConfigError(f"claim: {not_known('claim', claim, known)}")
            for record in (each for each in records if each["id"].partition("/")[2] == claim):
                name = claim + (f" ({record['variant'].replace('_', ' ')})" if record["variant"] else "")
                row = rows.setdefault((claim, record["variant"]), {"claim": name, "statement": record["statement"]})
                row[record["calibration"]] = worded(marked(record))
        columns = ["claim", "statement", *calibrations_of(records)]
        found = pd.DataFrame(list(rows.values()), columns=columns).dropna(axis="columns", how="all")
        return found.fillna("").set_index("claim")

    def comparisons(self, claim: str, calibration: str = "printed", variant: str = "") -> pd.DataFrame:
        """Return the comparisons behind a verdict.

        Parameters
        ----------
        claim : str
            Number of the claim, such as `C3`.
        calibration : str
            `printed`, `released`, `tuned` or `certified`.
        variant : str
            Variant of the claim, such as `small_budgets`. The default is the claim itself.

        Returns
        -------
        pandas.DataFrame
            A row per comparison: its estimate with a 95 % interval from `low` to `high`, the allowed range, verdict.

        Raises
        ------
        ConfigError
            The claim is not judged at this calibration.
        """
        details = self._record(claim, calibration, variant)["details"]
        rows = [
            {
                "reading": detail["reading"],
                **estimate(detail),
                **dict(zip(("allowed_low", "allowed_high"), map(as_float, detail["allowed"]), strict=True)),
                "verdict": worded(detail["verdict"]),
            }
            for detail in details
        ]
        columns = ["reading", "comparison", "estimate", "low", "high", "allowed_low", "allowed_high", "verdict"]
        return pd.DataFrame(rows, columns=columns)

    def measurement(self, name: str, calibration: str = "printed") -> pd.DataFrame:
        """Return the numbers of a measurement.

        Parameters
        ----------
        name : str
            The measurement in the YAML of the paper.
        calibration : str
            `printed`, `released`, `tuned` or `certified`.

        Returns
        -------
        pandas.DataFrame
            A row per number: its estimate with a 95 % interval from `low` to `high`.

        Raises
        ------
        ConfigError
            The paper has no such measurement at this calibration.
        """
        every = self._judged["measurements"]
        known = {(each["name"], each["calibration"]): each for each in every}
        if (name, calibration) not in known:
            measured = [each for key, each in known if key == name]
            if measured:
                raise ConfigError(f"calibration: {not_known('', calibration, dict.fromkeys(measured))}")
            raise ConfigError(f"measurement: {not_known('measurement', name, dict.fromkeys(n for n, _ in known))}")
        rows = [{"reading": row["reading"], **estimate(row)} for row in known[name, calibration]["details"]]
        return pd.DataFrame(rows, columns=["reading", "comparison", "estimate", "low", "high"])

    def runs(self, experiment: str, calibration: str = "printed") -> pd.DataFrame:
        """Return the rows of a table that belong to a calibration.

        An algorithm that has the same constants at several calibrations, such as one without privacy, belongs to all.

        Parameters
        ----------
        experiment : str
            The experiment in the YAML of the paper.
        calibration : str
            `printed`, `released`, `tuned` or `certified`.

        Returns
        -------
        pandas.DataFrame
            A row per curve, setting and seed, with the short name of each curve in `curve`.

        Raises
        ------
        ConfigError
            The paper has no such table, or no such calibration.
        """
        return self._named(self.tables[experiment], calibration)

    def means(self, experiment: str, calibration: str = "printed") -> pd.DataFrame:
        """Return the rows of a summary that belong to a calibration.

        Parameters
        ----------
        experiment : str
            The experiment in the YAML of the paper.
        calibration : str
            `printed`, `released`, `tuned` or `certified`.

        Returns
        -------
        pandas.DataFrame
            A row per curve, setting and checkpoint, with the short name of each curve in `curve`.

        Raises
        ------
        ConfigError
            The paper has no such table, or no such calibration.
        """
        return self._named(self.summaries[experiment], calibration)

    def printed_table(self, name: str) -> pd.DataFrame:
        """Return a table of the paper, with measured numbers beside the printed ones.

        Parameters
        ----------
        name : str
            The table in the YAML of the paper.

        Returns
        -------
        pandas.DataFrame
            The rows of the table.

        Raises
        ------
        ConfigError
            The paper has no such table.
        """
        if name not in self._described.tables:
            raise ConfigError(f"table: {not_known('table', name, self._described.tables)}")
        measurements = self._judged["measurements"]
        rows = table_rows(self._described.tables[name], measurements, self._records("claims"))
        return pd.DataFrame(rows).fillna("")

    @cached_property
    def audit_table(self) -> pd.DataFrame:
        """One row per audit, algorithm and calibration: verdict, and largest ratio of actual to claimed epsilon."""
        rows = [
            row | {"verdict": row["verdict"] + (f" ({row['how many']})" if row["how many"] else "")}
            for row in audit_rows(self._records("audits"))
        ]
        columns = ["audit", "algorithm", "calibration", "claimed ε", "actual / claimed", "runs show", "verdict"]
        return pd.DataFrame(rows, columns=columns).set_index("audit")

    def left_out(self, claim: str, calibration: str = "printed", variant: str = "") -> list[str]:
        """Return what was left out of a claim.

        Parameters
        ----------
        claim : str
            Number of the claim, such as `C3`.
        calibration : str
            `printed`, `released`, `tuned` or `certified`.
        variant : str
            Variant of the claim, such as `small_budgets`. The default is the claim itself.

        Returns
        -------
        list of str
            Horizons that were not played, and settings that are not resolved.
        """
        return left_out(self._record(claim, calibration, variant))

    @cached_property
    def assumptions(self) -> pd.DataFrame:
        """Choices that the paper leaves open, and our assumptions."""
        return pd.DataFrame(assumptions(self._described), columns=["item", "value", "note"])

    def figure(self, name: str, calibration: str | None = None) -> "Figure":
        """Draw a figure of the paper from these results.

        Parameters
        ----------
        name : str
            The figure in the YAML of the paper, or its number in the paper.
        calibration : str, optional
            Where the constants come from. The default is the first one that the figure has.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        ConfigError
            The paper has no such figure, or the figure has no such calibration.
        """
        from dpbandits.api.figures import draw_figure

        return draw_figure(self, name, calibration)

    def figure_data(self, name: str) -> pd.DataFrame:
        """The numbers that a figure shows, at all of its calibrations; `.to_csv(file, index=False)` writes them.

        Parameters
        ----------
        name : str
            The figure in the YAML of the paper, or its number in the paper.

        Returns
        -------
        pandas.DataFrame
            A row for each point of the figure.

        Raises
        ------
        ConfigError
            The paper has no such figure.
        """
        from dpbandits.api.figures import figure_data

        return figure_data(self, name)

    @cached_property
    def _described(self) -> Paper:
        return load_paper(self.root, self.paper)

    def _named(self, rows: pd.DataFrame, calibration: str) -> pd.DataFrame:
        if any(name not in TABLE for name in rows["algorithm"].unique()):
            declare_again(self.root, self._described.own)
        return named(rows, calibration)

    def _record(self, claim: str, calibration: str, variant: str) -> Record:
        records = self._records("claims")
        known = {(r["id"].partition("/")[2], r["variant"], r["calibration"]): r for r in records}
        if (claim, variant, calibration) not in known:
            name = f"{claim}/{variant}" if variant else claim
            judged = [each for *who, each in known if who == [claim, variant]]
            if not judged:
                names = dict.fromkeys("/".join(filter(None, key[:2])) for key in known)
                raise ConfigError(f"claim: {not_known('claim', name, names)}")
            raise ConfigError(f"calibration: {name} is not judged as {calibration}. Use one of: {', '.join(judged)}")
        return known[claim, variant, calibration]

    def _records(self, kind: str) -> list[Record]:
        found: list[Record] = (self._judged if kind == "claims" else self._audited)["records"]
        return found

    @cached_property
    def _judged(self) -> dict[str, Any]:
        return dict(read_json_file(self.folders["claims"]))

    @cached_property
    def _audited(self) -> dict[str, Any]:
        return dict(read_json_file(self.folders["audits"]))

    def __repr__(self) -> str:
        return f"<Results of {self.paper} at the scale {self.scale}: {len(self.tables)} tables, claims, audits>"


def _there(folders: Mapping[str, str]) -> dict[str, Path]:
    """The given paths; ConfigError if one does not exist."""
    found = {name: Path(place) for name, place in folders.items()}
    if {*found} != {*PLACES}:
        raise ConfigError(f"folders: {got(', '.join(found), 'must have the names ' + ', '.join(PLACES))}")
    for name, place in found.items():
        if not place.exists():
            says = "does not exist. Name an existing folder of tables, or an existing file of records."
            raise ConfigError(f"folders: {name}: {place} {says}")
    return found


def load_results(
    paper: str,
    scale: str = "full",
    project: Folder | None = None,
    folders: Mapping[str, str] | None = None,
) -> Results:
    """Load the results of a paper: tables, verdicts and audits.

    Parameters
    ----------
    paper : str
        Key of the paper, such as `hu2021`.
    scale : str
        `full` for the committed results in `figures/<paper>/data`; `quick` or `smoke` for those in `results/<scale>`;
        `last` for the scale that was judged last, or the committed results if none was.
    project : path, optional
        Folder of the project. The default is the nearest one at or above the working folder.
    folders : mapping, optional
        Other locations: the folder `tables`, and the files `claims` and `audits`.

    Returns
    -------
    Results
        With `tables`, `summaries`, `claims` and `audits`.

    Raises
    ------
    ConfigError
        The paper or the scale does not exist, or the results do not exist yet.

    Examples
    --------
    >>> results = load_results("hu2021")
    >>> results.claims.query("claim == 'C9'")[["calibration", "verdict"]].to_dict("records")
    [{'calibration': 'printed', 'verdict': 'holds'}]
    """
    root = needed_root(project)
    if paper not in (keys := known_keys(root)):
        raise ConfigError(f"paper: {not_known('paper', paper, keys)}")
    if folders is None and scale not in (*SCALES, LAST):
        raise ConfigError(f"scale: {got(scale, 'must be one of: ' + ', '.join((*SCALES, LAST)))}")
    if folders is not None:
        here = _there(folders)
    else:
        here = last_places(root, paper) if scale == LAST else places(root, paper, scale)
    for kind in ("claims", "audits"):
        if folders is None and not here[kind].is_file():
            command = "make" if scale == LAST else f"make {scale}"
            raise ConfigError(f"{here[kind].relative_to(root)}: does not exist yet. Run `{command}` first.")
    return Results(paper, read_json_file(here["claims"])["scale"], here, root)
