"""The site in a real browser, opened from files, at full scale with the committed records."""

import shutil

import pytest

from dpbandits.report.notebook_page import notebook_page

from ..committed_site import build
from ..patience import LONGEST

BROWSER = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium or google-chrome on the path")
PAGES = (
    "index.html",
    "claims.html",
    "run.html",
    "speed.html",
    "hanna2022.html",
    "hanna2022/C3.html",
    "chowdhury2022.html",
    "docs/background/verdicts.html",
    "docs/statements/hanna2022.html",
    "config/papers/hanna2022.yaml.html",
)
NOTEBOOK = "notebooks/hanna2022.html"
HANGS = 1000 * LONGEST  # milliseconds to wait for the browser to start and to show the expected content
MORE = ".claim ~ .claim ~ .claim ~ .claim, .switch ~ .switch ~ .switch, .paper ~ .paper, #list > :nth-child(n + 9)"
FIGURE = "hanna2022/regret_against_budget"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build(tmp_path_factory.mktemp("site")).as_uri()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"], timeout=HANGS)
        yield started
        started.close()


@pytest.fixture
def visit(browser, site):
    """A function that opens a page; at the end there were no errors and no network requests."""
    said, asked, contexts = [], [], []

    def opened(name, width=1400, scheme="light", **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
        context.set_default_timeout(HANGS)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{site}/{name}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def shown(page):
    return page.locator("#list > li:visible").count()


def in_view(page, place):
    return page.evaluate(
        """place => { const box = document.getElementById(place).getBoundingClientRect();
        return box.top >= -1 && box.top < innerHeight && box.height > 0; }""",
        place,
    )


def in_tiers(name, width, scheme):
    """Parameters of a page; `make test` checks the first page in both color schemes, and each kind of page once."""
    often = name == PAGES[0] or (scheme == "light" and "chowdhury2022" not in name and width == 1400)
    return pytest.param(name, width, scheme, marks=() if often else pytest.mark.slow)


VIEWS = [*((name, 1400) for name in PAGES), (NOTEBOOK, 1400), (NOTEBOOK, 400)]


@pytest.mark.parametrize(
    ("name", "width", "scheme"), [in_tiers(*view, scheme) for scheme in ("light", "dark") for view in VIEWS]
)
def test_pages_are_accessible(visit, name, width, scheme):
    """All rules of axe for the first claims and figures, with collapsed content; the others have the same structure."""
    from axe_playwright_python.sync_playwright import Axe

    page = visit(name, width, scheme)
    page.evaluate(f"document.querySelectorAll('{MORE}').forEach((each) => each.remove())")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    found = Axe().run(page, options={"preload": False})  # else it fetches the style, which local files may not
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", [*PAGES, NOTEBOOK])
@pytest.mark.parametrize("script", [True, False])
def test_a_phone_need_not_scroll_sideways(visit, name, script):
    page = visit(name, width=400, java_script_enabled=script)
    if script:
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_filters_filter(visit):
    page = visit("claims.html")
    every = shown(page)
    hits = page.locator("#hits")
    assert hits.text_content() == f"{every} of {every} claims and variants"
    assert hits.get_attribute("aria-live") == "polite"
    page.select_option("#paper", "hanna2022")
    own = page.locator("#list > li[data-paper=hanna2022]").count()
    assert shown(page) == own < every
    page.select_option("#verdict", "fails_ours")
    page.select_option("#calibration", "certified")
    failing = page.locator("#list > li[data-paper=hanna2022][data-cells*='certified:fails_ours ']").count()
    assert 0 < shown(page) == failing < own
    assert hits.text_content() == f"{failing} of {every} claims and variants"
    page.select_option("#verdict", "holds")
    holding = shown(page)
    page.fill("#text", "CORE set")
    assert 0 < shown(page) < holding
    assert all("core set" in text.lower() for text in page.locator("#list > li:visible").all_text_contents())
    page.fill("#text", "no such words")
    assert hits.text_content().startswith("0 of ")
    page.click("#filter button")
    page.wait_for_function("document.querySelectorAll('#list > li[hidden]').length === 0")
    assert page.url.endswith("#claims")


def test_words_find_what_is_named_everywhere(visit):
    """The key of a paper and the id of a claim. C1 does not match C18, but matches its own variants."""
    page = visit("claims.html")
    page.fill("#text", "chowdhury2022")
    assert shown(page) == page.locator("#list > li[data-paper=chowdhury2022]").count() > 0
    page.fill("#text", "hanna2022/C18")
    assert page.locator("#list > li:visible").evaluate_all("rows => rows.map((row) => row.id)") == ["hanna2022/C18"]
    page.fill("#text", "chowdhury2022/C2")
    found = page.locator("#list > li:visible").evaluate_all("rows => rows.map((row) => row.id)")
    assert all(place.split("-")[0] == "chowdhury2022/C2" for place in found)
    assert found
    page.fill("#text", "C2")
    assert page.locator("[id='hanna2022/C2']").is_visible()
    assert page.locator("[id='hanna2022/C20']").is_hidden()
    counts = []
    for words in ("theorem 3 ε hanna2022", "Theorem 3 eps hanna2022", "theorem 3 epsilon hanna2022"):
        page.fill("#text", words)
        counts.append(shown(page))
        assert page.locator("[id='hanna2022/C20']").is_visible(), words
    assert len(set(counts)) == 1, "symbols and their names are one"
    page.fill("#text", "headline")
    assert 0 < shown(page) < page.locator("#list > li").count()
    page.fill("#text", "")
    page.select_option("#class", "privacy")
    page.select_option("#subject", "released_code")
    assert 0 < shown(page) == page.locator("#list > li[data-class=privacy][data-subject*=released_code]").count()


@pytest.mark.parametrize("back", [True, False])
def test_leaving_a_filtered_list_clears_the_fields(visit, back):
    page = visit("claims.html#claims")
    every = shown(page)
    page.evaluate("location.hash = '#claims?verdict=fails&text=regret'")
    page.wait_for_function("document.querySelectorAll('#list > li[hidden]').length > 0")
    assert page.input_value("#verdict") == "fails"
    page.go_back() if back else page.evaluate("location.hash = '#claims'")
    page.wait_for_function("document.querySelectorAll('#list > li[hidden]').length === 0")
    assert page.input_value("#verdict") == page.input_value("#text") == ""
    assert shown(page) == every


def test_a_malformed_address_is_no_fault(visit):
    """`visit` detects errors; the rest of the script goes on."""
    for name in PAGES:
        page = visit(f"{name}#%")
        page.click("#theme")
        assert ground(page) == "rgb(13, 17, 23)"


def test_a_filtered_list_can_be_linked(visit):
    page = visit("claims.html")
    page.select_option("#verdict", "unclear")
    page.fill("#text", "regret ε")
    count, address = shown(page), page.url
    again = visit(f"index.html#{address.partition('#')[2]}")
    again.wait_for_url("**/claims.html#*")
    assert again.input_value("#verdict") == "unclear"
    assert again.input_value("#text") == "regret ε"
    assert shown(again) == count
    assert in_view(again, "claims")


@pytest.mark.parametrize("place", ["chowdhury2022/C7", "hanna2022/C4", f"{FIGURE}-certified", "chowdhury2022/audit"])
def test_links_to_a_place_land(visit, place):
    """On the page of the paper, from the front page and directly."""
    paper = place.partition("/")[0]
    for start in ("index.html", f"{paper}.html"):
        page = visit(f"{start}#{place}")
        page.wait_for_url(f"**/{paper}.html#{place}")
        page.wait_for_function("document.readyState === 'complete'")
        assert in_view(page, place)


def test_links_land_without_script(visit):
    """To the row of the list; a figure is shown even if its calibration is not the selected one."""
    page = visit("claims.html#chowdhury2022/C7", java_script_enabled=False)
    assert page.url.endswith("claims.html#chowdhury2022/C7")
    assert page.locator("#list > li:target").is_visible()
    assert not page.locator("#filter").is_visible()
    assert page.locator("#list > li:visible").count() == page.locator("#list > li").count()
    page = visit(f"hanna2022.html#{FIGURE}-certified", java_script_enabled=False)
    assert page.locator(f"[id='{FIGURE}-certified']").is_visible()


@pytest.mark.parametrize("script", [True, False])
def test_figures_switch(visit, script):
    page = visit("hanna2022.html", java_script_enabled=script)
    figures = {name: page.locator(f"[id='{FIGURE}-{name}']") for name in ("printed", "tuned", "certified")}
    assert [each.is_visible() for each in figures.values()] == [True, False, False]
    page.click("label[for=regret_against_budget-shown-tuned]")
    assert [each.is_visible() for each in figures.values()] == [False, True, False]
    page.locator("#regret_against_budget-shown-tuned").press("ArrowRight")
    assert [each.is_visible() for each in figures.values()] == [False, False, True]


def test_a_link_to_a_figure_chooses_its_calibration(visit):
    page = visit(f"hanna2022.html#{FIGURE}-tuned")
    assert page.is_checked("#regret_against_budget-shown-tuned")
    page.click("label[for=regret_against_budget-shown-printed]")
    assert not page.locator(f"[id='{FIGURE}-tuned']").is_visible()


def test_a_link_leads_there_again(visit):
    """The address is already that of the link, another calibration was selected, and its container was collapsed."""
    page = visit(f"hanna2022.html#{FIGURE}-tuned")
    page.click("label[for=regret_against_budget-shown-printed]")
    page.evaluate(f"document.body.insertAdjacentHTML('beforeend', '<a id=again href=\"#{FIGURE}-tuned\">again</a>')")
    page.click("#again")
    assert page.is_checked("#regret_against_budget-shown-tuned")
    page.wait_for_function(
        "place => document.getElementById(place).getBoundingClientRect().top < innerHeight / 2", arg=f"{FIGURE}-tuned"
    )
    assert in_view(page, f"{FIGURE}-tuned")


def test_values_show_under_the_pointer_and_by_keys(visit):
    page = visit(f"hanna2022.html#{FIGURE}-printed")
    overlay, tip = page.locator("svg.values"), page.locator("#tip")
    assert tip.is_hidden()
    overlay.locator("circle").first.hover()
    assert tip.text_content() == "central: ε = 0.1, regret 9"
    page.mouse.move(1, 1)
    assert tip.is_hidden()
    overlay.focus()
    for key, says in (
        ("ArrowRight", "central"),
        ("ArrowRight", "local"),
        ("ArrowRight", "central"),
        ("ArrowLeft", "local"),
    ):
        page.keyboard.press(key)
        assert tip.is_visible()
        assert tip.text_content().startswith(says)
    page.keyboard.press("Escape")
    assert tip.is_hidden()


def test_the_first_key_to_the_left_goes_to_the_last_value(visit):
    page = visit(f"hanna2022.html#{FIGURE}-printed")
    page.locator("svg.values").first.focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator("#tip").text_content().startswith("local")
    assert page.locator("svg.values circle").last.evaluate("circle => circle.classList.contains('current')")


def test_a_tap_shows_a_value_until_the_next_tap_elsewhere(visit):
    page = visit(f"hanna2022.html#{FIGURE}-printed", has_touch=True)
    circles, tip = page.locator("svg.values circle"), page.locator("#tip")
    for number, says in ((0, "central"), (1, "local"), (1, "local")):
        circles.nth(number).tap()
        page.wait_for_timeout(50)
        assert tip.is_visible()
        assert tip.text_content().startswith(says)
    page.locator("figcaption:visible").first.tap()
    assert tip.is_hidden()


def test_keys_bring_values_into_view_on_a_phone(visit):
    """The box of the figure scrolls to the value; the tip stays beside it, and disappears when the box moves."""
    page = visit(f"hanna2022.html#{FIGURE}-printed", width=200)
    box, tip = page.locator(".scroll", has=page.locator("svg.values")), page.locator("#tip")
    page.locator("svg.values").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("box => box.scrollLeft > 0", arg=box.element_handle())
    page.wait_for_timeout(100)  # a tip that disappears when the box scrolls would be gone now
    circle = page.locator("svg.values circle").last.bounding_box()
    assert 0 <= circle["x"] <= 200 - circle["width"]
    assert tip.is_visible()
    box.evaluate("box => { box.scrollLeft = 0; }")
    page.wait_for_function("document.getElementById('tip').hidden")


def test_values_lie_where_the_figure_has_them(visit):
    """Values at 100 of the picture's 590.4 units stay there, however wide the picture is displayed."""
    for width in (1400, 400):
        page = visit(f"hanna2022.html#{FIGURE}-printed", width=width)
        picture = page.locator(f"[id='{FIGURE}-printed'] img").bounding_box()
        circle = page.locator("svg.values circle").first.bounding_box()
        middle = circle["x"] + circle["width"] / 2 - picture["x"]
        assert middle / picture["width"] == pytest.approx(100 / 590.4, abs=0.005)


def ground(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_no_script_or_picture_of_a_text_is_run_or_loaded(browser, tmp_path):
    """In a notebook page, whose cells may contain HTML; the page's own script runs."""
    body = (
        "<pre>"
        + "wide " * 999
        + "</pre><script>document.title = 'x'</script><img src=a:b onerror=\"document.title='x'\">"
    )
    (tmp_path / "page.html").write_text(notebook_page("title", body), encoding="utf-8")
    page, said = browser.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.goto((tmp_path / "page.html").as_uri())
    assert page.title() == "title"
    assert page.locator("pre").get_attribute("tabindex") == "0"
    assert len([each for each in said if "Content Security Policy" in each]) == 3
    page.close()


def test_the_theme_follows_the_system_and_the_button(visit):
    assert ground(visit("index.html", scheme="dark")) == "rgb(13, 17, 23)"
    page = visit("index.html")
    assert ground(page) == "rgb(255, 255, 255)"
    page.click("#theme")
    assert ground(page) == "rgb(13, 17, 23)"
    page.reload()
    assert ground(page) == "rgb(13, 17, 23)", "remembered"
    other = page.get_attribute("nav a >> nth=1", "href")
    page.click("nav a >> nth=1")
    page.wait_for_url(f"**/{other}")
    assert ground(page) == "rgb(13, 17, 23)", "on the other pages too"
    page.goto(page.url.rpartition("/")[0] + f"/{NOTEBOOK}")
    assert ground(page) == "rgb(13, 17, 23)", "and in notebooks"
    page.go_back()
    page.click("#theme")
    assert ground(page) == "rgb(255, 255, 255)"


def test_the_theme_works_where_nothing_may_be_stored(browser, site):
    context = browser.new_context()
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    )
    context.set_default_timeout(HANGS)
    page = context.new_page()
    page.goto(f"{site}/index.html")
    page.click("#theme")
    assert ground(page) == "rgb(13, 17, 23)"
    context.close()


def reached(page, selector, presses):
    """Whether the Tab key reaches an element within this many presses, with a visible focus mark."""
    for _ in range(presses):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    return False


def test_keys_reach_filter_and_figures(visit):
    page = visit("claims.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.locator("#list > li:first-child a").focus()
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.type") == "reset"
    page.evaluate("document.querySelector('#claims').tabIndex = -1; document.querySelector('#claims').focus()")
    assert reached(page, "#text", 1)
    page = visit("hanna2022.html")
    page.evaluate("document.querySelector('#figures').tabIndex = -1; document.querySelector('#figures').focus()")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "regret_against_budget-shown-printed"
    page.keyboard.press("ArrowRight")
    assert page.is_checked("#regret_against_budget-shown-tuned")
    page.keyboard.press("ArrowLeft")
    assert reached(page, "svg.values", 2)


@pytest.mark.parametrize("name", PAGES)
def test_printed_pages_are_light_whole_and_without_controls(visit, name):
    page = visit(name, scheme="dark")
    page.emulate_media(media="print")
    assert ground(page) == "rgb(255, 255, 255)"
    assert page.locator("#theme, fieldset, #filter, .contents").locator("visible=true").count() == 0
    hidden = (
        "[...document.querySelectorAll('details > :not(summary)')].filter((each) => !each.checkVisibility()).length"
    )
    assert page.evaluate(hidden) == 0
    assert page.locator("figure").count() == page.locator("figure:visible").count()
    assert page.evaluate("[...document.querySelectorAll('.sign')].every((each) => each.textContent.trim())")


def test_pages_are_no_longer_than_a_reader_scrolls(visit):
    """In pixels at width 1400: the answer on the front page's first screen, the page in five, papers in sixteen."""
    page = visit("index.html", width=1400)
    assert page.evaluate("document.querySelector('.matrix').getBoundingClientRect().bottom") < 900
    assert page.evaluate("document.documentElement.scrollHeight") < 5000
    for name in ("hanna2022.html", "chowdhury2022.html"):
        assert visit(name, width=1400).evaluate("document.documentElement.scrollHeight") < 15000


def test_contents_stay_in_view(visit):
    page = visit("hanna2022.html", width=1400)
    page.evaluate("document.querySelector('#figures').scrollIntoView()")
    box = page.locator(".contents").bounding_box()
    assert 0 <= box["y"] < 100


def test_a_verdict_leads_from_the_front_page_to_its_numbers(visit):
    page = visit("index.html", width=1400)
    page.click("a[aria-label^='Hanna et al., C3, printed']")
    page.wait_for_url("**/hanna2022/C3.html#claim")
    page.click("a[href='#claim/certified']")
    assert in_view(page, "claim/certified")


def test_a_claim_leads_to_the_lines_that_test_it_and_a_statement_to_its_claims(visit):
    page = visit("hanna2022/C3.html", width=1400)
    page.click("text=how it is tested")
    page.wait_for_url("**/config/papers/hanna2022.yaml.html#L*")
    line = page.url.partition("#")[2]
    assert page.locator(f"#{line}").text_content().strip() == "C3:"
    assert in_view(page, line)
    page = visit("docs/statements/hanna2022.html", width=1400)
    page.click("text=C3/small_budgets")
    page.wait_for_url("**/hanna2022/C3.html#small-budgets")
    assert in_view(page, "small-budgets")


@pytest.mark.parametrize("name", [*PAGES, NOTEBOOK])
def test_printed_pages_fit_the_paper(visit, name):
    """Within the margins of A4, because Chromium shrinks all pages to the widest element on one."""
    page = visit(name, width=717)
    page.emulate_media(media="print")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 717
