"""Closed-form rows for the notebook of Han et al. (arXiv 2106.03365): why some rates do not appear."""

from dpbandits.claims.closed_forms.han2021 import functions as formulas

SETTING = (1e6, 2, 10)  # horizon, dimension and arms of Figure 7
DELTA = 0.01


def reason_rows(*eps: float) -> list[dict[str, str]]:
    """Rows by calibration and eps: excess noise, and the rounds in which regularization and bonus dominate the data.

    Columns: the noise of r x and that of x x', relative to the least private noise; rounds until lambda_min t exceeds
    the regularization of LDP-OLS; the bonus of LDP-UCB at the horizon over the range of mean rewards; rounds until that
    ratio is below 1.
    """
    rows = []
    for calibration in ("printed", "certified"):
        for each in eps:
            (_, matrix), (_, vector) = formulas.noise_over_least(calibration, [DELTA], [each])
            ((_, regularizer),) = formulas.rounds_of_regularization(calibration, *SETTING, DELTA, [each])
            ((_, bonus),) = formulas.bonus_over_range(calibration, *SETTING, DELTA, [each], [SETTING[0]])
            ((_, until),) = formulas.rounds_of_bonus(calibration, *SETTING, DELTA, [each], 1.0)
            rows.append(
                {
                    "constants": calibration,
                    "eps": f"{each:g}",
                    "noise over the least, x x' and r x": f"{matrix:.2f}, {vector:.2f}",
                    "rounds until the data exceed the regularization": f"{regularizer:.2g}",
                    "bonus over the range of rewards": f"{bonus:.3g}",
                    "rounds until the bonus is below 1": f"{until:.2g}",
                }
            )
    return rows
