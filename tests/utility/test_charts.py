"""Labels that have no room."""

from hmpb_core.utility.charts import told_apart

SKYWALKERS = [f"Please state whether you view {name} Skywalker favourably" for name in ("Luke", "Anakin")]


def test_two_long_names_that_would_be_cut_alike_are_told_apart():
    names = ["age", SKYWALKERS[0].removesuffix(" favourably"), SKYWALKERS[1].removesuffix(" favourably")]
    labels = told_apart(names, 18)
    assert labels[0] == "age"
    assert len(set(labels)) == 3
    assert all(len(label) <= 18 for label in labels)


def test_names_that_no_cut_tells_apart_stay_as_short_as_the_others():
    names = [f"{'a' * 40}{middle}{'z' * 40}" for middle in "xy"]
    assert set(told_apart(names, 18)) == {"aaaaaaaaaa…zzzzzzz"}
