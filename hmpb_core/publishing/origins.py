"""What a release may say of its codebook: answered from the source of each field and rule, never assumed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from hmpb_core.catalogue import Words
from hmpb_core.codebook import Codebook
from hmpb_core.provenance import Grounds, Origin, Provenance
from hmpb_core.publishing.words.catalogue import ENGLISH
from hmpb_core.sources.drafting.vocabularies import vocabulary_name

SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """Where the fields and rules of a codebook come from, taken together.

    Attributes:
        guessed: Names of the fields that were read off the rows without paying, declared or not.
        guessed_rules: How many of its rules were.
        surveyed: Names of the fields that a paid survey of this table found.
        entries: Ledger entries that paid for these surveys.
        elsewhere: Names of the fields that a survey found which this table's ledger has not.
        lines: One line a kind of source: which fields and how many rules, and which words.
        words: In which language it is said.
    """

    guessed: tuple[str, ...]
    guessed_rules: int
    surveyed: tuple[str, ...]
    entries: tuple[int, ...]
    elsewhere: tuple[str, ...]
    lines: tuple[str, ...]
    words: Words

    @property
    def read_off(self) -> str:
        """What was read off the rows without paying, declared or not; empty where nothing was."""
        return _all(self.guessed, self.guessed_rules, self.words)

    @property
    def extraction(self) -> str:
        """What was taken from the table, and whether that was paid."""
        words, found = self.words, []
        if self.read_off:
            found.append(words("extraction.guessed", names=self.read_off))
        if self.surveyed:
            paid = words("list.comma").join(map(str, self.entries))
            names = _names(self.surveyed, words)
            found.append(words("extraction.surveyed", entries=paid, names=names))
        if self.elsewhere:
            found.append(words("extraction.elsewhere", names=_names(self.elsewhere, words)))
        return words("list.semicolon").join(found) if found else words("extraction.nothing")

    @property
    def domain(self) -> str:
        """How the bounds, categories and rules came about, in half a sentence."""
        words = self.words
        if self.guessed:
            said = words("domain.guessed", names=_names(self.guessed, words))
        else:
            said = words("domain.surveyed" if self.bought else "domain.declared")
        if not self.guessed_rules:
            return said
        return words("list.semicolon").join((said, words("domain.guessed_rules", n=self.guessed_rules)))

    @property
    def told(self) -> str:
        """How the codebook is named among what a release tells without noise."""
        if self.read_off:
            return self.words("told.codebook_guessed", names=self.read_off)
        return self.words("told.codebook_surveyed" if self.bought else "told.codebook")

    @property
    def bought(self) -> bool:
        """Whether a survey found anything, of whichever table."""
        return bool(self.surveyed or self.elsewhere)


def origins_of(codebook: Codebook, words: Words = ENGLISH, *, elsewhere: Collection[str] = ()) -> Origins:
    """Gather the sources of a codebook's fields and rules.

    Args:
        codebook: The codebook.
        words: In which language they are said.
        elsewhere: Fields whose survey the table's ledger has not.
    """
    sources = {name: codebook.sources[name] for name in codebook.domain.names}
    rules = codebook.rules.sources
    surveyed = tuple(name for name, source in sources.items() if source.origin is Origin.SURVEY)
    here = tuple(name for name in surveyed if name not in elsewhere)
    said_of = {name: source_words(s, words, elsewhere=name in elsewhere) for name, s in sources.items()}
    alike: dict[str, list[str]] = {said: [] for said in said_of.values()}
    alike |= {source_words(source, words): [] for source in rules if source_words(source, words) not in alike}
    for name, said in said_of.items():
        alike[said].append(name)
    counts = Counter(source_words(source, words) for source in rules)
    return Origins(
        guessed=tuple(n for n, source in sources.items() if source.origin is Origin.GUESS),
        guessed_rules=sum(source.origin is Origin.GUESS for source in rules),
        surveyed=here,
        entries=tuple(sorted({entry for name in here if (entry := sources[name].entry) is not None})),
        elsewhere=tuple(name for name in surveyed if name in elsewhere),
        lines=tuple(
            words("source.of", names=_all(tuple(names), counts[said], words), source=said)
            for said, names in alike.items()
        ),
        words=words,
    )


def source_words(source: Provenance, words: Words = ENGLISH, *, elsewhere: bool = False) -> str:
    """Say where an entry of a codebook comes from.

    Args:
        source: The source.
        words: In which language.
        elsewhere: Whether it is a survey that the table's ledger has not.

    Example:
        >>> source_words(Provenance(origin=Origin.VOCABULARY, name="ISO 3166-1 alpha-2"))
        "the public vocabulary 'ISO 3166-1 alpha-2'"
    """
    if source.origin is Origin.TYPED:
        return words("source.typed_from", name=source.name) if source.name else words("source.typed")
    if elsewhere:
        return words("source.elsewhere")
    if source.origin is not Origin.GUESS:
        of_vocabulary = source.origin is Origin.VOCABULARY
        name = vocabulary_name(source.name, words.language) if of_vocabulary else source.name
        return words(f"source.{source.origin}", name=name, entry=source.entry)
    said = source.declaration
    if said is None:
        return words("source.guess_nobody")
    by = words("source.by", by=said.by) if said.by else ""
    if said.grounds is Grounds.RISK:
        return words("source.guess_risk", by=by)
    return words("source.guess", by=by, grounds=words(f"grounds.{said.grounds}"), name=said.name)


def _all(names: tuple[str, ...], rules: int, words: Words) -> str:
    """Fields by their names, and rules by their number."""
    told = [_names(names, words)] if names else []
    return words("list.comma").join([*told, words("source.rules", n=rules)] if rules else told)


def _names(names: tuple[str, ...], words: Words) -> str:
    shown = words("list.comma").join(words("quoted", name=name) for name in names[:SHOWN])
    return words("more", shown=shown, more=len(names) - SHOWN) if len(names) > SHOWN else shown
