"""What claims say about themselves where a reader of the papers may object: source, subject, place and words."""

import pytest

from tests.shipped import shipped

PAPERS = shipped("full").papers
OURS = {"source": "ours", "subject": "variant_of_ours"}
OF_OUR_SETTINGS = {"severity": "detail", "subject": "variant_of_ours"}


def section(paper: str, name: str):
    """The section of a claim, or what a variant changes of it."""
    claim, _, variant = name.partition("/")
    found = PAPERS[paper].claims[claim]
    return found.variants[variant] if variant else found


@pytest.mark.parametrize(
    ("paper", "name", "labels"),
    [
        ("hanna2022", "C2", OURS),  # the paper says only that the rates differ
        ("hanna2022", "C5", {"source": "stated", "subject": "paper"}),  # in the abstract
        ("hanna2022", "C6", OURS),
        *(("hu2021", name, OF_OUR_SETTINGS) for name in ("C1", "C2", "C3", "C4")),
        ("hu2021", "C20", {"source": "theorem", "subject": "variant_of_ours"}),  # its noise is not legible
        ("hu2021", "C22/later_rivals", {"subject": "variant_of_ours"}),
        ("hu2021", "C23", OURS),  # a claim of another paper, with a ratio of ours
        ("chowdhury2022", "C22/from_two_arms", {"subject": "variant_of_ours"}),
        ("chowdhury2022", "C23", {"source": "ours"}),  # the section restricts the range itself
        ("chowdhury2022", "C30", OURS),
    ],
)
def test_labels_are_those_that_the_text_of_the_paper_supports(paper, name, labels):
    found = section(paper, name)
    assert {label: getattr(found, label) for label in labels} == labels


@pytest.mark.parametrize(
    ("paper", "name", "field", "words"),
    [
        ("hanna2022", "C4", "statement", "closely following the non-private regret"),
        ("hanna2022", "C5", "where", "Abstract"),
        ("hu2021", "C4", "where", "Abstract of version 1"),
        ("hu2021", "C5", "where", "Theorems 3 and 5"),
        ("hu2021", "C6", "where", "Theorems 3 and 5"),
        ("hu2021", "C8", "where", "Section 4.1"),
        ("hu2021", "C9", "where", "Sections 1, 1.1, 4.1 and 4.2"),
        ("hu2021", "C20", "note", "The scale of the paper's noise is lost in the text that we have."),
        ("hu2021", "C21", "where", "Section 3.1"),
        ("hu2021", "C22", "statement", "the best of the private algorithms of its time"),
        ("chowdhury2022", "C21", "statement", "at most"),
    ],
)
def test_words_and_places_are_those_of_the_paper(paper, name, field, words):
    assert words in getattr(section(paper, name), field)


@pytest.mark.parametrize("name", ["worst", "worst_budgets"])
def test_the_largest_regret_over_norms_which_is_judged_is_drawn(name):
    assert PAPERS["han2021"].figures[name].worst


@pytest.mark.parametrize("name", ["regret", "diverse"])
def test_uniform_play_does_not_fill_the_axis(name):
    assert PAPERS["han2021"].figures[name].scale == "log"


def test_the_panels_of_the_rivals_name_their_sections():
    assert PAPERS["hu2021"].figures["rivals"].shows.startswith("Sections 1 and 3.1, ")
