"""Every text a reader sees is in the catalogue, in every language, and nowhere else."""

import ast
import re
import string
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmpb_core.planning.methods import METHOD_NAMES, METHODS, learners_of
from hmpb_core.publishing.words.catalogue import words_of as bundle_words
from hmpb_core.utility.words.catalogue import words_of as report_words
from pages.shared.page_list import page_names
from pages.words.assets import ROOT
from pages.words.catalogue import (
    JOINER,
    LANGUAGES,
    Markdown,
    catalogue,
    escape,
    listed,
    many,
    names_listed,
    number,
    one_in,
    percent,
    plain,
    sentences,
    t,
)

SCREEN = {
    "badge", "button", "caption", "checkbox", "data_editor", "download_button", "error", "expander",
    "file_uploader", "form_submit_button", "header", "info", "link_button", "markdown", "metric",
    "multiselect", "number_input", "page_link", "progress", "radio", "segmented_control", "select_slider",
    "selectbox", "slider", "status", "subheader", "success", "tabs", "text", "text_area", "text_input",
    "title", "toast", "toggle", "warning", "write",
}  # fmt: skip
WORDED = {"label", "help", "placeholder", "text", "caption", "alt", "body"}
BOTH_LANGUAGES_AT_ONCE = {"Language / 语言"}


def placeholders(text):
    """The holes, but for words that are chosen by a number: not every language has both."""
    return sorted(
        name for _, name, form, _ in string.Formatter().parse(text) if name is not None and "|" not in form
    )


def words_of(text):
    return sum(any(map(str.isalpha, word)) for word in re.sub(r"\{[^}]*\}", "", text).split())


def sources():
    return sorted((ROOT / "pages").rglob("*.py"))


def outside_calls(node):
    """A node and what is in it, but for what is handed to another function, such as ``t``."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Call):
            yield from outside_calls(child)


def literals(path):
    """Texts that a screen function is given in words instead of by a key."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") not in SCREEN:
            continue
        if getattr(getattr(node.func, "value", None), "id", "") == "log":
            continue
        first = [] if node.func.attr == "page_link" else node.args[:1]  # a page_link's first is a path
        given = [*first, *(word.value for word in node.keywords if word.arg in WORDED)]
        for value in given:
            if isinstance(value, ast.Call):
                continue
            for part in outside_calls(value):
                text = part.value if isinstance(part, ast.Constant) else None
                if (
                    isinstance(text, str)
                    and any(map(str.isalpha, text))
                    and text not in BOTH_LANGUAGES_AT_ONCE
                ):
                    yield f"{path.relative_to(ROOT)}:{part.lineno} {text!r}"


def test_all_languages_have_the_same_keys():
    keys = {code: set(catalogue(code)) for code in LANGUAGES}
    for code, own in keys.items():
        assert own ^ keys["en"] == set(), code


def asked_for():
    """The keys that the app asks for by name, and those that pages and methods must have."""
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"t", "plain"}
            if named and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value
    for page in page_names():
        yield from (f"nav.{page}", f"{page}.title", f"{page}.purpose", f"{page}.next")
    for method in METHOD_NAMES:
        yield from (f"methods.{method}.{kind}" for kind in ("name", "title", "help", "compared"))


def test_every_text_that_is_asked_for_is_there():
    """Each one that a new page or a new method lacks is named here."""
    assert sorted(set(asked_for()) - set(catalogue("en"))) == []


def test_all_languages_have_the_same_placeholders():
    english = catalogue("en")
    for code in LANGUAGES:
        differing = [
            key for key, text in catalogue(code).items() if placeholders(text) != placeholders(english[key])
        ]
        assert differing == [], code


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, "The table fits its codebook: 1 attribute, 1,200 values and bins in all."),
        (2, "The table fits its codebook: 2 attributes, 1,200 values and bins in all."),
    ],
)
def test_a_word_follows_the_number_before_it(number, said):
    assert plain("data.fits", n=number, cells="1,200") == said


def test_no_text_is_empty_and_chinese_is_chinese():
    assert [key for code in LANGUAGES for key, text in catalogue(code).items() if not text.strip()] == []
    english, chinese = catalogue("en"), catalogue("zh")
    same = [key for key, text in chinese.items() if text == english[key] and words_of(text) > 2]
    assert same == []


def test_no_page_holds_a_literal_text():
    assert [fault for path in sources() for fault in literals(path)] == []


def test_bold_text_ends_where_markdown_sees_it_end():
    """After a punctuation mark and before a letter two stars are two stars; Chinese has no blank between."""
    unseen = re.compile(r"[^\w\s}*]\*\*[\w{]")
    bold = {
        f"{code} {key}": re.sub(r"(^|[^*])\*\*(?=[^*])(.*?)\*\*", r"\1\2**", text)
        for code in LANGUAGES
        for key, text in catalogue(code).items()
    }
    assert [key for key, text in bold.items() if unseen.search(text)] == []


def test_words_that_promise_too_much_do_not_occur():
    banned = ("anonymous", "anonymis", "anonymiz", "is safe", "guaranteed private", "military")
    named = ("anonymize.title", "nav.anonymize")  # the page says in its first sentences what it is not
    faults = [
        (key, word)
        for key, text in catalogue("en").items()
        for word in banned
        if word in text.lower().replace("k-anonymous", "") and key not in named
    ]
    assert faults == []


@pytest.mark.parametrize("name", ["**bold**", "[x](http://a)", "$a$", ":red[x]", "<b>", "`code`", "a_b_"])
def test_a_foreign_text_is_no_markup(name):
    escaped = escape(name)
    assert escaped.replace("\\", "").replace(JOINER, "") == name
    assert all(f"\\{sign}" in escaped for sign in name if sign in "*[$:<`_")


@pytest.mark.parametrize("name", ["see http://a.b/c", "HTTPS://a.b", "www.a.b", "Www.a.b", "me@a.b"])
def test_a_foreign_address_is_no_link(name):
    """The browser looks for addresses when the backslashes are gone already."""
    read = escape(name).replace("\\", "")
    assert re.search(r"https?://|www\.|\w@", read, re.IGNORECASE) is None
    assert read.replace(JOINER, "") == name


def test_a_value_is_escaped_once():
    inner = t("common.zone.dp")
    assert isinstance(inner, Markdown)
    assert "\\" not in t("common.cost", cost=inner)
    assert "\\*" in t("common.cost", cost="*a*")


def test_numbers_are_short():
    assert [number(v) for v in (45222, 0.12345, 12.75, 2.0, 1e-9, 0.0)] == [
        "45,222", "0.123", "12.8", "2", "10⁻⁹", "0",
    ]  # fmt: skip


@given(st.integers(1, 9), st.integers(-3, 2), st.integers(3, 6), st.sampled_from([1, -1]))
def test_a_number_just_below_a_round_one_is_not_shown_ten_times_too_small(first, power, nines, sign):
    value = sign * (first * 10.0**power) * (1 - 10.0**-nines)
    for digits in (3, 4):
        assert float(number(value, digits).replace(",", "")) == pytest.approx(value, rel=2e-3)
    assert float(percent(abs(value)).rstrip(" %").replace(",", "")) == pytest.approx(
        100 * abs(value), rel=1e-2
    )


def test_a_member_of_a_list_that_holds_a_comma_does_not_look_like_two():
    assert listed(["no", "yes, at home", "yes, at work"], 2) == "no; yes, at home …"
    assert listed(["no", "yes"]) == "no, yes"


def test_a_small_probability_is_said_in_the_readers_language(monkeypatch):
    said = {}
    for code in ("en", "zh"):
        monkeypatch.setattr(sys.modules[number.__module__], "language", lambda code=code: code)
        said[code] = [one_in(value) for value in (1e-9, 1e-6, 2.5e-7, 1e-5, 0.05, 1e-12, 1e-30, 3e-7)]
    assert said["en"] == [
        "1 in 1 billion", "1 in 1 million", "1 in 4 million", "1 in 100 thousand", "1 in 20",
        "1 in 1 trillion", "10⁻³⁰", "3 × 10⁻⁷",
    ]  # fmt: skip
    assert said["zh"] == [
        "10亿分之一", "100万分之一", "400万分之一", "10万分之一", "20分之一", "1万亿分之一", "10⁻³⁰",
        "3 × 10⁻⁷",
    ]  # fmt: skip


def test_percentages_have_three_digits_and_none_is_written_with_an_e():
    assert [percent(v) for v in (0, 0.5, 0.12345, 1.0, 1e-5)] == ["0 %", "50 %", "12.3 %", "100 %", "0.001 %"]


def chinese_texts():
    """All Chinese texts: the app's, the utility report's and those of a bundle's pages."""
    others = {"report": report_words("zh"), "bundle": bundle_words("zh")}
    return catalogue("zh") | {
        f"{name}.{key}": text for name, words in others.items() for key, text in words.texts.items()
    }


def test_chinese_has_no_blank_between_sentences_or_before_a_percent_sign(monkeypatch):
    monkeypatch.setattr(sys.modules[number.__module__], "language", lambda: "zh")
    assert [percent(v) for v in (0, 0.5, 0.12345)] == ["0%", "50%", "12.3%"]
    assert sentences("甲。", "乙。") == "甲。乙。"
    assert [many(v) for v in (1e9, 2.5e5, 12345678)] == ["10亿", "25万", "12,345,678"]
    texts = chinese_texts()
    assert [key for key, text in texts.items() if re.search(r"[0-9}] %|。 ", text)] == []


def test_chinese_calls_a_thing_by_one_name():
    """A codebook, a table of two attributes, a stand-in table and the sound accounting have one name each."""
    others = re.compile(
        "代码簿|编码簿|代码本|双属性表|两两表|替代表|单变量表|单属性表|变异距离|真实记录|稳妥"
    )
    texts = chinese_texts()
    assert [key for key, text in texts.items() if others.search(text)] == []


@given(st.floats(1e-300, 1e300))
def test_no_number_is_shown_as_a_programmer_writes_it(value):
    assert not re.search(r"\de[-+]?\d", number(value) + one_in(value) + percent(value))


@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_method_and_learner_has_its_words(code):
    known = catalogue(code)
    for rows in METHODS.values():
        for spec in rows:
            assert {f"methods.{spec.name}.name", f"learners.{spec.learner}.name"} <= known.keys()
    for name, accounting in METHODS:
        for learner in learners_of(name, accounting)[1:]:
            assert {f"learners.{learner}.{kind}" for kind in ("title", "help", "compared")} <= known.keys()


def test_lists_are_joined_as_the_language_does_and_long_names_are_cut_in_their_middle(monkeypatch):
    question = "Please state whether you view the following characters favorably: Yoda"
    for code, comma in (("en", ", "), ("zh", "、")):
        monkeypatch.setattr(sys.modules[number.__module__], "language", lambda code=code: code)
        assert listed("abc") == comma.join("abc")
        assert listed("abc", 3) == listed("abc")
        assert listed("abc", 2) == comma.join("ab") + " …"
        first, last = names_listed(["age", question]).split(comma)
        assert first == "age"
        assert len(last) <= 40
        assert last.endswith("Yoda")
