"""Applications for car loans: the csv file and what is wrong with it, the stand-in, the fit, the contexts."""

import csv
import hashlib
import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import optimize, special, stats

from dpbandits.base.project_folder import TOLD
from dpbandits.config.grid import data_of
from dpbandits.environments.contextual import auto_lending
from dpbandits.environments.contextual import distributions as distributions
from dpbandits.environments.contextual.lending import fit as lending
from dpbandits.environments.contextual.lending import loans
from dpbandits.environments.contextual.lending import stand_in as loans_stand_in
from dpbandits.environments.contextual.lending.loans import FILE
from dpbandits.environments.contextual.problem import LOANS, LOGISTIC, LOGISTIC_MEAN, instance_stream, problem
from dpbandits.numerics import logistic_fit
from dpbandits.numerics.statistics import holm

from .small import curve

SIGNIFICANCE = 1e-3
NAMES = [*loans.COLUMNS, loans.CAR]
BASE = ["Primary_FICO", "onemonth", "Term", "Amount_Approved", "Competition_rate"]
GOOD = {
    "apply": ["1", "0", "0", "1"],
    "Primary_FICO": ["700", "650.5", "800", "700"],
    "onemonth": ["25", "1.5", "2", "1e0"],
    "Term": ["2", "36", "60", "72"],
    "Amount_Approved": ["5", "20000", "30000", "25000"],
    "Competition_rate": ["4.5", "6", "0", "3.25"],
    "mp": ["8", "600", "0", "400"],
    "CarType": ["used", "new", "refinanced", "new"],
}


@pytest.fixture(scope="module")
def stand_in():
    """Columns of text, applications, and what is learned from them."""
    columns = loans_stand_in.columns()
    given = loans.applications(columns)
    return columns, given, lending.lending(given)


def write(path, columns):
    with open(path, "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([list(columns), *zip(*columns.values(), strict=True)])
    return path


def fault(path):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - callers compare the text
        loans.load(path)
    text = str(caught.value)
    assert text.isprintable(), "one line"
    assert len(text) < 300
    return text


def same(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("base", "price", "apply"))


# The file


def test_a_file_by_hand(tmp_path):
    """At 25 per cent q = 0.8: 8 (0.8 + 0.64) - 5 = 6.52; without payments the price is the amount, paid out."""
    found = loans.load(write(tmp_path / "loans.csv", GOOD))
    assert found.base[0].tolist() == [700, 25, 2, 5, 4.5, 1, 0, 0, 1]
    assert found.base[1].tolist() == [650.5, 1.5, 36, 20000, 6, 1, 1, 0, 0]
    assert found.base[2].tolist() == [800, 2, 60, 30000, 0, 1, 0, 1, 0]
    assert found.apply.tolist() == [1, 0, 0, 1]
    assert found.price[0] == pytest.approx(6.52)
    assert found.price[2] == -30000
    discounted = sum(400 / 1.01**month for month in range(1, 73))
    assert found.price[3] == pytest.approx(discounted - 25000)


def test_types_of_cars_stand_in_the_order_of_their_names():
    for names in itertools.permutations(("b", "used", "Z", "a new one"), 3):
        found = loans.applications({**GOOD, "CarType": [*names, names[0]]})
        assert found.base[:3, 6:].argmax(axis=1).tolist() == [sorted(names).index(name) for name in names]


def test_the_stand_in_round_trips_through_a_file(tmp_path, stand_in):
    """Also with columns in another order, with others beside them, and with a byte-order mark."""
    columns = {name: column[:2000] for name, column in stand_in[0].items()}
    direct = loans.applications(columns)
    assert same(loans.load(write(tmp_path / "plain.csv", columns)), direct)
    others = {"State": ['NY, "the" state\nof it'] * 2000, **dict(reversed(columns.items())), "": [""] * 2000}
    path = write(tmp_path / "others.csv", others)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert same(loans.load(path), direct)


def test_a_missing_file(tmp_path):
    text = fault(tmp_path / "loans.csv")
    assert text.startswith(f"{tmp_path}/loans.csv: does not exist. This data is not part of the project;")
    assert "CRPM-12-001" in text
    assert "Columbia University" in text


VALUES = [
    ("apply", "2", "a whole number, 0 to 1"),
    ("apply", "0.5", "a whole number, 0 to 1"),
    ("apply", "yes", "a whole number, 0 to 1"),
    ("Primary_FICO", "", "a number, 300 to 900"),
    ("Primary_FICO", "7_00", "a number, 300 to 900"),
    ("Primary_FICO", "299", "a number, 300 to 900"),
    ("onemonth", "0", "a number, 0.01 to 50"),
    ("onemonth", "nan", "a number, 0.01 to 50"),
    ("Term", "36.5", "a whole number, 1 to 600"),
    ("Term", "0", "a whole number, 1 to 600"),
    ("Amount_Approved", "-20000", "a number, 1 to 1e+07"),
    ("Amount_Approved", "$20,000", "a number, 1 to 1e+07"),
    ("Competition_rate", "inf", "a number, 0 to 100"),
    ("mp", "-1", "a number, 0 to 1e+06"),
    ("mp", "x\ny", "a number, 0 to 1e+06"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), VALUES)
def test_values_that_are_not_allowed(tmp_path, name, value, allowed):
    """In the third row of the file, which is the second application."""
    column = [GOOD[name][0], value, *GOOD[name][2:]]
    path = write(tmp_path / "loans.csv", {**GOOD, name: column})
    assert fault(path) == f"{path}: row 3, column {name}: got {value!r}; must be {allowed}"


def test_long_values_are_cut(tmp_path):
    fault(write(tmp_path / "loans.csv", {**GOOD, "mp": ["9" * 1000, *GOOD["mp"][1:]]}))


@pytest.mark.parametrize("name", NAMES)
def test_columns_that_are_missing_or_stand_twice(tmp_path, name):
    path = write(tmp_path / "loans.csv", {key: column for key, column in GOOD.items() if key != name})
    said = f"{path}: column {name} occurs {{}} times; allowed: once, as all of {', '.join(NAMES)}"
    assert fault(path) == said.format(0)
    path.write_text(",".join([*NAMES, name]) + "\n")
    assert fault(path) == said.format(2)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"CarType": ["new", "used"] * 2}, "column CarType has 2 different values; allowed: 3, none of them empty"),
        ({"CarType": ["new", "used", "", "new"]}, "column CarType has 3 different values; allowed: 3, none"),
        ({"CarType": ["a", "b", "c", "d"]}, "column CarType has 4 different values; allowed: 3, none"),
        ({"apply": ["1"] * 4}, "column apply is 1 everywhere; allowed: 0 and 1, each at least once"),
        ({"apply": ["0"] * 4}, "column apply is 0 everywhere; allowed: 0 and 1, each at least once"),
        ({name: [] for name in GOOD}, "column apply is empty; allowed: one row or more"),
    ],
)
def test_columns_that_nothing_is_learned_from(tmp_path, changes, said):
    path = write(tmp_path / "loans.csv", {**GOOD, **changes})
    assert fault(path).startswith(f"{path}: {said}")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "column apply occurs 0 times"),
        (b"\n\n", "column apply occurs 0 times"),
        (b"apply;mp\n1;2\n", "column apply occurs 0 times"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b'apply,"mp\n', "is not a csv file"),
        (",".join(NAMES).encode() + b"\n1,700\n", "row 2 has 2 values; allowed: 8, as in row 1"),
        (",".join(NAMES).encode() + b"\n\n", "row 2 has 0 values; allowed: 8, as in row 1"),
        (",".join(NAMES).encode() + b"\n1,700,2,36,5,4,8,new,9\n", "row 2 has 9 values; allowed: 8, as in row 1"),
    ],
)
def test_files_that_are_no_table(tmp_path, content, said):
    path = tmp_path / "loans.csv"
    path.write_bytes(content)
    assert fault(path).startswith(f"{path}: {said}")


def test_a_folder_is_no_file(tmp_path):
    assert fault(tmp_path) == f"{tmp_path}: is not a regular file. Put a regular file in its place."


def test_a_pipe_is_not_opened_and_a_huge_file_not_read(tmp_path):
    pipe, huge = tmp_path / "pipe", tmp_path / "huge"
    os.mkfifo(pipe)
    assert fault(pipe) == f"{pipe}: is not a regular file. Put a regular file in its place."
    with huge.open("wb") as stream:
        stream.truncate(20 << 30)
    assert fault(huge) == f"{huge}: has 20480 MB; must have at most 256"


# The stand-in


def test_the_stand_in_is_labeled():
    assert loans_stand_in.__doc__.startswith(loans_stand_in.LABEL)
    assert loans_stand_in.LABEL in auto_lending.__doc__


def test_the_stand_in_has_its_distributions(stand_in):
    """Formulas of the module, each against what is left of the columns when it is taken away."""
    columns, given, _ = stand_in
    assert list(columns) == NAMES
    assert given.base.shape == (50_000, 9)
    score, one_month, term, amount, competition = given.base[:, :5].T
    logarithm = (np.log(amount) - 10.05) / 0.42
    inside = (amount > 4900) & (amount < 100_000)
    low, high = (np.log([4900, 100_000]) - 10.05) / 0.42
    kept = stats.truncnorm(low, high).cdf
    within = (score > 594) & (score < 851)
    fair = (competition > 2.5) & (competition < 9.5) & within
    spread = (competition - 5.0 + 0.008 * (score - 726)) / 0.7
    middle = fair & (np.abs(spread) < 1.0) & (score < 820)
    p_values = [
        stats.kstest((score[within] - 726) / 45, stats.truncnorm(-132 / 45, 125 / 45).cdf).pvalue,
        stats.kstest(one_month, stats.uniform(1.1, 1.0).cdf).pvalue,
        stats.kstest(logarithm[inside], kept).pvalue,
        stats.kstest(spread[middle], stats.truncnorm(-1.0, 1.0).cdf).pvalue,
        stats.chisquare(*counted(term, {36: 0.12, 48: 0.15, 60: 0.46, 66: 0.12, 72: 0.15})).pvalue,
        stats.chisquare(*counted(np.array(columns["CarType"]), {"new": 0.45, "used": 0.3, "refinanced": 0.25})).pvalue,
    ]
    assert min(holm(p_values)) > SIGNIFICANCE, p_values
    assert score.min() == 594
    assert score.max() == 851
    assert competition.min() == 2.5
    assert amount.min() >= 4900
    assert amount.max() == 100_000


def counted(values, shares):
    return [int((values == value).sum()) for value in shares], [50_000 * share for share in shares.values()]


def test_offered_rates_and_acceptance_of_the_stand_in(stand_in):
    """The rate is the one that makes the payments worth the amount; acceptance depends on it as stated."""
    columns, given, _ = stand_in
    score, _, term, amount, competition = given.base[:, :5].T
    payment = np.array(columns["mp"], float)
    refinanced = np.array(columns["CarType"]) == "refinanced"
    low, high = np.full(len(term), 1e-6), np.full(len(term), 0.1)
    for _ in range(60):  # monthly rate, by halving
        rate = 0.5 * (low + high)
        worth = payment * (1 - (1 + rate) ** -term) / rate
        low, high = np.where(worth > amount, rate, low), np.where(worth > amount, high, rate)
    rate *= 1200
    assert rate.min() == pytest.approx(1.5)
    margin = rate - competition
    above = competition > 5.2  # there the floor of 1.5 is 3.7 standard deviations away
    spread = (margin[above] - 0.7) / 1.2
    assert stats.kstest(spread, "norm").pvalue > SIGNIFICANCE
    assert abs(spread.mean()) < 4 / np.sqrt(len(spread))
    z = -0.7 - 0.9 * margin - 0.006 * (score - 726) - 0.25 * (amount - 25000) / 10000 + 0.5 * refinanced
    chance = special.expit(z)
    left = given.apply - chance
    for direction in (np.ones(len(z)), margin, score - 726, amount - 25000, refinanced - 0.25, term - 60.0):
        weighed = (left * direction).sum() / np.sqrt((chance * (1 - chance) * direction**2).sum())
        assert abs(weighed) < 4


def test_the_stand_in_is_always_the_same(stand_in):
    """Its stream is its own; the first rows, to the last bit where there is no exponential."""
    again = loans_stand_in.columns()
    assert again == stand_in[0]
    assert same(loans_stand_in.stand_in(), stand_in[1])


# The fit


def data(n, m, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    points = scale * rng.random((n, m))
    return points, (rng.random(n) < special.expit(points @ rng.normal(0, 2, m))).astype(float)


def derivative(points, outcomes, w):
    return w + points.T @ (special.expit(points @ w) - outcomes)


def curvature(points, w):
    mean = special.expit(points @ w)
    return np.eye(len(w)) + points.T @ ((mean * (1.0 - mean))[:, None] * points)


def value(points, outcomes, w):
    return 0.5 * w @ w + special.softplus(points @ w).sum() - outcomes @ (points @ w)


@pytest.mark.parametrize(("n", "m", "scale"), [(300, 4, 1.0), (40, 18, 1.0), (500, 3, 50.0), (30, 2, 1000.0)])
def test_the_fit_is_that_of_scipy(n, m, scale):
    points, outcomes = data(n, m, scale)
    found = logistic_fit.fit(points, outcomes)
    assert np.abs(derivative(points, outcomes, found)).max() < 1e-8 * scale
    other = optimize.minimize(
        lambda w: value(points, outcomes, w),
        np.zeros(m),
        jac=lambda w: derivative(points, outcomes, w),
        method="BFGS",
        options={"gtol": 1e-7 * scale},
    )
    assert found == pytest.approx(other.x, rel=1e-5, abs=1e-5 / scale)
    assert value(points, outcomes, found) <= other.fun + 1e-9
    assert logistic_fit.objective(points, outcomes, found) == pytest.approx(value(points, outcomes, found), rel=1e-12)


def test_separated_outcomes_have_a_fit():
    """Without the penalty there would be none."""
    points, outcomes = np.array([[-900.0], [-0.1], [0.1], [1000.0]]), np.array([0.0, 0.0, 1.0, 1.0])
    found = logistic_fit.fit(points, outcomes)
    root = optimize.brentq(lambda w: derivative(points, outcomes, np.array([w]))[0], 0.0, 10.0, xtol=1e-14)
    assert found == pytest.approx([root], rel=1e-9)


def test_steps_that_do_not_help_are_halved():
    """Here full steps of Newton's method go round for ever."""
    counts = [3, 17, 1]
    points = np.repeat([[-41.0, -56.0], [0.0, 1.0], [164.0, 6.0]], counts, axis=0)
    outcomes = np.repeat([1.0, 0.0, 1.0], counts)
    w = np.zeros(2)
    for _ in range(200):
        step = np.linalg.solve(curvature(points, w), derivative(points, outcomes, w))
        w = w - step
    assert np.abs(step).max() > 0.01
    assert np.abs(derivative(points, outcomes, logistic_fit.fit(points, outcomes))).max() < 1e-8


def test_the_parameter_of_the_stand_in(stand_in):
    """Against scipy on features scaled by NumPy; nothing is learned of the feature that is the same everywhere.

    The objective is strongly convex with modulus 1: no minimum is farther away than the gradient is long.
    """
    _, given, learned = stand_in
    features = scaled(given)
    assert np.abs(derivative(features, given.apply, learned.theta)).max() < 1e-6
    assert learned.theta[5] == 0.0
    other = optimize.minimize(
        lambda w: value(features, given.apply, w),
        np.zeros(18),
        jac=lambda w: derivative(features, given.apply, w),
        hess=lambda w: curvature(features, w),
        method="trust-exact",
        options={"gtol": 1e-3},
    )
    assert learned.theta == pytest.approx(other.x, abs=2e-3)


def scaled(given):
    """Features between their least and largest values, by NumPy."""
    raw = np.concatenate([given.base, given.price[:, None] * given.base], axis=1)
    spans = np.ptp(raw, axis=0)
    return (raw - raw.min(axis=0)) / np.where(spans > 0, spans, 1.0)


# Contexts


def offered(instance, rounds):
    stream, contexts, means = (
        instance_stream(instance),
        np.empty((rounds, instance.arms, 18)),
        np.empty((rounds, instance.arms)),
    )
    for t in range(rounds):
        distributions.offer(stream, instance, t, contexts[t], means[t])
    return contexts, means


def test_features_are_scaled_to_0_1(stand_in):
    _, given, learned = stand_in
    features = scaled(given)
    found = (np.hstack([given.base, given.price[:, None] * given.base]) - learned.lows) / (learned.highs - learned.lows)
    assert np.array_equal(found, features)
    assert (found.min(axis=0) == 0.0).all()
    assert found.max(axis=0).tolist() == [0.0 if i == 5 else 1.0 for i in range(18)]


def test_contexts_at_the_price_that_was_asked_are_the_features(stand_in):
    """One price an applicant, that of their own application."""
    _, given, learned = stand_in
    features = scaled(given)
    for i in (0, 7, 49_999):
        numbers = (*learned.lows, *learned.highs, given.price[i])
        rows = learned.rows[i : i + 1]
        instance = problem(np.random.default_rng(0), LOANS, learned.theta, 1, "logistic", numbers=numbers, rows=rows)
        contexts, means = offered(instance, 1)
        np.testing.assert_allclose(contexts[0, 0], features[i], rtol=1e-14)
        assert means[0, 0] == pytest.approx(special.expit(features[i] @ learned.theta), rel=1e-12)


@pytest.mark.parametrize(("link", "expected"), [("logistic", LOGISTIC), ("logistic_mean", LOGISTIC_MEAN)])
def test_instances_of_the_stand_in(stand_in, link, expected):
    _, given, learned = stand_in
    (instance,) = auto_lending.draw(np.random.default_rng(0), 25, 18, "stand_in", link)
    assert (instance.distribution, instance.link, instance.arms, instance.theta.shape) == (LOANS, expected, 25, (1, 18))
    assert np.array_equal(instance.theta[0], learned.theta)
    prices = instance.numbers[36:]
    assert np.sort(prices)[[0, 23, 24]] == pytest.approx([-25_000, -25_000 / 24, 0])
    contexts, means = offered(instance, 40)
    for t in (0, 39):
        raw = np.array([[*instance.rows[t], *(price * instance.rows[t])] for price in prices])
        np.testing.assert_allclose(contexts[t], (raw - learned.lows) / (learned.highs - learned.lows), rtol=1e-14)
        np.testing.assert_allclose(means[t], special.expit(contexts[t] @ learned.theta), rtol=1e-12)
    assert np.array_equal(np.sort(instance.rows, axis=0), np.sort(given.base, axis=0))


def test_applicants_come_in_an_order_of_the_instance():
    first, again, other = (
        auto_lending.draw(np.random.default_rng(s), 25, 18, "stand_in", "logistic")[0] for s in (0, 0, 1)
    )
    assert np.array_equal(first.rows, again.rows)
    assert first.stream == again.stream != other.stream
    assert not np.array_equal(first.rows, other.rows)
    assert np.array_equal(first.theta, other.theta)


def test_prices_are_arms_in_an_order_of_the_instance():
    """The same 25 prices in each, every one of them as often at every place; the same seed has the same order."""
    places, seeds = [], 500
    for seed in range(seeds):
        (instance,) = auto_lending.draw(np.random.default_rng(seed), 25, 18, "stand_in", "logistic")
        prices = instance.numbers[36:]
        assert sorted(prices) == sorted(auto_lending.PRICES)
        places.append([int(np.flatnonzero(prices == auto_lending.PRICES[k])[0]) for k in (0, 1, 24)])
    (again,) = auto_lending.draw(np.random.default_rng(seeds - 1), 25, 18, "stand_in", "logistic_mean")
    assert np.array_equal(again.numbers, instance.numbers)
    counts = [np.bincount(place, minlength=25) for place in np.transpose(places)]
    assert min(holm([stats.chisquare(each).pvalue for each in counts])) > SIGNIFICANCE
    assert stats.spearmanr(*np.transpose(places)[:2]).pvalue > SIGNIFICANCE


def test_the_place_of_the_best_price_differs_between_instances():
    """The lowest price is accepted most, so that its place is where the mean reward of a round is largest."""
    best = []
    for seed in range(250):
        (instance,) = auto_lending.draw(np.random.default_rng(seed), 25, 18, "stand_in", "logistic")
        means = offered(instance, 3)[1].mean(axis=0)
        best.append(int(means.argmax()))
        assert instance.numbers[36:][best[-1]] == np.min(auto_lending.PRICES)
    assert set(best) == set(range(25))
    assert stats.chisquare(np.bincount(best, minlength=25)).pvalue > SIGNIFICANCE


# The provided file


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project, and a working folder two folders below it."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").touch()
    (tmp_path / "a/b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a/b")
    monkeypatch.delenv(TOLD, raising=False)
    return tmp_path


def draw_provided(seed=0):
    return auto_lending.draw(np.random.default_rng(seed), 25, 18, "provided", "logistic")[0]


def test_the_file_of_the_project_is_read_once(project, stand_in, monkeypatch):
    expected = project / "data/auto_lending.csv"
    for folder in (project / "a/b", project):
        monkeypatch.chdir(folder)
        with pytest.raises(ValueError, match=f"{expected}: does not exist"):
            draw_provided()
    expected.parent.mkdir()
    columns = {name: column[:500] for name, column in stand_in[0].items()}
    write(expected, columns)
    first = draw_provided()
    learned = lending.lending(loans.applications(columns))
    assert np.array_equal(first.theta[0], learned.theta)
    assert first.rows.shape == (500, 9)
    assert not np.array_equal(first.theta, auto_lending.synthetic_lending().theta[None, :])
    expected.unlink()
    assert np.array_equal(draw_provided(1).theta, first.theta)


def test_a_bad_file_is_refused_in_one_line(project):
    (project / "data").mkdir()
    path = write(project / "data/auto_lending.csv", {**GOOD, "apply": ["1"] * 4})
    with pytest.raises(ValueError, match=f"^{path}: column apply is 1 everywhere; allowed: 0 and 1"):
        draw_provided()


def test_without_a_project_the_file_is_looked_for_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=f"{tmp_path}/data/auto_lending.csv: does not exist"):
        draw_provided()


def test_pandas_is_not_loaded():
    heavy = "{'pandas', 'sklearn', 'pyarrow'}"
    code = f"import sys, dpbandits.environments.contextual.auto_lending; print({heavy} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


# The file as an input of curves


def test_a_changed_file_makes_other_curves(project):
    path = project / FILE
    path.parent.mkdir()
    environment = {"family": "auto_lending", "source": "provided", "link": "logistic"}
    assert data_of(project, environment) == ""
    write(path, GOOD)
    first = data_of(project, environment)
    assert first == hashlib.sha256(path.read_bytes()).hexdigest()
    assert data_of(project, {**environment, "source": "stand_in"}) == ""
    path.write_text(path.read_text() + "\n")
    assert data_of(project, environment) != first
    curves = [curve(data=data) for data in ("", first, data_of(project, environment))]
    assert len({each.folder for each in curves}) == 3
    assert "data" not in curves[0].identity()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((24, 18, "stand_in", "logistic"), "must have 25 arms \\(prices\\) and dimension 18 \\(features\\)"),
        ((25, 9, "provided", "logistic"), "must have 25 arms \\(prices\\) and dimension 18 \\(features\\)"),
        ((25, 18, "provided", "logistic"), ".*not part of the project"),
    ],
)
def test_arguments_are_refused_as_a_draw_refuses_them_without_a_fit(tmp_path, monkeypatch, given, says):
    monkeypatch.setenv(TOLD, str(tmp_path))
    monkeypatch.setattr(auto_lending, "lending", lambda _: pytest.fail("was fitted"))
    with pytest.raises(ValueError, match=f"^{says}") as drawn:
        auto_lending.draw(np.random.default_rng(0), *given)
    with pytest.raises(ValueError, match=f"^{says}") as checked:
        auto_lending.check_arguments(*given)
    assert str(checked.value) == str(drawn.value)
    auto_lending.check_arguments(25, 18, "stand_in", "logistic")


def test_the_stand_in_has_as_many_features_as_is_said(stand_in):
    assert len(stand_in[2].theta) == auto_lending.FEATURES
