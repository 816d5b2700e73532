"""Named random streams.

A stream depends only on the root seed, its role, its name and its indices. It does not depend on chunks, order,
processes, or the other curves of an experiment. Different roles never share a stream.
"""

import hashlib

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

ROLES = {"instance": 0, "policy": 1, "audit": 3}


def words(name: str) -> tuple[int, int]:
    """A stable number for a name: the first 8 bytes of its SHA-256 as two 32-bit words."""
    head = hashlib.sha256(name.encode()).digest()[:8]
    return int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")


def generator(root_seed: int, role: str, name: str, *indices: int) -> Generator:
    """The random generator of one stream.

    Parameters
    ----------
    root_seed : the project's root seed.
    role : one of `ROLES`.
    name : the canonical name of what the stream is for (a point, an instance family, a claim).
    indices : seed, replicate, ...: non-negative integers below 2**32.

    Raises
    ------
    KeyError
        The role is unknown.
    ValueError
        An index does not fit 32 bits.
    """
    if any(not 0 <= index < 2**32 for index in indices):
        raise ValueError(f"stream indices must lie in [0, 2**32), not {indices}")
    key = (ROLES[role], *words(name), *(int(np.uint32(index)) for index in indices))
    return Generator(PCG64(SeedSequence(entropy=root_seed, spawn_key=key)))
