"""Parameter ranges, guarantees and examples shared by the entries of Bernoulli and full-information algorithms."""

from dpbandits.algorithms.base import (
    Environment,
    Example,
    Guarantee,
)

COINCIDE = {"printed": "printed", "certified": "printed"}
REPLACED_VECTOR = Guarantee("arms are eps-DP", "the reward vector of one round, in [0, 1]^K, is replaced")

CLEAR: Environment = {"family": "bernoulli_spread", "arms": 3, "best": 0.95, "gap": 0.6, "spread": 0.2}
CLOSE: Environment = {"family": "bernoulli_spread", "arms": 3, "best": 0.9, "gap": 0.25, "spread": 0.3}
EQUAL: Environment = {"family": "bernoulli_spread", "arms": 5, "best": 0.95, "gap": 0.2, "spread": 0.0}
FIVE: Environment = {"family": "bernoulli_spread", "arms": 5, "best": 0.95, "gap": 0.5, "spread": 0.4}
WITHOUT_NOISE = (Example(CLOSE, {}, 100), Example(FIVE, {}, 100))
