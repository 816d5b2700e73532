"""Worker of `peers`, run by the Python of their environment: plays policies of public packages round by round.

A line of standard input is a question, {"policy", "means", "first_seed", "seeds", "checkpoints"}. A line of standard
output answers it: {"regrets": one list per seed, "seconds": CPU time of the loops} or {"fault": what went wrong}. The
packages print when they are imported, so their standard output is redirected to standard error.
"""

import json
import os
import random
import sys
import time

import numpy as np


def smpybandits(name, means, rng):
    """Policy of SMPyBandits. Its clock starts at 1, so that its logarithm uses the upcoming round, as ours does."""
    import SMPyBandits.Policies as policies

    policy = getattr(policies, name)(len(means))
    policy.startGame()
    policy.t = 1
    return range(0), policy.choice, policy.getReward


def mabwiser(name, means, rng):
    """Policy of MABWiser, which breaks ties by the first arm and must learn before it chooses.

    Therefore the order of the arms is random. UCB1 starts with every arm once, and Thompson sampling with a random arm,
    as its equal priors imply. The logarithm uses the number of rounds played.
    """
    from mabwiser.mab import MAB, LearningPolicy

    order = rng.permutation(len(means)).tolist()
    rule = LearningPolicy.UCB1(alpha=1.0) if name == "UCB1" else LearningPolicy.ThompsonSampling()
    policy = MAB(order, rule, seed=int(rng.integers(2**31)))
    first = order if name == "UCB1" else order[:1]

    def learn(arm, reward):
        policy.partial_fit([arm], [reward])

    return first, policy.predict, learn


POLICIES = {
    "smpybandits_ucb": (smpybandits, "UCB"),
    "smpybandits_thompson": (smpybandits, "Thompson"),
    "mabwiser_ucb1": (mabwiser, "UCB1"),
    "mabwiser_thompson": (mabwiser, "ThompsonSampling"),
}


def play(question, seed):
    """Regret of one run at the checkpoints, and the CPU seconds of its loop."""
    means, marks = question["means"], set(question["checkpoints"])
    gaps = [max(means) - mean for mean in means]
    np.random.seed(seed)  # noqa: NPY002 - SMPyBandits draws from the global state
    random.seed(seed)
    rng = np.random.default_rng([2023, seed])
    make, name = POLICIES[question["policy"]]
    first, choose, learn = make(name, means, rng)
    pulls, regrets = [0] * len(means), []
    start = time.process_time()
    for t in range(1, max(marks) + 1):
        arm = first[t - 1] if t <= len(first) else choose()
        learn(arm, float(rng.random() < means[arm]))
        pulls[arm] += 1
        if t in marks:
            regrets.append(sum(n * gap for n, gap in zip(pulls, gaps)))  # noqa: B905 - equal by construction
    return regrets, time.process_time() - start


def main():
    """Answer questions until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    np.seterr(all="ignore")  # SMPyBandits divides by the pull counts of arms not yet pulled
    for line in sys.stdin:
        question = json.loads(line)
        try:
            seeds = range(question["first_seed"], question["first_seed"] + question["seeds"])
            runs = [play(question, seed) for seed in seeds]
            answer = {"regrets": [regrets for regrets, _ in runs], "seconds": sum(seconds for _, seconds in runs)}
        except Exception as fault:  # any exception must be reported to the asking process
            answer = {"fault": f"{type(fault).__name__}: {fault}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
