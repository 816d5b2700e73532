"""What certified runs of algorithms for contextual bandits with one parameter cut, project and refuse."""

import numpy as np
import pytest

from dpbandits.environments.contextual import distributions as distributions
from dpbandits.environments.contextual.problem import instance_stream

from .contextual import drawn, module, of_link, params, setting_of, trace


def test_certified_gaussian_steps_are_not_projected():
    """theta* of norm 7.7, as in the figures on diversity, is reached; Psi's steps end in the unit ball."""
    for size in (7.7, 3.0):
        instance = drawn(0, 2, 3, size=size)
        changes = {"eps": 1e3, "schedule": 1.0, "step": 2.0, "bound": 20.0}
        error = [trace("ldp_sgd", 1, instance, [2000], "certified", gaussian=g, **changes)[0, 1] for g in (0, 1)]
        assert error[0] > size - 1 - 1e-9
        assert error[1] < 0.5


@pytest.mark.parametrize(("link", "least"), [("linear", -1.0), ("logistic", 0.0), ("logistic_mean", 0.0)])
def test_certified_rewards_of_ldp_gloc_are_cut_to_the_range_that_the_noise_is_for(link, least, monkeypatch):
    """d = 1, theta^ = 0, no noise: after a round theta^ is -zeta (mu(0) - r) x for a reward cut to [least, 1]."""
    instance = drawn(2, 1, 1, link)
    given = params("ldp_gloc", "certified", setting_of(instance, 100, "certified", of_link(link)))
    rules = given.rules._replace(user_sd=0.0, gradient_sd=0.0)
    for paid in (-7.0, -0.6, 0.4, 9.0):
        monkeypatch.setattr(module("ldp_gloc"), "reward", lambda *_, paid=paid: paid)
        rng, stream = np.random.default_rng(0), instance_stream(instance)
        error = module("ldp_gloc").play.py_func(rng, stream, instance, rules, given.bonus, np.array([1]))[0, 1]
        contexts, means = np.empty((1, 1)), np.empty(1)
        distributions.offer(instance_stream(instance), instance, 0, contexts, means)
        slope = (0.0 if link == "linear" else 0.5) - min(max(paid, least), 1.0)
        assert error == pytest.approx(abs(-rules.rate * slope * contexts[0, 0] - instance.theta[0, 0]), abs=1e-12)


@pytest.mark.parametrize(
    ("link", "loss_bound"), [("linear", 1.0), ("logistic", 2.0), ("poisson", 1.0), ("poisson", 2.0)]
)
def test_ldp_gloc_refuses_links_that_its_noise_is_not_for(link, loss_bound):
    instance = drawn(0, 2, 3, link)
    trace("ldp_gloc", 0, instance, [5], "printed", loss_bound=loss_bound)
    with pytest.raises(ValueError, match="no certified noise of ldp_gloc"):
        trace("ldp_gloc", 0, instance, [5], "certified", loss_bound=loss_bound)
