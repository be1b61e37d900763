import pytest

from hmpb_core.errors import NotPrivateError
from hmpb_core.publishing.zones import (
    Labelled,
    Zone,
    declared,
    handed_over,
    k_anonymous,
    paid,
    public,
    steward_only,
)


def test_declared_and_paid_objects_leave():
    assert public(declared(1), "the codebook") == 1
    assert public(paid(2, "digest"), "the table") == 2


def test_a_steward_only_object_is_refused_by_name_without_its_content():
    with pytest.raises(NotPrivateError, match="The exact counts is steward-only") as refusal:
        public(steward_only("sentinel-4711"), "The exact counts")
    assert "sentinel" not in str(refusal.value)


def test_a_k_anonymous_table_leaves_by_itself_and_in_no_release():
    with pytest.raises(NotPrivateError, match="not differentially private"):
        public(k_anonymous("rows"), "The table")
    assert handed_over(k_anonymous("rows"), "The table") == "rows"
    with pytest.raises(NotPrivateError, match="steward-only"):
        handed_over(steward_only("rows"), "The table")


def test_an_object_without_a_label_is_refused():
    with pytest.raises(NotPrivateError, match="no zone"):
        public({"count": 3}, "This")


def test_nothing_is_paid_for_without_a_ledger_entry():
    with pytest.raises(NotPrivateError, match="charge the release first"):
        Labelled(value=1, zone=Zone.DP)
    with pytest.raises(NotPrivateError):
        paid(1, "")


def test_a_label_hides_its_object_from_logs():
    assert "sentinel" not in repr(steward_only("sentinel-4711"))
