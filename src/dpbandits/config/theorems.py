"""Theorems that bound the privacy of a mechanism; the audits of every paper may name them as proof.

A paper adds its own theorems in its file, under `theorems`. Our own proofs are in docs/proofs.
"""

from collections.abc import Mapping

from dpbandits.config.models.claims import Theorem


def _theorem(says: str, source: str) -> Theorem:
    return Theorem(says=says, source=source)


THEOREMS: Mapping[str, Theorem] = {
    "laplace": _theorem(
        "Laplace noise of scale b on numbers with l1 sensitivity s is (s/b)-DP. The privacy losses of several numbers "
        "add up.",
        "Dwork, McSherry, Nissim and Smith (TCC 2006), Proposition 1; losses: docs/proofs/mechanisms.md, Laplace noise",
    ),
    "gaussian": _theorem(
        "Gaussian noise on numbers with an l2 sensitivity of mu standard deviations is (eps, delta)-DP if and only if "
        "Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) <= delta.",
        "Balle and Wang (ICML 2018), Theorem 8",
    ),
    "post_processing": _theorem(
        "Post-processing: any function of a private release satisfies the same guarantee.",
        "Dwork and Roth (Foundations and Trends 2014), Proposition 2.1",
    ),
    "batches": _theorem(
        "Batches are disjoint. One record is in one batch and moves its sum by at most the range of a reward.",
        "docs/proofs/mechanisms.md, Sums and reports",
    ),
    "tree": _theorem(
        "A number lies in at most floor(log2 T) + 1 completed nodes of a binary tree over T numbers. The first number "
        "attains this.",
        "Chan, Shi and Song (TISSEC 2011), Section 3; docs/proofs/mechanisms.md, Trees",
    ),
    "noisy_max": _theorem(
        "Report noisy max: the index of the largest of several sums with sensitivity 1 and Lap(b) noise is (2/b)-DP.",
        "docs/proofs/mechanisms.md, Report noisy max",
    ),
    "least_squares_message": _theorem(
        "For users with |x| <= 1 and |r| <= 1, x x' (on and above its diagonal) and r x together have l2 sensitivity "
        "sqrt(9/2). The page gives the sensitivity for different noise on the two parts.",
        "docs/proofs/messages.md, Least squares",
    ),
    "several_blocks": _theorem(
        "For least-squares messages about all arms, the largest distance is attained by users of the same arm.",
        "docs/proofs/messages.md, Several arms",
    ),
    "unbounded_data": _theorem(
        "For unbounded data the distance of two users is unbounded, so no epsilon holds for all users.",
        "docs/proofs/messages.md, Unbounded data",
    ),
    "excluded_event": _theorem(
        "If an event has probability 0 under one input and p under the other, no epsilon holds at any delta below p.",
        "docs/proofs/mechanisms.md, Excluded events",
    ),
    "l2_ball": _theorem(
        "For every vector the density of the output takes two values with ratio e^eps, so a message is eps-DP.",
        "Duchi, Jordan and Wainwright (JASA 2018), Section 4.2.3; docs/proofs/mechanisms.md, Vectors in a ball",
    ),
    "failing_clones": _theorem(
        "Shuffled reports that are (eps0, delta0)-DP each: the divergence of the stronger clones, plus a term for "
        "delta0.",
        "docs/proofs/shuffling.md, Theorem 2",
    ),
    "clones": _theorem(
        "Shuffled reports that are eps0-DP each: the divergence of the stronger clones.",
        "docs/proofs/shuffling.md, Theorem 1",
    ),
    "laplace_blanket": _theorem(
        "Shuffled Laplace reports of values in an interval: the divergence of the privacy blanket.",
        "docs/proofs/shuffling.md, Theorem 3",
    ),
    "vector_sum": _theorem(
        "The counts of the shuffled vector sum, for all pairs of users: the divergence of the composed counts.",
        "docs/proofs/vector_sum.md",
    ),
}
"""Theorems by their name in the `proof` of an audit."""
