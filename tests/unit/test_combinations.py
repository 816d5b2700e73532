"""Lists whose combinations are meant."""

import pytest

from dpbandits.base.combinations import combinations


def test_a_mapping_gives_all_combinations_the_last_name_fastest():
    assert combinations({"T": [100, 1000], "eps": [1, 2]}) == [
        {"T": 100.0, "eps": 1.0},
        {"T": 100.0, "eps": 2.0},
        {"T": 1000.0, "eps": 1.0},
        {"T": 1000.0, "eps": 2.0},
    ]


def test_the_order_of_names_and_values_is_that_of_the_file():
    found = combinations({"eps": [2, 1], "T": [1000, 100]})
    assert [list(each) for each in found] == [["eps", "T"]] * 4
    assert [tuple(each.values()) for each in found] == [(2.0, 1000.0), (2.0, 100.0), (1.0, 1000.0), (1.0, 100.0)]


def test_mappings_of_a_list_follow_each_other_each_with_names_of_its_own():
    blocks = [{"eps": [1, 2]}, {"arms": [8], "eps": [1]}, {"eps": [1]}]
    assert combinations(blocks) == [{"eps": 1.0}, {"eps": 2.0}, {"arms": 8.0, "eps": 1.0}, {"eps": 1.0}]


def test_a_list_of_one_mapping_is_that_mapping():
    block = {"eps": [0.1, 10], "width": [1]}
    assert combinations([block]) == combinations(block)


@pytest.mark.parametrize(("grid", "length"), [({}, 1), ([], 0), ({"eps": []}, 0), ({"a": [1, 2, 3], "b": [1, 2]}, 6)])
def test_the_number_is_the_product(grid, length):
    assert len(combinations(grid)) == length


def test_whole_numbers_become_floats():
    """1 and 1.0 in a file are the same point, with the same random streams."""
    (only,) = combinations({"eps": [1]})
    assert type(only["eps"]) is float
