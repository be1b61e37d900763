"""What a release may say of its codebook: answered from each field's source, never assumed."""

from __future__ import annotations

from dataclasses import dataclass

from hmpb_core.codebook import Codebook
from hmpb_core.provenance import Origin

SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """Where the fields of a codebook come from, taken together.

    Attributes:
        guessed: Names of the fields that were read off the rows without paying, declared or not.
        surveyed: Names of the fields that a paid survey found.
        entries: Ledger entries that paid for surveys.
        lines: One line a kind of source: how many fields, and which words.
    """

    guessed: tuple[str, ...]
    surveyed: tuple[str, ...]
    entries: tuple[int, ...]
    lines: tuple[str, ...]

    @property
    def extraction(self) -> str:
        """What of the domain was taken from the table, and whether that was paid."""
        found = []
        if self.guessed:
            found.append(f"read off the rows without payment: {_names(self.guessed)}")
        if self.surveyed:
            paid = ", ".join(map(str, self.entries))
            found.append(f"found by a survey that ledger entries {paid} paid: {_names(self.surveyed)}")
        return "; ".join(found) if found else "nothing was extracted: no field is a guess or from a survey"

    @property
    def domain(self) -> str:
        """How the bounds and categories came about, in half a sentence."""
        if self.guessed:
            return (
                f"bounds and categories of which those of {_names(self.guessed)} were read off the table and "
                "later declared to be public; the guarantee rests on that word"
            )
        if self.surveyed:
            return "bounds and categories declared without looking at the data, or found by a paid survey"
        return "bounds and categories declared without looking at the data"

    @property
    def told(self) -> str:
        """How the codebook is named among what a release tells without noise."""
        if self.guessed:
            return f"the codebook (for {_names(self.guessed)} read from the table)"
        if self.surveyed:
            return "the codebook (declared, or from a survey that was paid for)"
        return "the codebook (declared, not read from the table)"


def origins_of(codebook: Codebook) -> Origins:
    """Gather the sources of a codebook's fields."""
    sources = {name: codebook.sources[name] for name in codebook.domain.names}
    words: dict[str, list[str]] = {}
    for name, source in sources.items():
        words.setdefault(source.words, []).append(name)
    return Origins(
        guessed=tuple(n for n, source in sources.items() if source.origin is Origin.GUESS),
        surveyed=tuple(n for n, source in sources.items() if source.origin is Origin.SURVEY),
        entries=tuple(sorted({s.entry for s in sources.values() if s.entry is not None})),
        lines=tuple(f"{_names(tuple(names))}: {said}" for said, names in words.items()),
    )


def _names(names: tuple[str, ...]) -> str:
    shown = ", ".join(repr(name) for name in names[:SHOWN])
    return shown + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
