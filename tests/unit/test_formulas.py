"""Formulas of claims as HTML and as words to search for: known answers from the records, and what holds of any text."""

import json
import re
from functools import cache
from html import unescape
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from dpbandits.report.site import environment
from dpbandits.text.formulas import searchable, typeset, typeset_html
from tests.shipped import COMMITTED, PAPERS, ROOT

FIELDS = ("statement", "where", "threshold_reason", "could_fail", "note", "decisive")
OF_RECORDS = [
    # symbols
    ("Every report of Algorithm 2 is eps0-locally differentially", "is ε<sub>0</sub>-locally differentially"),
    ("have a likelihood ratio above exp(eps0) would", "a likelihood ratio above exp(ε<sub>0</sub>) would"),
    ("An exponent of epsilon below -1.3 for certain", "An exponent of ε below -1.3 for certain"),
    ("The corollaries claim O(epsilon) without naming", "claim O(ε) without naming"),
    ("The rivals are quoted as eps-DP, so the actual", "are quoted as ε-DP, so the actual"),
    ("Theorem 3.5 states (epsilon, delta)-SDP without", "states (ε, δ)-SDP without"),
    ("is (eps0, delta0)-LDP for eps0 up to 1.", "(ε<sub>0</sub>, δ<sub>0</sub>)-LDP for ε<sub>0</sub> up to 1."),
    ("order K ln T / (eps Delta) times.", "order K ln T / (ε Δ) times."),
    ("The measured exponent of T could grow from one beta to the next;", "grow from one β to the next;"),
    ("two contexts that occur, at theta = 0.", "that occur, at θ = 0."),
    ("Regret at lambda = 1 above 1.2 times", "Regret at λ = 1 above 1.2 times"),
    ("Epsilon near 1 is Remark 3's; we take", "Epsilon near 1 is Remark 3&#39;s; we take"),
    ("alpha_kl = 1, alpha_private = 3; no theorem", "alpha_kl = 1, alpha_private = 3; no theorem"),
    ("lazy_dp_ts / adap_kl_ucb:alpha_one at gap = 0.05", "lazy_dp_ts / adap_kl_ucb:alpha_one at gap = 0.05"),
    # exponents
    ("The elliptical error grows as T^(1/4) for adversarial", "grows as T<sup>1/4</sup> for adversarial"),
    ("grows at most as eps^(-2/5).", "grows at most as ε<sup>−2/5</sup>."),
    ("regret grows as T^((1 - beta) / 2).", "regret grows as T<sup>(1 − β) / 2</sup>."),
    ("regret grows as eps^-(1 + beta).", "regret grows as ε<sup>−(1 + β)</sup>."),
    ("could grow faster than T^0.80.", "could grow faster than T<sup>0.80</sup>."),
    ("falls faster than T^-0.1 would mean", "falls faster than T<sup>−0.1</sup> would mean"),
    ("with probability about T^-e, where", "with probability about T<sup>−e</sup>, where"),
    ("grows at most as (log T)^2.", "grows at most as (log T)<sup>2</sup>."),
    ("the other term, ln^2 T / Delta.", "the other term, ln<sup>2</sup> T / Δ."),
    ("Two outcomes in [0, 1]^K could give", "Two outcomes in [0, 1]<sup>K</sup> could give"),
    ("at most (D/g)^2 (B + B b / 4).", "at most (D/g)<sup>2</sup> (B + B b / 4)."),
    (
        "a batch of 2^d is the first of at least N, it ends within 2^(d+1) pulls.",
        "it ends within 2<sup>d+1</sup> pulls.",
    ),
    ("m B_infinity^2 is therefore m K^2.", "m B_infinity<sup>2</sup> is therefore m K<sup>2</sup>."),
    ("variance of the noise over 2 / (n eps^2) in", "variance of the noise over 2 / (n ε<sup>2</sup>) in"),
    (
        "(ln(B/delta) ln(2/delta))^(1/4), and the regret of P_Vec at most as ln(d^2/delta)^(1/2).",
        "(ln(B/δ) ln(2/δ))<sup>1/4</sup>, and the regret of P_Vec at most as ln(d<sup>2</sup>/δ)<sup>1/2</sup>.",
    ),
    (
        "is eps0^(5/4) T^(-3/8) d^(1/8) ln(1/delta0)^(3/8).",
        "is ε<sub>0</sub><sup>5/4</sup> T<sup>−3/8</sup> d<sup>1/8</sup> ln(1/δ<sub>0</sub>)<sup>3/8</sup>.",
    ),
    # roots
    ("at most like 1 / eps and sqrt(log(1 / delta)).", "at most like 1 / ε and √(log(1 / δ))."),
    ("deviation 4 sqrt(2 ln(2.5/delta0))/eps0 is", "4 √(2 ln(2.5/δ<sub>0</sub>))/ε<sub>0</sub> is"),
    ("for eps up to 2 ln(2/delta) sqrt(2 T)/B.", "for ε up to 2 ln(2/δ) √(2 T)/B."),
    ("an epsilon that grows as sqrt B.", "an ε that grows as sqrt B."),
    ("at most as the root of T log T.", "at most as the root of T log T."),
    ("phased_elimination over sqrt_T_log_T, relative", "phased_elimination over sqrt_T_log_T, relative"),
    # powers of ten, relations, code
    ("The tolerances of 1e-6 and 2 % are our choice.", "tolerances of 10<sup>−6</sup> and 2 % are our choice."),
    ("we take alpha = 1/T = 5e-5.", "we take α = 1/T = 5·10<sup>−5</sup>."),
    ("ldp_sgd - ldp_gloc at T = 3e+06, eps = 0.5", "ldp_sgd - ldp_gloc at T = 3·10<sup>6</sup>, ε = 0.5"),
    ("rnm_ftnl: T = 1.67772e+07, gap = 0.5", "rnm_ftnl: T = 1.67772·10<sup>7</sup>, gap = 0.5"),
    ("the non-private one at some epsilon >= 1.", "the non-private one at some ε ≥ 1."),
    (
        "at some eps0 <= 1, or one that rises with eps0, would",
        "ε<sub>0</sub> ≤ 1, or one that rises with ε<sub>0</sub>, would",
    ),
    ("For eps > 1 the local epsilon of", "For ε &gt; 1 the local ε of"),
    ("about other dimensions; `five_dimensions` does.", "other dimensions; <code>five_dimensions</code> does."),
]
"""A piece of a text of the records, and how what the piece says ends in HTML."""
OTHERS = [
    ("5 x 3 arms", "5 x 3 arms"),
    ("a <= b < c & d", "a ≤ b &lt; c &amp; d"),
    ("a <== b <=> c", "a &lt;== b &lt;=&gt; c"),
    ("`eps^2 <= 1e-6`", "<code>eps^2 &lt;= 1e-6</code>"),
    ("an odd ` and eps", "an odd ` and ε"),
    ("2e0, 1.0e6, 12e5", "2·10<sup>0</sup>, 1.0·10<sup>6</sup>, 12·10<sup>5</sup>"),
    ("0x1e5, v1e5, 1e6a, 1e6.5, 1.2.3e4", "0x1e5, v1e5, 1e6a, 1e6.5, 1.2.3e4"),
    ("1e6^2", "1e6<sup>2</sup>"),
    ("T^(1/4 and sqrt(T", "T^(1/4 and sqrt(T"),
    ("T^1/4)", "T<sup>1</sup>/4)"),
    ("T^(`)` + 1)", "T<sup><code>)</code> + 1</sup>"),
    ("sqrt(sqrt(T) + d^(a (b)))", "√(√(T) + d<sup>a (b)</sup>)"),
    ("x^2^3", "x<sup>2<sup>3</sup></sup>"),
    ("x^(2)^(3)", "x<sup>(2)<sup>3</sup></sup>"),
    ("e^-sqrt(T) f", "e<sup>−√(T)</sup> f"),
    ("T^(1e-6)", "T<sup>10<sup>−6</sup></sup>"),
    ("^2, a ^ 2, ^_^", "^2, a ^ 2, ^_^"),
    ("np.sqrt(2), my_sqrt(2)", "np.sqrt(2), my_sqrt(2)"),
    ("run.eps, --eps, eps.txt, steps, epsilons, eps1", "run.eps, --eps, eps.txt, steps, epsilons, eps1"),
    ("<script>alert('1')</script>", "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"),
    ("\0", "\N{REPLACEMENT CHARACTER}"),
]
PIECES = (
    "^",
    "(",
    ")",
    "-",
    "`",
    "<",
    ">",
    "=",
    "&",
    '"',
    "sqrt",
    "eps",
    "delta0",
    "1e-6",
    "2",
    ".",
    "_",
    " ",
    "T",
    "ln",
)
anything = st.one_of(
    st.text(st.characters(exclude_categories=())),  # with halves of pairs and control characters
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
)


@cache
def committed():
    """All texts of the committed records and captions, each once."""
    found = {}
    for key in COMMITTED:
        for record in json.loads((ROOT / f"figures/{key}/data/claims.json").read_text(encoding="utf-8"))["records"]:
            found |= dict.fromkeys(record[field] for field in FIELDS if record.get(field))
            found |= dict.fromkeys(detail["label"] for detail in record["details"])
    for key in PAPERS:
        found |= dict.fromkeys(captions(yaml.safe_load((ROOT / f"config/papers/{key}.yaml").read_text("utf-8"))))
    return tuple(found)


def captions(node):
    if isinstance(node, dict):
        yield from [node["caption"]] if isinstance(node.get("caption"), str) else []
    for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from captions(each)


def elements(html):
    """The elements in a paragraph of this HTML, which must be well-formed."""
    return list(ElementTree.fromstring(f"<p>{html}</p>").iter())[1:]  # noqa: S314 (our own)


def plain(html):
    return unescape(re.sub(r"<[^>]*>", "", html))


def finds(query, text):
    """What JavaScript does with a query, as the documentation of `searchable` says."""
    return all(word in searchable(text) for word in query.lower().split())


# Known answers


@pytest.mark.parametrize(("text", "ends"), OF_RECORDS)
def test_the_formulas_of_records(text, ends):
    assert typeset(text).endswith(ends)


@pytest.mark.parametrize(("text", "html"), OTHERS)
def test_what_is_typeset_and_what_stays(text, html):
    assert typeset(text) == html


def test_most_known_answers_are_about_texts_that_claims_have():
    of_records = "\n".join(re.sub(r"\d", "#", text) for text in committed())
    assert sum(re.sub(r"\d", "#", text) in of_records for text, _ in OF_RECORDS) >= 25


def test_no_formula_of_the_records_is_left():
    left = re.compile(r"\^|\bsqrt\(|\beps(?!ilons)|\b([dD]elta|beta|theta|alpha|lambda)\b|\d[eE][+-]?\d|[<>]=")
    found = [text for text in committed() if left.search(plain(re.sub(r"<code>.*?</code>", "", typeset(text))))]
    assert len(committed()) > 1000
    assert found == []


def test_the_words_of_the_records_are_kept():
    for text in committed():
        html = typeset(text)
        assert {each.tag for each in elements(html)} <= {"sub", "sup", "code"}
        long_words = set(re.findall(r"(?<![\w:])[a-zA-Z]{4,}(?!\w)", text))
        lost = {word for word in long_words if word not in plain(html)}
        assert lost <= {"epsilon", "delta", "Delta", "beta", "theta", "alpha", "lambda", "sqrt"}


def test_a_text_that_is_marked_as_safe_is_escaped_too():
    assert typeset(Markup("<b>eps</b>")) == "&lt;b&gt;ε&lt;/b&gt;"


# What holds of any text


@given(anything)
def test_the_html_is_well_formed_and_has_no_other_elements(text):
    html = typeset(text)
    assert isinstance(html, Markup)
    assert all(each.tag in ("sub", "sup", "code") and not each.attrib for each in elements(html))


@given(anything)
def test_no_sign_of_markup_is_added_to_the_text(text):
    for sign in "<>&\"'":
        assert plain(typeset(text)).count(sign) <= text.count(sign)


@given(st.text(st.sampled_from("abcxyzT 12/+-*,;:()<>&=!?")).filter(lambda text: "=" not in text and "e" not in text))
def test_text_without_formulas_is_escaped_alone(text):
    assert typeset(text) == escape(text)


@given(st.text(st.sampled_from("eps^()-<>&= 1T_0"), min_size=1))
def test_code_stays_as_it_is(text):
    assert typeset(f"`{text}`") == Markup("<code>{}</code>").format(text)


@given(st.text(st.sampled_from("ab +()"), max_size=12))
def test_an_exponent_in_parentheses_ends_at_the_one_that_matches(text):
    opened = 0
    for letter in text:
        opened += {"(": 1, ")": -1}.get(letter, 0)
        assume(opened >= 0)
    assume(opened == 0)
    assert typeset(f"T^({text}) c") == f"T<sup>{text}</sup> c"
    assert typeset(f"sqrt({text}) c") == f"√({text}) c"


@pytest.mark.parametrize("text", ["x^(" * 5000 + ")" * 5000, "x^2" + "^2" * 5000, "sqrt(" * 5000, "1e" + "9" * 5000])
def test_no_text_is_too_deep_or_too_long(text):
    assert len(elements(typeset(text))) <= 16


# Search


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("An eps", "an eps epsilon ε"),
        ("an epsilon.", "an epsilon. eps epsilon ε"),
        ("1/ε", "1/ε eps epsilon ε"),
        ("regret Delta / (m - K)", "regret delta / (m - k) δ"),
        ("Δ and β", "δ and β delta beta"),
        ("theta, alpha", "theta, alpha theta θ α"),
        ("sqrt(T)", "sqrt(t) sqrt root √"),
        ("The root of T", "the root of t sqrt √"),
        ("2√(T)", "2√(t) sqrt root √"),
        ("eps0", "eps0 eps eps_0 eps₀ epsilon epsilon0 epsilon_0 epsilon₀ ε ε0 ε_0 ε₀"),
        ("Theorem 3\n in  Section 2", "theorem 3 in section 2"),
        ("keeps steps, alpha_kl", "keeps steps, alpha_kl"),
        ("", ""),
    ],
)
def test_the_index_has_every_spelling(text, words):
    assert searchable(text) == words


@pytest.mark.parametrize(
    "query", ["EPS", "epsilon regret", "ε", "Theorem 3", "3 theorem", "√ T", "sqrt", "Δ", "delta", ""]
)
def test_a_query_finds_a_text_however_it_spells_symbols(query):
    assert finds(query, "Theorem 3: regret grows as sqrt(T) Delta / eps.")


@pytest.mark.parametrize("query", ["beta", "theorem 4", "eps lower"])
def test_a_query_needs_all_its_words(query):
    assert not finds(query, "Theorem 3: regret grows as sqrt(T) Delta / eps.")


@given(anything)
def test_a_text_is_found_by_its_own_words_and_its_index_has_all_spellings(text):
    index = searchable(text)
    assert finds(text, text)
    assert index == index.lower() == searchable(index)


def test_templates_can_call_both():
    template = environment().from_string('<p title="{{ text | searchable }}">{{ text | typeset }}</p>')
    assert template.render(text="eps < 1") == '<p title="eps &lt; 1 epsilon ε">ε &lt; 1</p>'


def test_words_of_html_are_typeset_and_its_tags_and_code_are_not():
    found = typeset_html('<p>As T^(1/2), a &lt; b, <a href="T^2">eps</a>: <code>T^2</code></p>')
    assert found == '<p>As T<sup>1/2</sup>, a &lt; b, <a href="T^2">ε</a>: <code>T^2</code></p>'
