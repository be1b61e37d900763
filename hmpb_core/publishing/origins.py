"""What a release may say of its codebook: answered from each field's source, never assumed."""

from __future__ import annotations

from dataclasses import dataclass

from hmpb_core.catalogue import Words
from hmpb_core.codebook import Codebook
from hmpb_core.provenance import Grounds, Origin, Provenance
from hmpb_core.publishing.words.catalogue import ENGLISH

SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """Where the fields of a codebook come from, taken together.

    Attributes:
        guessed: Names of the fields that were read off the rows without paying, declared or not.
        surveyed: Names of the fields that a paid survey found.
        entries: Ledger entries that paid for surveys.
        lines: One line a kind of source: how many fields, and which words.
        words: In which language it is said.
    """

    guessed: tuple[str, ...]
    surveyed: tuple[str, ...]
    entries: tuple[int, ...]
    lines: tuple[str, ...]
    words: Words

    @property
    def extraction(self) -> str:
        """What of the domain was taken from the table, and whether that was paid."""
        words, found = self.words, []
        if self.guessed:
            found.append(words("extraction.guessed", names=_names(self.guessed, words)))
        if self.surveyed:
            paid = words("list.comma").join(map(str, self.entries))
            names = _names(self.surveyed, words)
            found.append(words("extraction.surveyed", entries=paid, names=names))
        return words("list.semicolon").join(found) if found else words("extraction.nothing")

    @property
    def domain(self) -> str:
        """How the bounds and categories came about, in half a sentence."""
        if self.guessed:
            return self.words("domain.guessed", names=_names(self.guessed, self.words))
        return self.words("domain.surveyed" if self.surveyed else "domain.declared")

    @property
    def told(self) -> str:
        """How the codebook is named among what a release tells without noise."""
        if self.guessed:
            return self.words("told.codebook_guessed", names=_names(self.guessed, self.words))
        return self.words("told.codebook_surveyed" if self.surveyed else "told.codebook")


def origins_of(codebook: Codebook, words: Words = ENGLISH) -> Origins:
    """Gather the sources of a codebook's fields.

    Args:
        codebook: The codebook.
        words: In which language they are said.
    """
    sources = {name: codebook.sources[name] for name in codebook.domain.names}
    alike: dict[str, list[str]] = {}
    for name, source in sources.items():
        alike.setdefault(source_words(source, words), []).append(name)
    return Origins(
        guessed=tuple(n for n, source in sources.items() if source.origin is Origin.GUESS),
        surveyed=tuple(n for n, source in sources.items() if source.origin is Origin.SURVEY),
        entries=tuple(sorted({s.entry for s in sources.values() if s.entry is not None})),
        lines=tuple(
            words("source.of", names=_names(tuple(names), words), source=said)
            for said, names in alike.items()
        ),
        words=words,
    )


def source_words(source: Provenance, words: Words = ENGLISH) -> str:
    """Say where an entry of a codebook comes from.

    Args:
        source: The source.
        words: In which language.

    Example:
        >>> source_words(Provenance(origin=Origin.VOCABULARY, name="ISO 3166-1 alpha-2"))
        "the public vocabulary 'ISO 3166-1 alpha-2'"
    """
    if source.origin is Origin.TYPED:
        return words("source.typed_from", name=source.name) if source.name else words("source.typed")
    if source.origin is not Origin.GUESS:
        return words(f"source.{source.origin}", name=source.name, entry=source.entry)
    said = source.declaration
    if said is None:
        return words("source.guess_nobody")
    by = words("source.by", by=said.by) if said.by else ""
    if said.grounds is Grounds.RISK:
        return words("source.guess_risk", by=by)
    return words("source.guess", by=by, grounds=words(f"grounds.{said.grounds}"), name=said.name)


def _names(names: tuple[str, ...], words: Words) -> str:
    shown = words("list.comma").join(words("quoted", name=name) for name in names[:SHOWN])
    return words("more", shown=shown, more=len(names) - SHOWN) if len(names) > SHOWN else shown
