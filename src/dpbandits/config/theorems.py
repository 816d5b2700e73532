"""Theorems that bound how private a mechanism is, which the audits of every paper may name as their proof.

A paper adds theorems of its own in its file, under `theorems`. What is proven here stands in docs/proofs.
"""

from collections.abc import Mapping

from dpbandits.config.models.claims import Theorem


def _theorem(says: str, source: str) -> Theorem:
    return Theorem(says=says, source=source)


THEOREMS: Mapping[str, Theorem] = {
    "laplace": _theorem(
        "Numbers that move by s together, in l1, with Laplace noise of scale b are (s/b)-DP; the losses of several "
        "numbers add up.",
        "Dwork, McSherry, Nissim and Smith (TCC 2006), Proposition 1; losses: docs/proofs/mechanisms.md, Laplace noise",
    ),
    "gaussian": _theorem(
        "Numbers that move by mu standard deviations together, in l2, with Gaussian noise are (eps, delta)-DP if and "
        "only if Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) <= delta.",
        "Balle and Wang (ICML 2018), Theorem 8",
    ),
    "post_processing": _theorem(
        "What is computed from a private release is as private.",
        "Dwork and Roth (Foundations and Trends 2014), Proposition 2.1",
    ),
    "batches": _theorem(
        "Batches are disjoint: one record is in one batch, and moves its sum by at most the range of a reward.",
        "docs/proofs/mechanisms.md, Sums and reports",
    ),
    "tree": _theorem(
        "A number lies in at most floor(log2 T) + 1 completed nodes of a binary tree over T numbers; those that start "
        "with the first number reach this.",
        "Chan, Shi and Song (TISSEC 2011), Section 3; docs/proofs/mechanisms.md, Trees",
    ),
    "noisy_max": _theorem(
        "The place of the largest of several sums, each of which moves by at most 1, with Lap(b) on each is (2/b)-DP.",
        "docs/proofs/mechanisms.md, Report noisy max",
    ),
    "least_squares_message": _theorem(
        "x x', on and above its diagonal, and r x of two users with |x| <= 1 and |r| <= 1 differ by at most the root "
        "of 9/2 in l2, and with other noise on either part by at most what the page computes.",
        "docs/proofs/messages.md, Least squares",
    ),
    "several_blocks": _theorem(
        "Of messages about all arms, users of the same arm are farthest apart in least squares.",
        "docs/proofs/messages.md, Several arms",
    ),
    "unbounded_data": _theorem(
        "For every distance there are two users that far apart, so that no epsilon holds for all.",
        "docs/proofs/messages.md, Unbounded data",
    ),
    "excluded_event": _theorem(
        "An event that one input excludes and the other has with probability p: no epsilon holds at any delta below p.",
        "docs/proofs/mechanisms.md, Excluded events",
    ),
    "l2_ball": _theorem(
        "The density of the output takes two values, in ratio e^eps, whatever the vector is; so a message is eps-DP.",
        "Duchi, Jordan and Wainwright (JASA 2018), Section 4.2.3; docs/proofs/mechanisms.md, Vectors in a ball",
    ),
    "failing_clones": _theorem(
        "Shuffled reports that are (eps0, delta0)-DP each: the divergence of the stronger clones, and a price for "
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
"""By the name that an audit's `proof` has."""
