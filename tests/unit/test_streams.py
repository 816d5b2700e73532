"""Streams are a function of their names: any order and chunking gives the same numbers, any other name others."""

import itertools

import numpy as np
import pytest

from dpbandits.base.streams import ROLES, generator, words

NAMES = ["figure2", "figure3", "", "a name with spaces", "ε"]
INDICES = [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (2**32 - 1,), (0, 0, 0)]


def head(*arguments):
    return tuple(generator(*arguments).integers(0, 2**63, size=4).tolist())


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        ((1, "instance", "a"), 2500183813837044867, 2525195720285779222),
        ((1, "instance", "a", 0), 6044727086271656575, 3109923934005834044),
        ((1, "policy", "a", 3, 5), 2200467990347153775, 7230644867175145057),
        ((20220707, "audit", "hanna2022/sums", 7), 8533931000082883227, 2146035661386675892),
    ],
)
def test_streams_never_change(arguments, first, second):
    """Stored results depend on these numbers: a change here makes all of them stale."""
    assert head(*arguments)[:2] == (first, second)


def test_words_are_the_first_eight_bytes_of_sha_256():
    """SHA-256 of "abc" begins ba7816bf 8f01cfea (FIPS 180-2)."""
    assert words("abc") == (0xBA7816BF, 0x8F01CFEA)


def test_order_and_chunks_do_not_matter():
    seeds = list(range(20))
    whole = {seed: head(7, "policy", "p", seed, 0) for seed in seeds}
    for chunk in (1, 3, 7):
        for first in reversed(range(0, 20, chunk)):
            assert all(
                head(7, "policy", "p", seed, 0) == whole[seed] for seed in reversed(seeds[first : first + chunk])
            )


def test_every_part_of_the_name_matters():
    keys = list(itertools.product([0, 1, 2**40], ROLES, NAMES, INDICES))
    assert len({head(seed, role, name, *indices) for seed, role, name, indices in keys}) == len(keys)


def test_index_types_do_not_matter():
    assert head(1, "policy", "p", np.int64(3)) == head(1, "policy", "p", np.uint8(3)) == head(1, "policy", "p", 3)


def test_roles_have_fixed_numbers():
    assert ROLES == {"instance": 0, "policy": 1, "audit": 3}


@pytest.mark.parametrize("indices", [(-1,), (2**32,), (0, 2**40)])
def test_indices_must_fit_a_word(indices):
    with pytest.raises(ValueError, match="stream indices"):
        generator(1, "policy", "p", *indices)


def test_unknown_role_is_refused():
    with pytest.raises(KeyError, match="reward"):
        generator(1, "reward", "p")
