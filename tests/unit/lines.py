"""Rows of summaries as drawings take them."""

import pandas as pd


def lines(panels):
    """A DataFrame of rows by title of the panel, curve and column; without panels by curve and column."""
    if any("mean" in rows for rows in panels.values()):
        every = pd.concat([pd.DataFrame(rows).assign(curve=curve) for curve, rows in panels.items()])
        return every.fillna({"calibration": ""})  # of curves that have none here
    return pd.concat([lines(curves).assign(panel=title) for title, curves in panels.items()])
