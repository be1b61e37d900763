"""How the suite is shared among workers."""

import pytest


def test_the_tests_of_a_file_go_to_one_worker_by_its_name(request):
    """Without the name behind its id a test runs on any worker, and each makes every fixture again."""
    if not hasattr(request.config, "workerinput"):
        pytest.skip("runs where several workers share the suite")
    assert request.node.nodeid.endswith("@test_workers")
