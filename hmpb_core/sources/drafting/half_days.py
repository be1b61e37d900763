"""Clocks that tell the half of the day in words of their own: 4:15pm, 4:15 p. m., 下午 4:15."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_BLANK = r"[ \u00a0\u202f]?"
_PAIRS = (
    ("ÖÖ", "ÖS"),
    ("öö", "ös"),
    ("SA", "CH"),
    ("πμ", "μμ"),
    ("ΠΜ", "ΜΜ"),
    ("π.μ.", "μ.μ."),
    ("ص", "م"),
    ("पूर्वाह्न", "अपराह्न"),
    ("пр.об.", "сл.об."),
)
"""Turkish, Vietnamese, Greek, Arabic, Hindi and Bulgarian words."""
_OWN = "|".join(re.escape(word) for pair in _PAIRS for word in pair)
_BEHIND = re.compile(
    rf"(?<=\d)(?P<clock>)(?P<blank>{_BLANK})(?P<word>{_OWN}|(?ai:[ap]\.?{_BLANK}m\.?))$",
)
_BEFORE = re.compile(r"(?<= )(?P<word>[上下]午|오[전후])(?P<blank> ?)(?P<clock>\d{1,2}:.*)$")
"""Words for the half of the day, behind the clock and before it."""
_OTHERS = {word: other for pair in _PAIRS for word, other in (pair, pair[::-1])}
_OTHER_HALF, _EVENING = str.maketrans("apAP上下전후", "paPA下上후전"), re.compile("[pP下후]")
_CLOCK_FORM = re.compile(r"(%-?I:%M(?::%S)?) %p$")


@dataclass(frozen=True, slots=True)
class HalfDays:
    """Moments with words of their own for the halves of the day.

    Attributes:
        usual: The moments with AM and PM behind the clock.
        own: How a format writes the file's words, in place of the clock and AM or PM.
    """

    usual: list[str]
    own: str

    def format_of(self, usual: str) -> str:
        """Give the file's format for one that reads the usual words; the same where it has no such clock."""
        return _CLOCK_FORM.sub(self.own, usual)


def half_days_of(texts: Sequence[str]) -> HalfDays | None:
    """Read the words; None where not all texts have them, or they are AM and PM.

    Example:
        >>> found = half_days_of(["1/2/2020 4:15 p. m.", "1/3/2020 9:00 a. m."])
        >>> found.usual, found.format_of("%-m/%-d/%Y %-I:%M %p")
        (['1/2/2020 4:15 PM', '1/3/2020 9:00 AM'], '%-m/%-d/%Y %-I:%M %p{a. m.|p. m.}')
    """
    way = next((way for way in (_BEHIND, _BEFORE) if texts and all(map(way.search, texts))), None)
    found = [half for text in texts if way and (half := way.search(text))]
    words, blanks = {half["word"] for half in found}, {half["blank"] for half in found}
    if way is None or len(blanks) > 1:
        return None
    word, blank = min(words), min(blanks)
    other = _OTHERS.get(word) or word.translate(_OTHER_HALF)
    first, last = (
        next(pair for pair in _PAIRS if word in pair)
        if word in _OTHERS
        else sorted((word, other), key=lambda w: bool(_EVENING.search(w)))
    )
    if not words <= {first, last} or (blank, first) == (" ", "AM"):
        return None
    told = "%p" if first == "AM" else f"%p{{{first}|{last}}}"
    usual = [
        half.string[: half.start()] + half["clock"] + (" AM" if half["word"] == first else " PM")
        for half in found
    ]
    return HalfDays(usual, rf"\1{blank}{told}" if way is _BEHIND else rf"{told}{blank}\1")
