"""The papers' binary encoding: codes in bits, and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hmpb_core.domain import Categorical, Codes, Domain


@dataclass(frozen=True, slots=True)
class BinaryEncoding:
    """The papers' encoding: every attribute in ceil(log2 m) bits, most significant first.

    Source: [Zhang2022, section 3.1, Table 1].

    Example:
        >>> BinaryEncoding(Domain.of_sizes([16, 2, 41])).bit_domain.names[:5]
        ('x0:0', 'x0:1', 'x0:2', 'x0:3', 'x1')
    """

    domain: Domain

    @property
    def widths(self) -> tuple[int, ...]:
        """Number of bits of each attribute; at least 1."""
        return tuple(max(1, (size - 1).bit_length()) for size in self.domain.sizes)

    @property
    def bit_domain(self) -> Domain:
        """The domain of the bits."""
        bits: list[Categorical] = []
        for attribute, width in zip(self.domain.attributes, self.widths, strict=True):
            names = [attribute.name] if width == 1 else [f"{attribute.name}:{b}" for b in range(width)]
            bits.extend(Categorical(name=name, categories=(0, 1)) for name in names)
        return Domain(tuple(bits))

    def encode(self, codes: Codes) -> Codes:
        """Write each code in bits: shape (rows, attributes) to (rows, bits)."""
        columns = [
            (codes[:, i, None] >> np.arange(width - 1, -1, -1)) & 1 for i, width in enumerate(self.widths)
        ]
        return np.concatenate(columns, axis=1).astype(np.int32)

    def decode(self, bits: Codes, rng: np.random.Generator) -> Codes:
        """Read codes from bits.

        A bit pattern beyond the domain is drawn again from the valid ones: from the codes
        that the same attribute has in the other rows, or uniformly where it has none.
        """
        codes = np.empty((len(bits), len(self.domain)), dtype=np.int32)
        start = 0
        for i, (size, width) in enumerate(zip(self.domain.sizes, self.widths, strict=True)):
            weights = 1 << np.arange(width - 1, -1, -1)
            column = bits[:, start : start + width] @ weights
            start += width
            beyond = column >= size
            if beyond.any():
                pool = column[~beyond] if not beyond.all() else np.arange(size)
                column[beyond] = rng.choice(pool, int(beyond.sum()))
            codes[:, i] = column
        return codes
