"""One-hop influence in Zachary's karate club: probabilistic maximum coverage of friends by friends.

W. W. Zachary, "An information flow model for conflict and fission in small groups", J. Anthropological Research 33
(1977): 34 people, 78 friendships. A picked person reaches each friend with a separate probability, which differs
between the two directions. A person does not reach themself. Left and right vertices are the people, numbered at
random, because ties are broken in favor of the lowest index.
"""

import numpy as np
from numpy.random import Generator

from dpbandits.environments.base import SETS, Family
from dpbandits.environments.combinatorial.coverage import check, instance
from dpbandits.environments.combinatorial.problem import Problem

FAMILY = Family(SETS, ("picks",), refuses=True)

PEOPLE = 34
FRIENDS = {
    0: (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31),
    1: (2, 3, 7, 13, 17, 19, 21, 30),
    2: (3, 7, 8, 9, 13, 27, 28, 32),
    3: (7, 12, 13),
    4: (6, 10),
    5: (6, 10, 16),
    6: (16,),
    8: (30, 32, 33),
    9: (33,),
    13: (33,),
    14: (32, 33),
    15: (32, 33),
    18: (32, 33),
    19: (33,),
    20: (32, 33),
    22: (32, 33),
    23: (25, 27, 29, 32, 33),
    24: (25, 27, 31),
    25: (31,),
    26: (29, 33),
    27: (33,),
    28: (31, 33),
    29: (32, 33),
    30: (32, 33),
    31: (32, 33),
    32: (33,),
}
"""For each person, the friends with a larger index. Indices are the numbers in the source minus one."""


def draw(rng: Generator, picks: int) -> tuple[Problem]:
    """The problem of picking `picks` people, with 156 edges whose means are uniform on [0.1, 0.5].

    Raises
    ------
    ValueError
        There is only one set of picks, or there are too many.
    """
    check(PEOPLE, picks)
    number = rng.permutation(PEOPLE)
    return (instance(rng, friendships()[np.ix_(number, number)], picks),)


def friendships() -> np.ndarray:
    """Mask of the pairs of people who are friends, (34, 34), symmetric."""
    joined = np.zeros((PEOPLE, PEOPLE), bool)
    for person, friends in FRIENDS.items():
        joined[person, list(friends)] = True
    return joined | joined.T
