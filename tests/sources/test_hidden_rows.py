"""Under add-remove neighbours nobody reads the number of rows: neither the pipeline nor whoever asks."""

import numpy as np
import pytest

from hmpb_core.domain import Domain
from hmpb_core.errors import NotPrivateError
from hmpb_core.planning.methods import Accounting, methods_under
from hmpb_core.privacy.guarantee import Currency, Guarantee, Neighbors
from hmpb_core.sources.base import HiddenRows
from hmpb_core.sources.memory import MemorySource
from hmpb_core.synthesis import fit_source, make_plan

DOMAIN = Domain.of_sizes([2, 3, 4])
CODES = np.random.default_rng(0).integers(0, [2, 3, 4], size=(137, 3)).astype(np.int32)


class Watched(MemorySource):
    """Fails whoever asks for the number of rows."""

    @property
    def n_rows(self):
        pytest.fail("the number of rows was read")


def test_the_number_of_rows_is_refused_without_naming_it():
    with pytest.raises(NotPrivateError, match="private under 'add-remove'") as refusal:
        _ = HiddenRows(MemorySource(CODES, DOMAIN)).n_rows
    assert "137" not in str(refusal.value)


@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize(
    "method",
    [spec.name for spec in methods_under(Accounting.SOUND) if Neighbors.ADD_REMOVE in spec.neighbors],
)
def test_no_method_reads_the_number_of_rows_under_add_remove(method, currency):
    delta = 0.0 if currency is Currency.PURE else 1e-9
    guarantee = Guarantee(epsilon=1.0, delta=delta, currency=currency, neighbors=Neighbors.ADD_REMOVE)
    plan = make_plan(guarantee, DOMAIN, n_rows=None, method=method)
    model = fit_source(Watched(CODES, DOMAIN), plan, seed=1)
    assert len(model.sample_codes(10, rng=np.random.default_rng(1))) == 10


def test_hidden_rows_gives_the_same_tables():
    plain, hidden = MemorySource(CODES, DOMAIN), HiddenRows(MemorySource(CODES, DOMAIN))
    for ours, theirs in zip(plain.marginals([(0, 1), (2,)]), hidden.marginals([(0, 1), (2,)]), strict=True):
        assert ours.attributes == theirs.attributes
        assert (ours.counts == theirs.counts).all()
