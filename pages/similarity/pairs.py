"""What the matrices and the public rules say of two attributes."""

from __future__ import annotations

from collections.abc import Sequence

from hmpb_core.rules.kinds import Rule
from pages.similarity.matrices import Matrix, measure_words, tvd_by_chance
from pages.words.catalogue import Markdown, number, plain, t
from pages.words.rules import rule_words


def verdicts(
    found: Sequence[Matrix], first: str, second: str, rules: Sequence[Rule], *, exact: bool = False
) -> list[Markdown]:
    """What each matrix says of two attributes, exactly or of noisy figures, and which rules tie them."""
    names = found[0].names
    i, j = names.index(first), names.index(second)
    seen = any(matrix.values[i, j] > matrix.bands[i, j] for matrix in found)
    said = []
    for matrix in found:
        value, band = float(matrix.values[i, j]), float(matrix.bands[i, j])
        words = {
            "first": first,
            "second": second,
            "value": number(value),
            "band": number(band),
            "what": plain(f"similarity.which.{matrix.kind}", measure=measure_words(matrix)),
        }
        if matrix.untold is not None and matrix.untold[i, j]:
            said.append(t("similarity.pair.untold", **words))
        elif exact:
            said.append(t("similarity.pair.exact", **words))
        elif value <= band:  # not "unrelated" where the other measure sees what this one does not
            said.append(t(f"similarity.pair.within{'_yet' if seen else ''}", **words))
        elif matrix.kind == "model":  # the band of MIC is one of unrelated pairs: it bounds from below alone
            said.append(t("similarity.pair.above", **words))
        else:
            low, high = number(max(0.0, value - band)), number(min(1.0, value + band))
            said.append(
                Markdown(t("similarity.pair.beyond", low=low, high=high, **words) + _chance(matrix, i, j))
            )
    tying = [rule for rule in rules if {first, second} <= set(rule.columns)]
    return [*said, *(t("similarity.pair.rule", rule=rule_words(rule.to_dict())) for rule in tying)]


def _chance(matrix: Matrix, i: int, j: int) -> str:
    """How much of a value that noise does not explain chance may, as far as that is known."""
    if not matrix.n_rows:
        return t("similarity.pair.small")
    by_chance = tvd_by_chance(matrix.one_way[i], matrix.one_way[j], matrix.n_rows)
    return t("similarity.pair.chance", chance=number(by_chance, 2))
