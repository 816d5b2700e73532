"""Random streams by name.

A stream depends on nothing but the root seed, what it is for and its own indices: not on chunks, order, processes,
or on the other curves of an experiment. Roles keep apart what must not be shared.
"""

import hashlib

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

ROLES = {"instance": 0, "policy": 1, "audit": 3}


def words(name: str) -> tuple[int, int]:
    """First 8 bytes of the SHA-256 of `name` as two 32-bit words: the stable number of a name."""
    head = hashlib.sha256(name.encode()).digest()[:8]
    return int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")


def generator(root_seed: int, role: str, name: str, *indices: int) -> Generator:
    """The generator of one stream.

    Parameters
    ----------
    root_seed : the project's root seed.
    role : one of `ROLES`.
    name : what the stream is for, canonically written (a point, an instance family, a claim).
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
