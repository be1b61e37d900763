"""Cells that hold several answers of a list, apart by one sign, as forms export them: ``radio;table``."""

from __future__ import annotations

from collections import Counter

SIGNS = ("|", ";", ",", " ")
MOST_ANSWERS = 64
"""Most answers that a question with several has."""
SEVERAL = 0.05
"""Part of the rows that give more than one."""


def sign_between_answers(counts: Counter[str]) -> str | None:
    """What separates the answers of a column, or None where its cells hold one thing each.

    Answers are few, most come in several texts, no cell holds one twice, and some rows have more than one.
    Blanks stand between words, too: there nearly every answer is some row's only one, as no "mostly" is.

    Args:
        counts: How many rows hold each text; missing ones left out.

    Example:
        >>> sign_between_answers(Counter({"radio;table": 9, "table;car": 5, "car": 7, "car;radio": 2}))
        ';'
        >>> sign_between_answers(Counter({"Berlin, Mitte": 9, "Paris, Nord": 5, "Roma, Sud": 7}))
    """
    for sign in SIGNS:
        cells = {text: [part.strip() for part in text.split(sign)] for text in counts}
        answers = Counter(part for parts in cells.values() for part in parts)
        rows = sum(counts[text] for text, parts in cells.items() if len(parts) > 1)
        again = sum(texts > 1 for texts in answers.values())
        twice = any(len(set(parts)) < len(parts) for parts in cells.values())
        few = len(answers) <= min(MOST_ANSWERS, len(cells))
        words = sign == " " and 10 * sum(answer in counts for answer in answers) < 9 * len(answers)
        usual = few and not twice and not words and 4 * again >= 3 * len(answers)
        if rows > SEVERAL * counts.total() and usual:
            return sign
    return None
