"""The handout: one page, both languages, nothing in it is markup."""

import re

import pytest

from hmpb_core.report.figures import gauge, to_svg, twin_icons
from hmpb_core.report.handout import Handout, Section, to_html
from hmpb_core.report.handout_pdf import to_pdf

EVIL = "<script>alert(1)</script> & \"quotes\" 'x' <b>"


def handout(text="Plain words.", language="en", paragraphs=1):
    icons = twin_icons(without=10, with_person=27, of=1000, labels=(text, text), description=text)
    scale = gauge(accuracy=0.731, labels=(text, "73.1 %", text), description=text)
    return Handout(
        language=language,
        title=text,
        lead=text,
        sections=(
            Section(heading=text, paragraphs=(text,) * paragraphs, figure=icons),
            Section(heading=text, figure=scale, table=((text, text), (text, "1"))),
        ),
        footer=text,
    )


def pages_of(pdf):
    return len(re.findall(rb"/Type /Page\b", pdf))


def test_html_holds_no_markup_but_its_own():
    page = to_html(handout(EVIL))
    assert "<script" not in page
    assert "<b>" not in page
    assert page.count("&lt;script&gt;") >= 8
    assert "default-src 'none'" in page
    assert "http" not in page.replace('http-equiv="', "").replace("http://www.w3.org/2000/svg", "")


def test_html_names_its_language_and_describes_its_figures():
    page = to_html(handout("个人", language="zh"))
    assert '<html lang="zh">' in page
    assert page.count("<title>个人</title>") == 3  # the page and both figures
    assert page.count('<th scope="col">') == 2


@pytest.mark.parametrize("text", ["Plain words.", EVIL, "隐私损失上限：每个人", "Grüße, naïve"])
def test_pdf_is_one_page_in_every_language(text):
    pdf = to_pdf(handout(text))
    assert pdf.startswith(b"%PDF")
    assert pages_of(pdf) == 1


def test_latin_letters_have_one_face_in_chinese_handouts_and_names_keep_their_accents():
    from hmpb_core.report.handout_pdf import CHINESE_FONT, _paragraph

    pieces = [(f.text, f.fontName) for f in _paragraph("由 Dr. Müller 于 2026-11-25 商定", size=10).frags]
    assert ("Dr. Müller", "Helvetica") in pieces
    assert ("2026-11-25", "Helvetica") in pieces
    assert any("商定" in text and face == CHINESE_FONT for text, face in pieces)
    assert "&lt;" not in "".join(f.text for f in _paragraph("甲 <b> 乙 & x", size=10).frags)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Łódź, Đorđe", "Lódz, Dorde"),
        ("Škoda a Žižka z Příbrami", "Škoda a Žižka z Príbrami"),
        ("Nguyễn", "Nguyên"),
        ("Łukasz 商定 Škoda ě", "Lukasz 商定 Škoda ě"),
        ("e\u0301t\u00e9", "été"),
    ],
)
def test_letters_that_no_face_of_the_pdf_has_are_printed_as_their_nearest(text, printed):
    from hmpb_core.report.handout_pdf import CHINESE_FONT, _paragraph, _words

    frags = _paragraph(text, size=10).frags
    assert "".join(frag.text for frag in frags) == printed
    for frag in frags:
        frag.text.encode("gbk" if frag.fontName == CHINESE_FONT else "cp1252")
    shape = next(shape for shape in handout(text).sections[0].figure.shapes if hasattr(shape, "text"))
    assert _words(shape, 10.0).text == printed
    assert pages_of(to_pdf(handout(text))) == 1


def test_a_handout_that_is_too_long_is_made_smaller_not_longer():
    assert pages_of(to_pdf(handout("Many words. " * 12, paragraphs=30))) == 1


def test_pdf_says_nothing_about_who_made_it_or_when():
    pdf = to_pdf(handout())
    assert pdf == to_pdf(handout())
    assert b"/Author ()" in pdf or b"/Author" not in pdf


@pytest.mark.parametrize(("of", "without", "with_person"), [(100, 50, 82), (1000, 10, 27), (100, 0, 100)])
def test_icons_count_full_and_hollow_dots(of, without, with_person):
    figure = twin_icons(without=without, with_person=with_person, of=of, labels=("a", "b"), description="c")
    drawn = to_svg(figure)
    assert drawn.count("<circle") == 2 * of
    assert drawn.count('fill="none" stroke="#7c898f"') == 2 * of - without - with_person


@pytest.mark.parametrize(("accuracy", "share"), [(0.5, 0.0), (0.75, 0.5), (1.0, 1.0)])
def test_gauge_fills_from_a_coin_to_certainty(accuracy, share):
    figure = gauge(accuracy=accuracy, labels=("a", "b", "c"), description="d")
    full = next(shape for shape in figure.shapes if getattr(shape, "fill", "") == "full")
    assert full.width == pytest.approx(max(400 * share, 0.5))


def test_no_text_turns_the_direction_of_the_handout():
    page = to_html(handout("\u202eevil\u202c عربي"))
    assert "\u202e" not in page
    assert page.count("[U+202E]evil[U+202C] عربي") >= 8
